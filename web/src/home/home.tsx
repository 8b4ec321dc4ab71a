import type { ReactNode } from 'react';
import { useRuns } from '../../../src/react/react.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton, useWaiting } from '../shell/shell.tsx';
import { useTitle } from '../shell/title.ts';
import { useTexts } from '../texts/texts.ts';

/** What goes on now, and what waits. */
export function Home(): ReactNode {
  const t = useTexts();
  const { runs } = useRuns();
  const waiting = useWaiting();
  useTitle(t.nav.home);
  const live = runs.values().filter(({ status }) => status === 'running' || status === 'paused');
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{t.nav.home}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <p className="p-6">
        {t.status.running}: {live.toArray().length} · {t.inbox.summary(waiting, waiting)}
      </p>
    </main>
  );
}
