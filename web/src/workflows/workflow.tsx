import './workflows.css';
import './sides/sides.css';
import { useMemo, useState, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import type { Problem } from '../../../src/graph/problem.ts';
import { CanvasContext, type CanvasView } from '../canvas/canvas-context.ts';
import type { Json } from '../../../src/run/values.ts';
import { drawable } from '../canvas/model/draft.ts';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { Conflict } from '../editing/conflict.tsx';
import { LeaveDialog } from '../editing/leave-dialog.tsx';
import { useEditKeys } from '../editing/use-edit-keys.ts';
import { addressOf, navigate } from '../routing.tsx';
import { Bones, Failed } from '../shell/states.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { useTitle } from '../shell/title.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { addAfter, placeOfProblem, useDesk, type Desk } from './desk.ts';
import { Inspector, type Sought } from './inspector.tsx';
import { fragmentOf, lookingAt, type Looking, type View } from './looking.ts';
import { Palette } from './palette.tsx';
import { ProblemList } from './problem-list.tsx';
import { Schedules } from './sides/schedules.tsx';
import { useLastRun } from './runs/use-last-run.ts';
import { useWorkflow, type Loaded } from './use-workflow.ts';
import { VersionStage } from './sides/version-stage.tsx';
import { Versions } from './sides/versions.tsx';
import { WorkflowBar } from './workflow-bar.tsx';
import { Middle } from './workflow-middle.tsx';

/** One workflow: drawn, written, listed, published and run. */
export function Workflow({
  name,
  view,
}: {
  readonly name: string;
  readonly view?: string | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const { value: loaded, failure, again } = useWorkflow(name);
  const graph = useMemo(() => loaded && drawable(loaded.definition), [loaded]);
  if (loaded && graph) return <Opened loaded={loaded} graph={graph} looking={lookingAt(view)} />;
  const isMissing = failure?.code === 'unknown';
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{name}</h1>
      </div>
      {!loaded && !failure && <Bones />}
      {failure && (
        <div className="p-6">
          <Failed failure={failure} {...(isMissing ? { title: w.notThere } : { retry: again })} />
        </div>
      )}
      {loaded && <p className="p-6">{w.notDrawable}</p>}
    </main>
  );
}

const draftIn = ({ graph }: { readonly graph: Json }): DraftGraph | undefined => drawable(graph);

interface OpenedProps {
  readonly loaded: Loaded;
  readonly graph: DraftGraph;
  readonly looking: Looking;
}

function Opened({ loaded, graph, looking }: OpenedProps): ReactNode {
  const { name, isReadOnly } = loaded;
  const { view } = looking;
  const last = useLastRun(name);
  const desk = useDesk(loaded, graph, last);
  const { edited, editing, keeper, problems } = desk;
  const saving = useSource(keeper);
  const [version, setVersion] = useState(loaded.version);
  const [sought, setSought] = useState<Sought>();
  const isOld = looking.version !== undefined;
  useTitle(edited.draft.title ?? name);
  useEditKeys(isReadOnly || isOld ? undefined : editing);
  const goTo = (problem: Problem): void => {
    const { path, field } = placeOfProblem(edited.draft, problem);
    desk.choose(path);
    const side = problem.field.startsWith('schedules.') ? 'schedules' : undefined;
    if (side !== looking.side)
      navigate(addressOf.workflow(name, fragmentOf({ view, side })), { replace: true });
    setSought({ field });
  };
  const take = (taken: DraftGraph): void => {
    editing.edit(() => ({ ...taken, name }));
    navigate(addressOf.workflow(name, fragmentOf({ view, side: 'versions' })));
  };
  return (
    <main className="screen workflow" id="main" data-workflow={name} data-saving={saving.is}>
      <WorkflowBar {...{ desk, loaded, looking, saving, version, setVersion }} />
      {saving.is === 'conflict' && <Conflict {...{ saving, keeper, draftIn }} />}
      <LeaveDialog keeper={keeper} />
      <div className="workflow-columns" data-view={view}>
        {isOld ? (
          <VersionStage
            {...{ loaded, view, version: looking.version }}
            take={isReadOnly ? undefined : take}
          />
        ) : (
          <DraftStage {...{ desk, loaded, view }} />
        )}
        {view !== 'yaml' && looking.side === undefined && (
          <Inspector {...{ desk, isReadOnly, sought }} tried={{ name, save: () => keeper.flush() }} />
        )}
        {looking.side === 'versions' && (
          <Versions {...{ name, looking, isReadOnly }} stamp={`${saving.revision} ${version}`} />
        )}
        {looking.side === 'schedules' && <Schedules {...{ desk, name, view, isReadOnly, version }} />}
      </div>
      {!isOld && <ProblemList edited={edited} problems={problems} goTo={goTo} />}
    </main>
  );
}

/** What is worked on, with what can be added to it. */
function DraftStage({
  desk,
  loaded: { name, isReadOnly },
  view,
}: {
  readonly desk: Desk;
  readonly loaded: Loaded;
  readonly view: View;
}): ReactNode {
  const { marked } = desk;
  const canvas = useMemo(
    (): CanvasView => ({
      isEditable: !isReadOnly,
      live: undefined,
      hasProblem: marked.of,
      openInPlace: undefined,
    }),
    [isReadOnly, marked],
  );
  return (
    <CanvasContext value={canvas}>
      {!isReadOnly && view !== 'yaml' && <Palette add={(type) => addAfter(desk, type)} />}
      <Middle {...{ desk, name, view, isReadOnly }} />
    </CanvasContext>
  );
}
