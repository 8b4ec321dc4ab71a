import type { ReactNode } from 'react';
import { isBlobRef } from '../run/values.ts';
import { visible } from '../run/visible.ts';
import { Approval } from './approval.tsx';
import { StepTree } from './step-tree.tsx';
import { useRun } from './use-run.ts';
import { useSource } from './use-source.ts';

/** A whole run: what was asked, its steps as they come, what it asks and what it answers. */
export function RunView({ run: name }: { readonly run: string }): ReactNode {
  const run = useRun(name);
  const { tree, connection } = useSource(run);
  const { title, status, approvals, answer, failure } = tree;
  const waiting = approvals.filter((one) => one.status === 'undecided');
  return (
    <article className="vitrine-run" aria-busy={status === 'running'} data-status={status}>
      <header>
        <span className="vitrine-run-title">{visible(title)}</span>
        <span className="vitrine-run-status" role="status">
          {connection.is === 'away' ? 'away' : status}
        </span>
      </header>
      <StepTree run={run} />
      {waiting.map((approval) => (
        <Approval key={approval.id} approval={approval} />
      ))}
      {connection.is === 'refused' && <p role="alert">{visible(connection.failure.message)}</p>}
      {failure && <p role="alert">{visible(failure.message)}</p>}
      {answer !== null && (
        <p className="vitrine-answer">{visible(isBlobRef(answer) ? (answer.preview ?? '') : answer)}</p>
      )}
    </article>
  );
}
