import '../../trace/trace.css';
import '../workflows.css';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { FlatApproval, RunStore, Showing } from '../../../../src/client/client.ts';
import { useRun, useVitrine } from '../../../../src/react/react.ts';
import type { RunGraph } from '../../../../src/wire/native/run-graph.ts';
import { CanvasContext, type CanvasView } from '../../canvas/canvas-context.ts';
import { GraphCanvas } from '../../canvas/graph-canvas.tsx';
import { GraphList } from '../../canvas/graph-list.tsx';
import { LiveStates } from '../../canvas/live-states.ts';
import { MarkedPaths } from '../../canvas/marked-paths.ts';
import { drawable } from '../../canvas/model/draft.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import type { NodePath } from '../../canvas/model/node-path.ts';
import { useLayout } from '../../canvas/use-layout.ts';
import { addressOf, navigate } from '../../routing.tsx';
import { MenuButton } from '../../shell/shell.tsx';
import { Bones, Failed } from '../../shell/states.tsx';
import { useTitle } from '../../shell/title.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { MomentContext } from '../../steps/elapsed.tsx';
import { momentOf } from '../../trace/playhead.ts';
import { Scrubber } from '../../trace/scrubber.tsx';
import { timingOf } from '../../trace/timing.ts';
import { useNarrow } from '../../use-narrow.ts';
import { useMoment, useReplay } from '../../trace/use-replay.ts';
import { useAsked } from '../../use-asked.ts';
import { Legend } from '../legend.tsx';
import { NodeInRun } from './node-in-run.tsx';
import { RunCanvasBar } from './run-canvas-bar.tsx';
import { useOpened } from '../use-opened.ts';

/** All that was recorded, whatever the app prefers to show in the chat. */
const everything: Showing = { stages: 'nested', names: '*', depth: '*' };

/** A run on its graph, as it goes on or as it was at any moment. */
export function RunCanvas({
  run: name,
  at,
}: {
  readonly run: string;
  readonly at?: number | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const run = useRun(name, everything);
  const { value: found, failure } = useAsked(() => client.workflows.graphOf(name), [client, name]);
  const graph = useMemo(() => (found ? drawable(found.graph) : undefined), [found]);
  if (found && graph) return <Shown run={run} found={found} graph={graph} at={at} />;
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{w.views.live}</h1>
      </div>
      {failure ? (
        <div className="p-6">
          <Failed failure={failure} title={w.live.noGraph} />
        </div>
      ) : (
        <Bones />
      )}
    </main>
  );
}

interface ShownProps {
  readonly run: RunStore;
  readonly found: RunGraph;
  readonly graph: DraftGraph;
  readonly at: number | undefined;
}

function Shown({ run, found, graph: recorded, at: sought }: ShownProps): ReactNode {
  const { tree, head, at } = useMoment(run);
  const replay = useReplay(run);
  const [view, setView] = useState<'canvas' | 'list'>(useNarrow('column') ? 'list' : 'canvas');
  const [chosen, choose] = useState<NodePath>();
  const states = useStates(run);
  const { graph, openInPlace } = useOpened(recorded, states);
  const canvas = useMemo(
    (): CanvasView => ({ isEditable: false, live: states, hasProblem: nothing.of, openInPlace }),
    [states, openInPlace],
  );
  const questions = useQuestions(states, tree.approvals, at === undefined && tree.endedAt === undefined);
  useMomentInAddress(run, { sought, at });
  useTitle(graph.title ?? found.name);
  return (
    <main
      className="screen workflow live"
      id="main"
      data-run-canvas={run.run}
      data-still={at !== undefined && !replay.isPlaying}
    >
      <RunCanvasBar {...{ run, found, tree, at, view, setView }} title={graph.title ?? found.name} />
      <CanvasContext value={canvas}>
        <MomentContext value={momentOf(run.entries(), at)}>
          <div className="workflow-columns" data-view={view}>
            {view === 'list' ? (
              <GraphList part={graph} chosen={chosen} choose={choose} questions={questions} />
            ) : (
              <Drawn {...{ graph, chosen, choose, questions }} name={graph.title ?? found.name} />
            )}
            {chosen !== undefined && (
              <NodeInRun graph={graph} path={chosen} run={run.run} close={() => choose(undefined)} />
            )}
          </div>
        </MomentContext>
      </CanvasContext>
      <Scrubber {...{ run, head, at, replay }} timing={timingOf(run)} />
    </main>
  );
}

const nothing = new MarkedPaths();

function Drawn({
  graph,
  ...rest
}: Omit<Parameters<typeof GraphCanvas>[0], 'placed'> & { readonly graph: DraftGraph }): ReactNode {
  const placed = useLayout(graph);
  if (!placed) return <Bones />;
  return (
    <div className="live-stage">
      <GraphCanvas {...rest} placed={placed} />
      <Legend />
    </div>
  );
}

function useStates(run: RunStore): LiveStates {
  const [states] = useState(() => new LiveStates(run));
  useEffect(() => states.follow(), [states]);
  return states;
}

/** Questions that wait, at the nodes that ask them; the same list as long as they are the same. */
function useQuestions(
  states: LiveStates,
  approvals: readonly FlatApproval[],
  isNow: boolean,
): readonly { readonly path: NodePath; readonly approval: FlatApproval }[] {
  const asked = isNow
    ? [...states.states].flatMap(([path, { approvals: asking }]) =>
        approvals.filter(({ id }) => asking.includes(id)).map((approval) => ({ path, approval })),
      )
    : [];
  const [last, setLast] = useState(asked);
  const isSame =
    asked.length === last.length &&
    asked.every(({ path, approval }, i) => last[i]?.path === path && last[i]?.approval === approval);
  useEffect(() => {
    if (!isSame) setLast(asked);
  });
  return isSame ? last : asked;
}

/** Whoever comes by a link to a moment is shown that one; the address says which is shown, once it stands still. */
function useMomentInAddress(
  run: RunStore,
  { sought, at }: { readonly sought: number | undefined; readonly at: number | undefined },
): void {
  useEffect(() => {
    if (sought !== undefined && sought !== run.getSnapshot().at) run.seek(sought);
  }, [run, sought]);
  const write = useCallback(() => {
    const there = addressOf.runCanvas(run.run, run.getSnapshot().at);
    if (location.pathname + location.hash !== there) navigate(there, { replace: true });
  }, [run]);
  useEffect(() => {
    if (at === undefined && sought !== undefined) return undefined;
    const waiting = setTimeout(write, 300);
    return () => clearTimeout(waiting);
  }, [at, write]);
}
