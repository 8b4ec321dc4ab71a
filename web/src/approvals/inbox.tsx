import { Bell, BellRing, Clock, ExternalLink, Hourglass, Inbox as InboxIcon, Zap } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { AskedApproval, FlatStep } from '../../../src/client/client.ts';
import { Approval, useApprovals, useRun, useSource, type Question } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { isAway } from '../server.ts';
import { announce } from '../shell/announce.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { AgentMark } from '../steps/agent-mark.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { argumentWords } from '../steps/words.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';
import { Answered } from './answered.tsx';
import { TimeLeft } from './approval-card.tsx';
import { approve, DecisionBar, mayApprove, type Deciding } from './decision-bar.tsx';
import { useDraft } from './draft.ts';
import { useKeys } from './keys.ts';
import { QuestionContent } from './question-content.tsx';

/** All questions that wait, across runs. Everything here can be done with the keyboard. */
export function Inbox({ chosen }: { readonly chosen?: string | undefined }): ReactNode {
  const t = useTexts();
  const { is, approvals, failure } = useApprovals();
  useTitle(t.inbox.title);
  useNews(approvals);
  const waiting = approvals.filter(({ status }) => status === 'undecided');
  const putOff = approvals.filter(({ status }) => status === 'deferred');
  const ordered = [...waiting, ...putOff];
  const current = ordered.find(({ id }) => id === chosen) ?? ordered[0];
  const choose = useCallback((id: string) => navigate(addressOf.approvals(id), { replace: true }), []);
  const move = (by: number): void => {
    const at = ordered.findIndex(({ id }) => id === current?.id);
    const next = ordered[Math.min(ordered.length - 1, Math.max(0, at + by))];
    if (next) choose(next.id);
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const runs = new Set(approvals.map(({ run }) => run)).size;
  return (
    <main className="screen inbox" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{t.inbox.title}</h1>
        <span className="quiet cut">{is === 'ready' ? t.inbox.summary(approvals.length, runs) : ''}</span>
        <span className="grow" />
        <NotifyButton />
        <ConnectionPill />
      </div>
      <div className="inbox-columns">
        <div className="inbox-list" role="group" aria-label={t.inbox.title}>
          {is === 'refused' && <Failed failure={failure} />}
          <Listed title={t.inbox.waiting} approvals={waiting} current={current?.id} choose={choose} />
          <Listed title={t.inbox.putOff} approvals={putOff} current={current?.id} choose={choose} />
          <Answered />
        </div>
        <div className="detail" tabIndex={0} role="region" aria-label={t.inbox.waiting} data-detail>
          {is === 'loading' && <Bones />}
          {is === 'ready' && !current && (
            <Empty
              icon={<InboxIcon className="icon" aria-hidden />}
              title={t.inbox.emptyTitle}
              text={t.inbox.emptyText}
            />
          )}
          {current && (
            <Approval key={current.id} approval={current}>
              {(question) => <Detail approval={current} question={question} />}
            </Approval>
          )}
        </div>
      </div>
      <Keys />
    </main>
  );
}

function Listed({
  title,
  approvals,
  current,
  choose,
}: {
  readonly title: string;
  readonly approvals: readonly AskedApproval[];
  readonly current: string | undefined;
  readonly choose: (id: string) => void;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  if (approvals.length === 0) return undefined;
  return (
    <>
      <h2>{title}</h2>
      {approvals.map((one) => (
        <button
          key={one.id}
          type="button"
          className="inbox-item"
          aria-current={one.id === current}
          onClick={() => choose(one.id)}
          data-listed={one.id}
        >
          {one.status === 'deferred' ? (
            <Clock className="icon" aria-hidden />
          ) : (
            <StatusMark status="waiting" />
          )}
          <b className="cut">{visible(one.title)}</b>
          <span className={one.expiresAt === undefined ? 'time num' : 'time num soon'}>
            {one.expiresAt === undefined ? (
              format.since(one.requestedAt, now)
            ) : (
              <TimeLeft until={one.expiresAt} />
            )}
          </span>
          <span className="about cut">{argumentWords(one.arguments as never) || visible(one.request)}</span>
          <span className="unseen">{t.status.waiting}</span>
        </button>
      ))}
    </>
  );
}

/** One question, whole: who asks, what, why, and what to make of it. */
function Detail({
  approval,
  question,
}: {
  readonly approval: AskedApproval;
  readonly question: Question;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  const away = useSource(isAway);
  const draft = useDraft(approval, question.whole);
  const [mode, setMode] = useState<Deciding['mode']>('look');
  const [end, isShown] = useShown(question.whole !== undefined);
  const deciding: Deciding = { approval, question, draft, mode, setMode, isShown };
  const agree = (): void => {
    if (away) return;
    if (mayApprove(deciding)) void approve(deciding);
    else if (!isShown) announce(t.inbox.notShown);
  };
  const { allowed } = approval;
  useKeys({
    a: () => mode === 'look' && agree(),
    e: () => allowed.includes('edit') && question.whole?.arguments !== undefined && setMode('edit'),
    r: () => allowed.includes('reject') && setMode('reject'),
    v: () => navigate(addressOf.run(approval.run, approval.step)),
    escape: () => setMode('look'),
    'mod+enter': () => mode === 'edit' && agree(),
  });
  return (
    <article aria-label={t.approval.label(visible(approval.title))} data-approval={approval.id}>
      <Path approval={approval} />
      <h2>{visible(approval.title)}</h2>
      <p className="facts">
        <span>
          <Clock className="icon small" aria-hidden />
          {t.inbox.asked(format.duration(Math.max(1_000, now - approval.requestedAt)))}
        </span>
        {approval.expiresAt !== undefined && (
          <span className="num text-waiting">
            <Hourglass className="icon small" aria-hidden />
            <TimeLeft until={approval.expiresAt} />
          </span>
        )}
        <Link to={addressOf.stepInChat(approval.conversation, approval.run, approval.step)}>
          <ExternalLink className="icon small" aria-hidden />
          {t.inbox.inConversation}
        </Link>
      </p>
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
function useShown(isWhole: boolean): [React.RefObject<HTMLDivElement | null>, boolean] {
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

/** Says that a new question has come, here and where the system shows such things. */
function useNews(approvals: readonly AskedApproval[]): void {
  const t = useTexts();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    const fresh =
      known.current === undefined ? [] : approvals.filter(({ id }) => known.current?.has(id) !== true);
    if (approvals.length > 0 || known.current) known.current = new Set(approvals.map(({ id }) => id));
    for (const { title } of fresh) {
      announce(t.inbox.newOne(visible(title)));
      if ('Notification' in window && Notification.permission === 'granted' && document.hidden)
        new Notification('Vitrine', { body: t.inbox.newOne(visible(title)) });
    }
  }, [approvals, t]);
}

function NotifyButton(): ReactNode {
  const t = useTexts();
  const isThere = 'Notification' in window;
  const [permission, setPermission] = useState(isThere ? Notification.permission : 'denied');
  if (permission === 'denied') return undefined;
  if (permission === 'granted')
    return (
      <span className="quiet inline-flex items-center gap-[6px]">
        <BellRing className="icon small" aria-hidden />
        {t.inbox.notified}
      </span>
    );
  return (
    <button
      type="button"
      className="button ghost small"
      onClick={() => void Notification.requestPermission().then(setPermission)}
    >
      <Bell className="icon small" aria-hidden />
      {t.inbox.notify}
    </button>
  );
}

function Keys(): ReactNode {
  const t = useTexts();
  const { keys } = t.inbox;
  const shown = [
    ['J', 'K', keys.move],
    ['A', '', keys.approve],
    ['E', '', keys.edit],
    ['R', '', keys.reject],
    ['V', '', keys.trace],
  ] as const;
  return (
    <footer className="keys" aria-label={t.inbox.keysLabel}>
      {shown.map(([one, other, does]) => (
        <span key={one}>
          <kbd>{one}</kbd>
          {other !== '' && <kbd>{other}</kbd>}
          {does}
        </span>
      ))}
      <span className="ml-auto">
        <Zap className="icon small" aria-hidden />
        {t.inbox.onceShown}
      </span>
    </footer>
  );
}
