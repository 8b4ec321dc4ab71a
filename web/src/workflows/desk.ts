import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { Context } from '../../../src/graph/expression.ts';
import type { Known } from '../../../src/graph/place.ts';
import type { Problem } from '../../../src/graph/problem.ts';
import { problemsIn } from '../../../src/graph/validate.ts';
import { useSource, useVitrine } from '../../../src/react/react.ts';
import type { WorkflowDraft } from '../../../src/wire/native/workflows.ts';
import type { CanvasEdits } from '../canvas/canvas-edits.ts';
import { MarkedPaths } from '../canvas/marked-paths.ts';
import { portsIn } from '../canvas/model/draft.ts';
import { jsonOfDraft, type DraftGraph, type NodeType, type Position } from '../canvas/model/draft-graph.ts';
import * as edits from '../canvas/model/edits.ts';
import type { Layout } from '../canvas/model/layout.ts';
import {
  nodeAt,
  nodePath,
  partAt,
  partOf,
  pathNamed,
  type NodePath,
  type PartPath,
} from '../canvas/model/node-path.ts';
import { orderedBeside, useLayout } from '../canvas/use-layout.ts';
import { DraftKeeper, type Shelf } from '../editing/draft-keeper.ts';
import { Editing, type Edited } from '../editing/editing.ts';
import type { Loaded, Nameable } from './use-workflow.ts';
import type { KeptText } from './fields/yaml-field.tsx';

/** Everything that a workflow is worked on with. */
export interface Desk {
  readonly editing: Editing<DraftGraph>;
  readonly keeper: DraftKeeper<DraftGraph, WorkflowDraft>;
  readonly edited: Edited<DraftGraph>;
  readonly placed: { readonly graph: DraftGraph; readonly layout: Layout } | undefined;
  readonly problems: readonly Problem[];
  readonly marked: MarkedPaths;
  readonly known: Nameable;
  readonly last: Context | undefined;
  readonly kept: KeptText;
  readonly chosen: NodePath | undefined;
  readonly choose: (path: NodePath | undefined) => void;
}

export function useDesk(loaded: Loaded, graph: DraftGraph, last: Context | undefined): Desk {
  const client = useVitrine();
  const [{ editing, keeper, marked, kept }] = useState(() => {
    const made = new Editing(graph);
    return {
      editing: made,
      keeper: new DraftKeeper(shelfOf(client, loaded.name), made, loaded.revision),
      marked: new MarkedPaths(),
      kept: {},
    };
  });
  const edited = useSource(editing);
  const placed = useLayout(edited.draft);
  const problems = useProblems(edited.draft, loaded.known);
  const [chosen, choose] = useState<NodePath>();
  useEffect(() => (loaded.isReadOnly ? undefined : keeper.follow()), [keeper, loaded.isReadOnly]);
  useEffect(() => {
    const paths = problems.flatMap(({ node }) => pathNamed(edited.draft, node) ?? []);
    marked.mark(new Set(paths));
  }, [marked, problems, edited.draft]);
  const isThere = chosen !== undefined && nodeAt(edited.draft, chosen) !== undefined;
  const { known } = loaded;
  return {
    editing,
    keeper,
    edited,
    placed,
    problems,
    marked,
    known,
    last,
    kept,
    chosen: isThere ? chosen : undefined,
    choose,
  };
}

function shelfOf({ workflows }: Client, name: string): Shelf<DraftGraph, WorkflowDraft> {
  return {
    read: () => workflows.draft(name),
    save: (graph, revision) => workflows.save(name, jsonOfDraft(graph) as WorkflowDraft['graph'], revision),
  };
}

/** All that is wrong, looked for when there is time for it. */
function useProblems(graph: DraftGraph, known: Known): readonly Problem[] {
  const calm = useDeferredValue(graph);
  return useMemo(() => problemsIn(jsonOfDraft(calm), known), [calm, known]);
}

/** What the pointer and the keys do on the canvas. What had no place of its own gets the one it is seen at. */
export function canvasEdits({ editing, placed, choose }: Desk): CanvasEdits {
  const positions = placed?.layout.positions ?? {};
  return {
    move: (moved) => editing.edit(edits.placed({ ...positions, ...moved })),
    connect: (connection) => editing.edit(edits.connected(connection)),
    remove: (nodes, gone) =>
      editing.edit(edits.inOrder(...nodes.map(edits.removed), ...gone.map(edits.disconnected))),
    drop: (type, within, at) => choose(put(editing, { type, within, at, positions })),
    tidy: () => {
      const { draft: graph } = editing.getSnapshot();
      void orderedBeside({ ...graph, layout: {} }).then((tidied) =>
        editing.edit((now) => ({ ...now, layout: tidied })),
      );
    },
  };
}

interface Putting {
  readonly type: NodeType;
  readonly within: PartPath;
  readonly at: Position;
  readonly positions: edits.Positions;
  readonly after?: edits.Edit;
}

function put(editing: Editing<DraftGraph>, { type, within, at, positions }: Putting): NodePath {
  const { draft: graph } = editing.getSnapshot();
  const id = edits.freeId(graph, type);
  const path = nodePath(within, id);
  editing.edit(edits.inOrder(edits.added(within, type, id), edits.placed({ ...positions, [path]: at })));
  return path;
}

/** Adds a node after what is chosen, and leads there if nothing does yet; in an empty body where that is chosen. */
export function addAfter({ editing, placed, chosen, choose }: Desk, type: NodeType): void {
  const { draft: graph } = editing.getSnapshot();
  const { positions, sizes } = placed?.layout ?? { positions: {}, sizes: {} };
  const before = chosen === undefined ? undefined : nodeAt(graph, chosen);
  const within = chosen === undefined ? '' : partOf(chosen);
  const [x, y] = positions[chosen ?? ''] ?? freeCorner(partAt(graph, within)?.nodes.length ?? 0);
  const width = chosen === undefined ? 0 : (sizes[chosen]?.width ?? 176) + 72;
  const id = edits.freeId(graph, type);
  const path = nodePath(within, id);
  const [port] = before ? portsIn(before) : [];
  const isOpen =
    before &&
    port !== undefined &&
    !partAt(graph, within)?.edges.some((edge) => edge.from === before.id && (edge.port ?? 'done') === port);
  editing.edit(
    edits.inOrder(
      edits.added(within, type, id),
      edits.placed({
        ...positions,
        [path]: freePlace([x + width, y], { graph, within, layout: placed?.layout }),
      }),
      isOpen && chosen !== undefined && type !== 'start'
        ? edits.connected({ from: chosen, port, to: path })
        : (now) => now,
    ),
  );
  choose(path);
}

interface Beside {
  readonly graph: DraftGraph;
  readonly within: PartPath;
  readonly layout: Layout | undefined;
}

/** There, or below what stands there already. */
function freePlace([x, y]: Position, { graph, within, layout }: Beside): Position {
  const boxes = (partAt(graph, within)?.nodes ?? []).map(({ id }) => {
    const path = nodePath(within, id);
    const [left, top] = layout?.positions[path] ?? [0, 0];
    const { width = 0, height = 0 } = layout?.sizes[path] ?? {};
    return { left, top, right: left + width, bottom: top + height };
  });
  let at = y;
  for (;;) {
    const under = boxes.find(
      (box) => box.left < x + 168 && box.right > x && box.top < at + 64 && box.bottom > at,
    );
    if (!under) return [x, at];
    at = under.bottom + 28;
  }
}

function freeCorner(many: number): Position {
  return [40 + 24 * many, 120 + 24 * many];
}

/** The node and the field that a problem is about. */
export function placeOfProblem(
  graph: DraftGraph,
  { node, field }: Problem,
): { readonly path: NodePath | undefined; readonly field: string } {
  const path = pathNamed(graph, node);
  const [first = '', ...rest] = field.split('.');
  // What does not fit the schema is named from the outside in: «nodes.3.agent».
  const isFromOutside = first === 'nodes' && rest.length > 1;
  const inner = isFromOutside
    ? (field
        .split('.')
        .filter((part) => !/^\d+$/.test(part) && part !== 'nodes')
        .at(-1) ?? '')
    : first;
  return { path, field: path === undefined ? '' : inner === 'id' ? 'id' : inner };
}
