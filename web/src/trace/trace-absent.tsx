import type { ReactNode } from 'react';
import type { Connection } from '../../../src/client/client.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { Bones, Failed } from '../shell/states.tsx';
import { useTexts } from '../texts/texts.ts';
import { WayBack } from './trace-bar.tsx';

/** A run of which nothing is here, yet or for good: why, and nothing that looks like a run. */
export function TraceAbsent({ connection }: { readonly connection: Connection }): ReactNode {
  const t = useTexts();
  return (
    <main className="screen" id="main">
      <div className="bar">
        <WayBack />
        <h1>{t.nav.runs}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      {connection.is === 'refused' ? (
        <div className="p-8">
          <Failed failure={connection.failure} />
        </div>
      ) : (
        <Bones />
      )}
    </main>
  );
}
