import type { ReactNode } from 'react';
import type { ListedRun } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { AgentMark } from '../steps/agent-mark.tsx';
import { Elapsed } from '../steps/elapsed.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';

/** The most agents that are shown by their squares. */
const most = 6;

/** A run in a list: how it stands, what was asked, who worked, how long. */
export function RunLine({
  listed,
  children,
}: {
  readonly listed: ListedRun;
  readonly children?: ReactNode;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  const { run, title, status, createdAt, updatedAt, duration, tokens } = listed;
  const isOver = status === 'completed' || status === 'failed' || status === 'stopped';
  return (
    <Link to={addressOf.run(run)} className="list-line run-line" data-listed-run={run} data-status={status}>
      <StatusMark status={status} />
      <span className="run-what">
        <span className="unseen">{t.status[status]}:</span>
        <b className="cut">{visible(title)}</b>
      </span>
      <span className="run-took num">
        <Elapsed from={createdAt} to={isOver ? createdAt + (duration ?? updatedAt - createdAt) : undefined} />
      </span>
      <More listed={listed} />
      <span className="run-when num">
        {tokens && (
          <span className="wide-only">{t.runList.tokens(format.short(tokens.input + tokens.output))}</span>
        )}
        {tokens?.cost !== undefined && (
          <span className="wide-only" title={t.trace.cost} data-cost>
            {format.cost(tokens.cost)}
          </span>
        )}
        <time dateTime={new Date(createdAt).toISOString()}>{format.since(createdAt, now)}</time>
      </span>
      {children}
    </Link>
  );
}

function More({ listed }: { readonly listed: ListedRun }): ReactNode {
  const t = useTexts();
  const { status, tools = [], labels = {}, stranded, damaged } = listed;
  return (
    <span className="run-more">
      <Agents listed={listed} />
      {status !== 'completed' && <span className={`state-word ${status}`}>{t.status[status]}</span>}
      {tools.length > 0 && <span className="mono cut">{tools.map(visible).join(', ')}</span>}
      {Object.entries(labels).map(([name, value]) => (
        <span key={name} className="run-label">{`${visible(name)}=${visible(value)}`}</span>
      ))}
      {stranded !== undefined && <span className="run-bad">{visible(stranded)}</span>}
      {damaged !== undefined && <span className="run-bad">{t.run.damaged(damaged)}</span>}
    </span>
  );
}

function Agents({ listed: { agents = [], app } }: { readonly listed: ListedRun }): ReactNode {
  return (
    <>
      <span className="agents">
        {agents.slice(0, most).map((agent) => (
          <span key={agent} title={visible(agent)}>
            <AgentMark agent={agent} title={agent} />
            <span className="unseen">{visible(agent)}</span>
          </span>
        ))}
      </span>
      <span className="quiet">{visible(app)}</span>
    </>
  );
}
