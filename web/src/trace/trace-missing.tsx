import type { ReactNode } from 'react';
import type { Failure } from '../../../src/client/client.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { Failed } from '../shell/states.tsx';
import { useTexts } from '../texts/texts.ts';
import { WayBack } from './trace-bar.tsx';

/** A run that cannot be looked at: why, and nothing that looks like a run. */
export function TraceMissing({ failure }: { readonly failure: Failure }): ReactNode {
  const t = useTexts();
  return (
    <main className="screen" id="main">
      <div className="bar">
        <WayBack />
        <h1>{t.nav.runs}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <div className="p-8">
        <Failed failure={failure} />
      </div>
    </main>
  );
}
