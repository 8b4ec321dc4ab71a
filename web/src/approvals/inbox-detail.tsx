import { Clock, ExternalLink, Hourglass } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { AskedApproval, FlatStep } from '../../../src/client/client.ts';
import { useRun, useSource, type Question } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { AgentMark } from '../steps/agent-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { TimeLeft } from './approval-card.tsx';
import { DecisionBar, type Deciding } from './decision-bar.tsx';
import { useDecidingKeys } from './deciding-keys.ts';
import { useDraft } from './draft.ts';
import { useKeys } from './keys.ts';
import { QuestionContent } from './question-content.tsx';

interface DetailProps {
  readonly approval: AskedApproval;
  readonly question: Question;
}

/** One question, whole: who asks, what, why, and what to make of it. */
export function Detail({ approval, question }: DetailProps): ReactNode {
  const t = useTexts();
  const draft = useDraft(approval, question.whole);
  const [mode, setMode] = useState<Deciding['mode']>('look');
  const [end, isShown] = useShown(question.whole !== undefined);
  const deciding: Deciding = { approval, question, draft, mode, setMode, isShown };
  const { run, step } = approval;
  useKeys({ ...useDecidingKeys(deciding), v: () => navigate(addressOf.run(run, step)) });
  return (
    <article aria-label={t.approval.label(visible(approval.title))} data-approval={approval.id}>
      <Path approval={approval} />
      <h2>{visible(approval.title)}</h2>
      <Asked approval={approval} />
      <div className="body">
        <p className="quiet">{visible(approval.request)}</p>
        <h3 className="label">
          {t.approval.whatIsSent} {mode === 'edit' && `· ${t.approval.editing}`}
        </h3>
        <QuestionContent approval={approval} question={question} draft={draft} mode={mode} />
        <div ref={end} />
        <DecisionBar {...deciding} isShown={question.whole !== undefined} />
      </div>
    </article>
  );
}

/** Since when it waits, until when, and where it stands. */
function Asked({ approval }: Pick<DetailProps, 'approval'>): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const { requestedAt, expiresAt, conversation, run, step } = approval;
  return (
    <p className="facts">
      <span>
        <Clock className="icon small" aria-hidden />
        {t.inbox.asked(format.dateTime(requestedAt))}
      </span>
      {expiresAt !== undefined && (
        <span className="num text-waiting">
          <Hourglass className="icon small" aria-hidden />
          <TimeLeft until={expiresAt} />
        </span>
      )}
      <Link to={addressOf.stepInChat(conversation, run, step)}>
        <ExternalLink className="icon small" aria-hidden />
        {t.inbox.inConversation}
      </Link>
    </p>
  );
}

/** Who asks: from the run down to the step. */
function Path({ approval: { run: name, step } }: { readonly approval: AskedApproval }): ReactNode {
  const run = useRun(name);
  const { tree } = useSource(run);
  const path = useMemo(() => {
    const above: FlatStep[] = [];
    for (
      let at = tree.steps.find(({ id }) => id === step);
      at;
      at = tree.steps.find(({ id }) => id === at?.parent)
    )
      if (at.title !== above[0]?.title) above.unshift(at);
    return above;
  }, [tree, step]);
  return (
    <p className="path">
      {path.map(({ id, agent, title }, i) => (
        <span key={id} className="inline-flex items-center gap-[6px]">
          {i > 0 && <span aria-hidden>›</span>}
          {agent !== undefined && <AgentMark agent={agent} title={title} />}
          {visible(title)}
        </span>
      ))}
    </p>
  );
}

/** Whether the end of it was on the screen since all of it is there. */
function useShown(isWhole: boolean): [RefObject<HTMLDivElement | null>, boolean] {
  const end = useRef<HTMLDivElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const { current } = end;
    if (!isWhole || !current) return undefined;
    const looking = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setShown(true));
    looking.observe(current);
    return () => looking.disconnect();
  }, [isWhole]);
  return [end, isShown];
}
