import type { ReactNode } from 'react';
import { useRuns } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { addressOf, Link } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { useTexts } from '../texts/texts.ts';

/** The newest runs. */
export function Runs({ filter }: { readonly filter?: string | undefined }): ReactNode {
  const t = useTexts();
  const { is, runs, failure } = useRuns();
  useTitle(filter ?? t.runs.title);
  const listed = [...runs.values()].toSorted((one, other) => other.createdAt - one.createdAt);
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{t.runs.title}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <div className="p-6 overflow-y-auto">
        {is === 'loading' && <Bones />}
        {is === 'refused' && <Failed failure={failure} />}
        {is === 'ready' && listed.length === 0 && (
          <Empty title={t.runs.empty} text={t.runs.emptyText}>
            <Link to={addressOf.chat()} className="button small">
              {t.runs.ask}
            </Link>
          </Empty>
        )}
        <ul className="steps">
          {listed.map(({ run, title, status }) => (
            <li key={run}>
              <Link to={addressOf.run(run)} className="row">
                <StatusMark status={status} />
                <span className="unseen">{t.status[status]}:</span>
                <span className="cut">{visible(title)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}
