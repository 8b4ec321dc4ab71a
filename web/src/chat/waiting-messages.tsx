import { Clock, RefreshCw, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';
import { queue, useQueue } from './queue.ts';
import type { Sending } from './use-sending.ts';

/** What did not work, and where it was a message, that message: nothing that was written is lost. */
export function Unsent({ sending: { problem, unsent } }: { readonly sending: Sending }): ReactNode {
  const t = useTexts();
  if (problem === undefined) return undefined;
  return (
    <article className="turn" data-unsent={unsent !== undefined}>
      {unsent && <p className="said queued">{visible(unsent.text)}</p>}
      <div className="fail run-failure" role="alert">
        <span className="grow">
          {t.chat.failedToStart} {visible(problem)}
        </span>
        {unsent && (
          <>
            <button type="button" className="button small" onClick={unsent.retry}>
              <RefreshCw className="icon small" aria-hidden />
              {t.chat.tryAgain}
            </button>
            <button type="button" className="button ghost small" onClick={unsent.takeBack}>
              {t.chat.takeBack}
            </button>
          </>
        )}
      </div>
    </article>
  );
}

/** What is sent when the run has ended. */
export function QueuedMessages({ sending: { line, unsent } }: { readonly sending: Sending }): ReactNode {
  const t = useTexts();
  const queued = useQueue(line).filter(({ key }) => key !== unsent?.key);
  return queued.map(({ key, text }) => (
    <article className="turn" key={key} data-queued={key}>
      <div className="said queued">
        <span className="label">
          <Clock className="icon small" aria-hidden />
          {t.chat.queued}
          <button
            type="button"
            className="button ghost small square"
            aria-label={t.chat.takeBack}
            onClick={() => queue.remove(line, key)}
          >
            <X className="icon small" aria-hidden />
          </button>
        </span>
        {visible(text)}
      </div>
    </article>
  ));
}
