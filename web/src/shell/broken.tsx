import type { ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isAway } from '../server.ts';
import { useTexts } from '../texts/texts.ts';
import { BareScreen, Failed } from './states.tsx';

/** A screen that could not be drawn, mostly since a part of the app did not come: the server is away, or another one. */
export function Broken({ thrown }: { readonly thrown: unknown }): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  const message = away ? t.states.offline : thrown instanceof Error ? visible(thrown.message) : '';
  return (
    <BareScreen>
      <Failed
        failure={{ code: 'unavailable', message }}
        {...(away ? {} : { retry: () => location.reload() })}
      />
    </BareScreen>
  );
}
