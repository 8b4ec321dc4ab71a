import './workflows.css';
import { useMemo, useState, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import type { Problem } from '../../../src/graph/problem.ts';
import { CanvasContext, type CanvasView } from '../canvas/canvas-context.ts';
import { GraphCanvas } from '../canvas/graph-canvas.tsx';
import { GraphList } from '../canvas/graph-list.tsx';
import { drawable } from '../canvas/model/draft.ts';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { Conflict } from '../editing/conflict.tsx';
import { useEditKeys } from '../editing/use-edit-keys.ts';
import { Bones, Failed } from '../shell/states.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { useTitle } from '../shell/title.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { addAfter, canvasEdits, placeOfProblem, useDesk, type Desk } from './desk.ts';
import { Inspector, type Sought } from './inspector.tsx';
import { Palette } from './palette.tsx';
import { ProblemList } from './problem-list.tsx';
import { useLastRun } from './use-last-run.ts';
import { useWorkflow, type Loaded } from './use-workflow.ts';
import { WorkflowBar, type View } from './workflow-bar.tsx';
import { YamlField } from './yaml-field.tsx';

/** One workflow: drawn, written, listed, published and run. */
export function Workflow({
  name,
  view,
}: {
  readonly name: string;
  readonly view?: string | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const [loading, again] = useWorkflow(name);
  if (loading.is === 'ready') {
    const graph = drawable(loading.loaded.definition);
    if (graph) return <Opened loaded={loading.loaded} graph={graph} view={viewOf(view)} />;
  }
  const isMissing = loading.is === 'failed' && loading.failure?.code === 'unknown';
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{name}</h1>
      </div>
      {loading.is === 'loading' && <Bones />}
      {loading.is === 'failed' && (
        <div className="p-6">
          <Failed failure={loading.failure} {...(isMissing ? { title: w.notThere } : { retry: again })} />
        </div>
      )}
      {loading.is === 'ready' && <p className="p-6">{w.notDrawable}</p>}
    </main>
  );
}

function viewOf(said: string | undefined): View {
  return said === 'yaml' || said === 'list' ? said : 'canvas';
}

interface OpenedProps {
  readonly loaded: Loaded;
  readonly graph: DraftGraph;
  readonly view: View;
}

function Opened({ loaded, graph, view }: OpenedProps): ReactNode {
  const last = useLastRun(loaded.name);
  const desk = useDesk(loaded, graph, last);
  const { edited, keeper, problems, marked } = desk;
  const saving = useSource(keeper);
  const [sought, setSought] = useState<Sought>();
  useTitle(edited.draft.title ?? loaded.name);
  useEditKeys(loaded.isReadOnly ? undefined : desk.editing);
  const canvas = useMemo(
    (): CanvasView => ({
      isEditable: !loaded.isReadOnly,
      live: undefined,
      hasProblem: marked.of,
      openInPlace: undefined,
    }),
    [loaded.isReadOnly, marked],
  );
  const goTo = (problem: Problem): void => {
    const { path, field } = placeOfProblem(edited.draft, problem);
    desk.choose(path);
    setSought({ field });
  };
  return (
    <main className="screen workflow" id="main" data-workflow={loaded.name} data-saving={saving.is}>
      <WorkflowBar desk={desk} loaded={loaded} view={view} saving={saving} />
      {saving.is === 'conflict' && (
        <Conflict saving={saving} keeper={keeper} draftIn={({ graph: theirs }) => drawable(theirs)} />
      )}
      <CanvasContext value={canvas}>
        <div className="workflow-columns" data-view={view}>
          {!loaded.isReadOnly && view !== 'yaml' && <Palette add={(type) => addAfter(desk, type)} />}
          <Middle desk={desk} loaded={loaded} view={view} />
          {view !== 'yaml' && <Inspector desk={desk} isReadOnly={loaded.isReadOnly} sought={sought} />}
        </div>
      </CanvasContext>
      <ProblemList graph={edited.draft} problems={problems} goTo={goTo} />
    </main>
  );
}

const noQuestions: readonly never[] = [];

function Middle({
  desk,
  loaded,
  view,
}: {
  readonly desk: Desk;
  readonly loaded: Loaded;
  readonly view: View;
}): ReactNode {
  const { edited, placed, chosen, choose, editing } = desk;
  if (view === 'yaml') {
    const write = (graph: DraftGraph): void => editing.edit(() => graph, 'yaml');
    return <YamlField graph={edited.draft} write={loaded.isReadOnly ? undefined : write} />;
  }
  if (view === 'list')
    return <GraphList part={edited.draft} chosen={chosen} choose={choose} questions={noQuestions} />;
  if (!placed) return <Bones />;
  const edits = loaded.isReadOnly ? undefined : canvasEdits(desk);
  return <GraphCanvas {...{ placed, chosen, choose, edits }} name={edited.draft.title ?? loaded.name} />;
}
