import type { ReactNode } from 'react';
import type { FlatApproval } from '../client/client.ts';
import { exactLines, visible } from '../run/visible.ts';
import { useQuestion, type Question } from './use-question.ts';

/**
 * A question to a person. Nothing can be agreed to before all of it is there; what it looks like is up to `children`, or as
 * it is here.
 */
export function Approval({
  approval,
  children = (question) => <PlainQuestion approval={approval} question={question} />,
}: {
  readonly approval: FlatApproval;
  readonly children?: (question: Question) => ReactNode;
}): ReactNode {
  return children(useQuestion(approval));
}

function PlainQuestion({
  approval: { title, message, allowed },
  question: { whole, missing, isDeciding, refused, decide },
}: {
  readonly approval: FlatApproval;
  readonly question: Question;
}): ReactNode {
  return (
    <section className="vitrine-approval" aria-label={visible(title)}>
      <h3>{visible(title)}</h3>
      {message !== undefined && <p>{visible(message)}</p>}
      {whole?.exchange && <pre>{exactLines(whole.exchange).join('\n')}</pre>}
      {whole && whole.history.length > 0 && <pre>{exactLines(whole.history).join('\n')}</pre>}
      {whole?.arguments !== undefined && <pre>{exactLines(whole.arguments).join('\n')}</pre>}
      {whole && whole.attachments.length > 0 && <pre>{exactLines(whole.attachments).join('\n')}</pre>}
      {missing && (
        <p role="alert">It cannot be shown, so it cannot be approved here: {visible(missing.message)}</p>
      )}
      {refused && <p role="alert">{visible(refused.message)}</p>}
      {allowed.includes('approve') && (
        <button
          type="button"
          disabled={!whole || isDeciding}
          onClick={() => void decide({ decision: 'approve' })}
        >
          Approve
        </button>
      )}
      {allowed.includes('reject') && (
        <button type="button" disabled={isDeciding} onClick={() => void decide({ decision: 'reject' })}>
          Reject
        </button>
      )}
    </section>
  );
}
