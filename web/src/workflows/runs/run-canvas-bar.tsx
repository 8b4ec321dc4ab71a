import { ArrowLeft, List, ListTree, Pencil, Workflow as WorkflowIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlatTree, RunStore } from '../../../../src/client/client.ts';
import { useRuns } from '../../../../src/react/react.ts';
import { isDry } from '../../../../src/run/dry-run.ts';
import { visible } from '../../../../src/run/visible.ts';
import type { RunGraph } from '../../../../src/wire/native/run-graph.ts';
import { Steering } from '../../chat/steering.tsx';
import { addressOf, Link } from '../../routing.tsx';
import { ConnectionPill } from '../../shell/connection-pill.tsx';
import { MenuButton } from '../../shell/shell.tsx';
import { StatusMark } from '../../steps/status-mark.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { GoOn } from './start-from-run.tsx';

interface RunCanvasBarProps {
  readonly run: RunStore;
  readonly found: RunGraph;
  readonly title: string;
  readonly tree: FlatTree;
  readonly at: number | undefined;
  readonly view: 'canvas' | 'list';
  readonly setView: (view: 'canvas' | 'list') => void;
}

/** What runs, how it stands, and what can be done about it. */
export function RunCanvasBar({ run, found, title, tree, at, view, setView }: RunCanvasBarProps): ReactNode {
  const t = useTexts();
  const w = useWorkflowTexts();
  const { runs } = useRuns();
  const working = runs.get(run.run);
  const { status } = tree;
  const isOver = status === 'completed' || status === 'failed' || status === 'stopped';
  return (
    <div className="bar">
      <MenuButton />
      <Link
        to={addressOf.workflow(found.name)}
        className="button ghost small square"
        aria-label={w.live.workflow}
      >
        <ArrowLeft className="icon" aria-hidden />
      </Link>
      <WhatRuns {...{ title, found, status }} isOnlyTried={isDry(working?.labels ?? {})} />
      <span className="grow" />
      <Views view={view} setView={setView} />
      <Link to={addressOf.run(run.run, undefined, at)} className="button small wide-only">
        <ListTree className="icon small" aria-hidden />
        {w.live.trace}
      </Link>
      <Link to={addressOf.workflow(found.name)} className="button small wide-only">
        <Pencil className="icon small" aria-hidden />
        {w.views.edit}
      </Link>
      {at !== undefined ? (
        <span className="pill replay" role="status" data-replay>
          <span className="dot" aria-hidden />
          {t.connection.replay(at, run.getSnapshot().head)}
        </span>
      ) : (
        <ConnectionPill run={run} />
      )}
      {status === 'failed' && at === undefined && <GoOn run={run.run} />}
      {working && !isOver && <Steering working={working} isHeld={at !== undefined} />}
    </div>
  );
}

function WhatRuns({
  title,
  found,
  status,
  isOnlyTried,
}: Pick<RunCanvasBarProps, 'title' | 'found'> &
  Pick<FlatTree, 'status'> & { readonly isOnlyTried: boolean }): ReactNode {
  const t = useTexts();
  const w = useWorkflowTexts();
  return (
    <>
      <h1 className="cut">{visible(title)}</h1>
      <span className="mono quiet cut wide-only">
        {found.name} {found.version === undefined ? w.live.draft : w.version(found.version)}
      </span>
      {found.tries !== undefined && (
        <span className="workflow-tag of-draft" data-tries={found.tries}>
          {w.live.tries(visible(found.tries))}
        </span>
      )}
      {found.from !== undefined && (
        <Link to={addressOf.runCanvas(found.from)} className="wide-only" data-goes-on-from={found.from}>
          {w.live.from}
        </Link>
      )}
      {isOnlyTried && (
        <span className="workflow-tag of-draft" title={w.run.dryHint} data-dry-run>
          {w.run.dry}
        </span>
      )}
      <span className={`state-word ${status}`} data-run-status={status}>
        <StatusMark status={status} />
        {t.status[status]}
      </span>
    </>
  );
}

function Views({ view, setView }: Pick<RunCanvasBarProps, 'view' | 'setView'>): ReactNode {
  const w = useWorkflowTexts();
  return (
    <div className="segments" role="group" aria-label={w.views.label}>
      {(['canvas', 'list'] as const).map((is) => (
        <button
          key={is}
          type="button"
          aria-pressed={view === is}
          onClick={() => setView(is)}
          data-view-as={is}
        >
          {is === 'canvas' ? (
            <WorkflowIcon className="icon small" aria-hidden />
          ) : (
            <List className="icon small" aria-hidden />
          )}
          <span className="view-name">{w.views[is]}</span>
        </button>
      ))}
    </div>
  );
}
