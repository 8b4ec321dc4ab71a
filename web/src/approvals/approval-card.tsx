import { Clock, Hand } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import { Approval } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { announce } from '../shell/announce.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useNow } from '../ticking.ts';
import { useDecidingKeys } from './deciding-keys.ts';
import { DecisionBar, type Deciding } from './decision-bar.tsx';
import { press } from './keys.ts';
import { QuestionContent } from './question-content.tsx';
import { useDraft } from './draft.ts';

/** A question where it stands in its run. Nothing in it is ever cut. */
export function ApprovalCard({ approval }: { readonly approval: FlatApproval }): ReactNode {
  const t = useTexts();
  const { id, title } = approval;
  useEffect(() => announce(t.announce.waiting(visible(title))), [id]);
  return (
    <Approval approval={approval}>{(question) => <Card approval={approval} question={question} />}</Approval>
  );
}

function Card({ approval, question }: Omit<Deciding, 'draft' | 'mode' | 'setMode' | 'isShown'>): ReactNode {
  const t = useTexts();
  const draft = useDraft(approval, question.whole);
  const [mode, setMode] = useState<Deciding['mode']>('look');
  const { title, expiresAt, id } = approval;
  const deciding = { approval, question, draft, mode, setMode, isShown: question.whole !== undefined };
  const { escape, ...keys } = useDecidingKeys(deciding);
  // Escape that leads nowhere from here is for the run.
  const own = mode === 'look' || !escape ? keys : { ...keys, escape };
  return (
    <section
      className="ask"
      aria-label={t.approval.label(visible(title))}
      data-approval={id}
      onKeyDown={(event) => press(own, event.nativeEvent)}
    >
      <header>
        <Hand className="icon" aria-hidden />
        {t.approval.title}
        {expiresAt !== undefined && (
          <span className="time num">
            <Clock className="icon small" aria-hidden />
            <TimeLeft until={expiresAt} />
          </span>
        )}
      </header>
      <div className="ask-content">
        <h3>{visible(title)}</h3>
        <QuestionContent approval={approval} question={question} draft={draft} mode={mode} />
        <DecisionBar {...deciding} />
      </div>
    </section>
  );
}

export function TimeLeft({ until }: { readonly until: number }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const now = useNow();
  return now >= until ? t.approval.expired : t.approval.left(format.countdown(until - now));
}
