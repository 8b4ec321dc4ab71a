import { Plus } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { ListedConversation } from '../../../src/wire/native/conversations.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';

type Listed = Pick<ListedConversation, 'conversation' | 'title' | 'status' | 'updatedAt'>;

/** Conversations, the one with the newest run first. */
export function ConversationList({ current }: { readonly current?: string | undefined }): ReactNode {
  const t = useTexts();
  const now = useMinute();
  const format = formatIn(useLanguage());
  const { listed, more } = useConversations();
  return (
    <nav className="conversations" aria-label={t.conversations.title}>
      <div className="label">
        {t.conversations.title}
        <Link to={addressOf.chat()} className="button ghost small square" aria-label={t.conversations.new}>
          <Plus className="icon" aria-hidden />
        </Link>
      </div>
      {listed.length === 0 && <p className="quiet px-2 text-[12px]">{t.conversations.empty}</p>}
      {listed.map(({ conversation, title, status, updatedAt }) => (
        <Link
          key={conversation}
          to={addressOf.chat(conversation)}
          className={status}
          aria-current={conversation === current ? 'page' : undefined}
        >
          <StatusMark status={status} />
          <span className="unseen">{t.status[status]}:</span>
          <span className="cut">{visible(title)}</span>
          <time dateTime={new Date(updatedAt).toISOString()}>{format.since(updatedAt, now)}</time>
        </Link>
      ))}
      {more && (
        <button type="button" className="button ghost small" onClick={more}>
          {t.conversations.older}
        </button>
      )}
    </nav>
  );
}

interface Conversations {
  readonly listed: readonly Listed[];
  /** Asks for older ones, where there are some. */
  readonly more: (() => void) | undefined;
}

/** What was listed, under what has changed since. */
function useConversations(): Conversations {
  const client = useVitrine();
  const { runs } = useRuns();
  const [older, setOlder] = useState<readonly Listed[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const ask = useCallback(
    (after?: string): void => {
      client.conversations({ limit: 100, ...(after === undefined ? {} : { after }) }).then(
        (page) => {
          setOlder((before) => [...(after === undefined ? [] : before), ...page.conversations]);
          setNext(page.next);
        },
        // What is shown already stays, and can be asked for again.
        () => {},
      );
    },
    [client],
  );
  useEffect(() => ask(), [ask]);
  const listed = useMemo(() => {
    const newest = new Map<string, Listed & { readonly createdAt: number }>();
    for (const run of runs.values())
      if (run.createdAt >= (newest.get(run.conversation)?.createdAt ?? 0)) newest.set(run.conversation, run);
    const rest = older.filter(({ conversation }) => !newest.has(conversation));
    return [...newest.values(), ...rest].toSorted((one, other) => other.updatedAt - one.updatedAt);
  }, [runs, older]);
  return { listed, more: next === null ? undefined : () => ask(next) };
}
