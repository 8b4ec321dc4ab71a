import { ArrowLeft, Check, Download, Link2, MessageSquare, Workflow } from 'lucide-react';
import { useContext, useState, type ReactNode } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { pathTo } from '../../../src/wire/native/endpoint.ts';
import { exportRun } from '../../../src/wire/native/runs.ts';
import { beginningOf } from '../chat/summary.ts';
import { workflowOfApp } from '../../../src/run/values.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { server } from '../server.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { RecordedContext, type Recorded } from './recorded.ts';

/** A step of a run at a moment. */
interface Shown {
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
  const recorded = useContext(RecordedContext);
  return (
    <div className="bar">
      {!recorded && <WayBack />}
      <h1 className="cut">{visible(title)}</h1>
      <span className={`state-word ${status}`} data-run-status={status}>
        <StatusMark status={status} />
        {t.status[status]}
      </span>
      <span className="grow" />
      {!recorded && <WaysOn run={run} place={place} />}
      {place.at !== undefined ? (
        <span className="pill replay" role="status" data-replay>
          <span className="dot" aria-hidden />
          {t.connection.replay(place.at, run.getSnapshot().head)}
        </span>
      ) : recorded ? (
        <RecordedPill recorded={recorded} />
      ) : (
        <ConnectionPill run={run} />
      )}
    </div>
  );
}

export function WayBack(): ReactNode {
  const t = useTexts();
  return (
    <>
      <MenuButton />
      <Link to={addressOf.runs()} className="button ghost small square" aria-label={t.trace.back}>
        <ArrowLeft className="icon" aria-hidden />
      </Link>
    </>
  );
}

/** To the conversation, to somebody else, to a file. */
function WaysOn({ run, place }: { readonly run: RunStore; readonly place: Shown }): ReactNode {
  const t = useTexts();
  const { conversation, app = '' } = (useSource(run).head > 0 && beginningOf(run.entries())) || {};
  return (
    <>
      {conversation !== undefined && (
        <Link to={addressOf.chat(conversation)} className="button small wide-only">
          <MessageSquare className="icon small" aria-hidden />
          {t.inbox.inConversation}
        </Link>
      )}
      {workflowOfApp(app) !== undefined && (
        <Link to={addressOf.runCanvas(place.run, place.at)} className="button small wide-only" data-to-canvas>
          <Workflow className="icon small" aria-hidden />
          {t.trace.canvas}
        </Link>
      )}
      <CopyLink place={place} />
      <a
        className="button small wide-only"
        href={server.url + pathTo(exportRun, { run: place.run })}
        download
        data-export
      >
        <Download className="icon small" aria-hidden />
        {t.trace.exportRun}
      </a>
    </>
  );
}

/** What is shown is a file: as of when, and what of the run it has. */
function RecordedPill({ recorded: { exportedAt, damaged } }: { readonly recorded: Recorded }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  return (
    <span className="pill replay" role="status" data-recorded>
      <span className="dot" aria-hidden />
      {t.trace.exportedAt(format.dateTime(exportedAt))}
      {damaged === undefined ? '' : ` · ${t.run.damaged(damaged)}`}
    </span>
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
