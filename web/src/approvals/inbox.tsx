import { Bell, BellRing, Clock, Inbox as InboxIcon, Zap } from 'lucide-react';
import { useCallback, useState, type ReactNode } from 'react';
import type { AskedApproval } from '../../../src/client/client.ts';
import { Approval, useApprovals } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { addressOf, navigate } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { argumentWords } from '../steps/words.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';
import { Answered } from './answered.tsx';
import { TimeLeft } from './approval-card.tsx';
import { Detail } from './inbox-detail.tsx';
import { useKeys } from './keys.ts';

/** All questions that wait, across runs. Everything here can be done with the keyboard. */
export function Inbox({ chosen }: { readonly chosen?: string | undefined }): ReactNode {
  const t = useTexts();
  const { is, approvals, failure } = useApprovals();
  useTitle(t.inbox.title);
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
      <InboxBar summary={is === 'ready' ? t.inbox.summary(approvals.length, runs) : ''} />
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

function InboxBar({ summary }: { readonly summary: string }): ReactNode {
  const t = useTexts();
  return (
    <div className="bar">
      <MenuButton />
      <h1>{t.inbox.title}</h1>
      <span className="quiet cut">{summary}</span>
      <span className="grow" />
      <NotifyButton />
      <ConnectionPill />
    </div>
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
