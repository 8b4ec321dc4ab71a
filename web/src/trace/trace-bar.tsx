import { ArrowLeft, Check, Link2, MessageSquare } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { beginningOf } from '../chat/summary.ts';
import { addressOf, Link } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { useTexts } from '../texts/texts.ts';

/** A step of a run at a moment. */
export interface Shown {
  readonly run: string;
  readonly step: number;
  readonly at: number | undefined;
}

/** What is shown, and how it stands. */
export function TraceBar({
  run,
  place,
  title,
  status,
}: {
  readonly run: RunStore;
  readonly place: Shown;
  readonly title: string;
  readonly status: FlatTree['status'];
}): ReactNode {
  const t = useTexts();
  const conversation = useSource(run).head > 0 ? beginningOf(run.entries())?.conversation : undefined;
  return (
    <div className="bar">
      <MenuButton />
      <Link to={addressOf.runs()} className="button ghost small square" aria-label={t.trace.back}>
        <ArrowLeft className="icon" aria-hidden />
      </Link>
      <h1 className="cut">{visible(title)}</h1>
      <span className={`state-word ${status}`} data-run-status={status}>
        <StatusMark status={status} />
        {t.status[status]}
      </span>
      <span className="grow" />
      {conversation !== undefined && (
        <Link to={addressOf.chat(conversation)} className="button small wide-only">
          <MessageSquare className="icon small" aria-hidden />
          {t.inbox.inConversation}
        </Link>
      )}
      <CopyLink place={place} />
      {place.at === undefined ? (
        <ConnectionPill run={run} />
      ) : (
        <span className="pill replay" role="status" data-replay>
          <span className="dot" aria-hidden />
          {t.connection.replay(place.at, run.getSnapshot().head)}
        </span>
      )}
    </div>
  );
}

function CopyLink({ place: { run, step, at } }: { readonly place: Shown }): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(new URL(addressOf.run(run, step, at), location.origin).href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" className="button small wide-only" onClick={() => void copy()}>
      {isCopied ? <Check className="icon small" aria-hidden /> : <Link2 className="icon small" aria-hidden />}
      {isCopied ? t.chat.copied : t.trace.copyLink}
    </button>
  );
}
