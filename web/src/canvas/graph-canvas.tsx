import '@xyflow/react/dist/base.css';
import './canvas.css';
import {
  Background,
  BackgroundVariant,
  MarkerType,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection as FlowConnection,
  type NodeChange,
  type ReactFlowProps,
} from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { useMemo, useRef, type ReactNode, type RefObject } from 'react';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { GraphContainer, GraphLane } from './graph-container.tsx';
import { GraphEdge } from './graph-edge.tsx';
import { GraphNodeCard } from './graph-node.tsx';
import type { DraftGraph, Position } from './model/draft-graph.ts';
import type { Connection } from './model/edits.ts';
import { flowOf, type FlowEdge, type FlowNode } from './model/flow.ts';
import { idOf, partOf, type NodePath } from './model/node-path.ts';
import { GraphQuestion, questionNodes, type HungQuestion, type QuestionFlowNode } from './question-node.tsx';
import type { CanvasEdits } from './canvas-edits.ts';
import { useDrawnNodes, type CanvasNode } from './use-drawn-nodes.ts';
import { useDropping } from './use-dropping.ts';
import { fit, useChosenInView, useWholeInView } from './use-view.ts';
import type { Layout } from './model/layout.ts';

export interface GraphCanvasProps {
  readonly placed: { readonly graph: DraftGraph; readonly layout: Layout };
  readonly name: string;
  readonly chosen: NodePath | undefined;
  readonly choose: (path: NodePath | undefined) => void;
  readonly questions?: readonly HungQuestion[];
  /** Absent where a graph is looked at. */
  readonly edits?: CanvasEdits | undefined;
}

const nodeTypes = {
  node: GraphNodeCard,
  container: GraphContainer,
  lane: GraphLane,
  question: GraphQuestion,
};
const edgeTypes = { port: GraphEdge };
const defaultEdge = { markerEnd: { type: MarkerType.Arrow, width: 16, height: 16, color: 'var(--ink-3)' } };
const mini = { width: 168, height: 84 };
const hidden = { hideAttribution: true };
const none: readonly HungQuestion[] = [];
/** A graph of up to so many nodes is drawn whole: to take nodes out and put them in while one moves costs more than to have them. */
const mostDrawn = 600;
/** A wheel turns in jerks: between two of them it is still being moved. Milliseconds. */
const resting = 400;

/** A graph to be looked at, moved around in and, where that is allowed, drawn. */
export function GraphCanvas(props: GraphCanvasProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Stage {...props} />
    </ReactFlowProvider>
  );
}

function Stage(props: GraphCanvasProps): ReactNode {
  const { placed, name, chosen, choose, questions = none, edits } = props;
  const w = useWorkflowTexts();
  const flow = useMemo(() => flowOf(placed.graph, placed.layout), [placed]);
  const hung = useMemo(() => questionNodes(placed, flow.nodes, questions), [placed, flow, questions]);
  const [nodes, change] = useDrawnNodes(flow.nodes, hung, chosen);
  const isDrawing = edits !== undefined;
  const drop = useDropping(edits);
  const touch = useWholeInView(hung.length, isDrawing);
  const stage = useRef<HTMLDivElement>(null);
  const move = useMoving(stage, touch);
  useChosenInView(chosen, nodes.length);
  return (
    <div ref={stage} className="flow-stage" data-drawing={isDrawing} {...drop}>
      <ReactFlow<CanvasNode, FlowEdge>
        nodes={nodes}
        edges={flow.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        defaultEdgeOptions={defaultEdge}
        onNodesChange={(changes) => {
          change(changes);
          heard(changes, { chosen, choose, edits });
        }}
        {...drawing(edits)}
        onPaneClick={() => choose(undefined)}
        {...move}
        nodesDraggable={isDrawing}
        nodesConnectable={isDrawing}
        edgesFocusable={isDrawing}
        deleteKeyCode={isDrawing ? deleting : null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        onlyRenderVisibleElements={nodes.length > mostDrawn}
        minZoom={0.1}
        fitView
        fitViewOptions={fit}
        proOptions={hidden}
        aria-label={w.canvas.label(name)}
        ariaLabelConfig={{ 'node.a11yDescription.default': w.canvas.keys }}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.2} />
        <MiniMap<CanvasNode> pannable ariaLabel={w.canvas.overview} nodeClassName={kindOf} style={mini} />
      </ReactFlow>
      <Zoom tidy={edits?.tidy} />
    </div>
  );
}

/** While it is moved, what is drawn is a picture that is moved: hundreds of nodes are not painted anew for each frame. */
function useMoving(
  stage: RefObject<HTMLDivElement | null>,
  touch: () => void,
): Pick<ReactFlowProps<CanvasNode, FlowEdge>, 'onMoveStart' | 'onMoveEnd'> {
  const ending = useRef<ReturnType<typeof setTimeout>>(undefined);
  return {
    onMoveStart(event) {
      if (event) touch();
      clearTimeout(ending.current);
      stage.current?.setAttribute('data-moving', 'true');
    },
    onMoveEnd() {
      clearTimeout(ending.current);
      ending.current = setTimeout(() => stage.current?.removeAttribute('data-moving'), resting);
    },
  };
}

function kindOf({ type }: CanvasNode): string {
  return `mini-${type}`;
}

const deleting = ['Delete', 'Backspace'];

/** What is drawn or taken out by pointer and key. */
function drawing(
  edits: CanvasEdits | undefined,
): Pick<ReactFlowProps<CanvasNode, FlowEdge>, 'onConnect' | 'onDelete' | 'isValidConnection'> {
  if (!edits) return {};
  return {
    onConnect: (made) => edits.connect(connectionOf(made)),
    onDelete: ({ nodes, edges }) =>
      edits.remove(
        pathsOf(nodes),
        edges.flatMap(({ data }) => data ?? []),
      ),
    isValidConnection: isWithinOne,
  };
}

interface Hearing {
  readonly chosen: NodePath | undefined;
  readonly choose: (path: NodePath | undefined) => void;
  readonly edits: CanvasEdits | undefined;
}

/** What was chosen or put elsewhere, once it stands there. */
function heard(changes: readonly NodeChange<CanvasNode>[], { chosen, choose, edits }: Hearing): void {
  const positions: Record<NodePath, Position> = {};
  for (const one of changes) {
    if (one.type === 'select' && one.selected && one.id !== chosen) choose(one.id);
    if (one.type === 'position' && one.dragging !== true && one.position)
      positions[one.id] = [Math.round(one.position.x), Math.round(one.position.y)];
  }
  if (Object.keys(positions).length > 0) edits?.move(positions);
}

function pathsOf(nodes: readonly (FlowNode | QuestionFlowNode)[]): readonly NodePath[] {
  return nodes.filter(({ type }) => type === 'node' || type === 'container').map(({ id }) => id);
}

function connectionOf({ source, sourceHandle, target }: FlowConnection): Connection {
  return { from: source, port: sourceHandle ?? 'done', to: target };
}

/** Edges stay within the graph they are in. */
function isWithinOne({ source, target }: FlowConnection | FlowEdge): boolean {
  return source !== target && partOf(source) === partOf(target) && idOf(source) !== '';
}

function Zoom({ tidy }: { readonly tidy: (() => void) | undefined }): ReactNode {
  const w = useWorkflowTexts();
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const buttons = [
    { name: w.canvas.zoomIn, icon: Plus, act: () => void zoomIn() },
    { name: w.canvas.zoomOut, icon: Minus, act: () => void zoomOut() },
    { name: w.canvas.fit, icon: Maximize, act: () => void fitView(fit) },
  ];
  return (
    <div className="flow-float">
      {buttons.map(({ name, icon: Icon, act }) => (
        <button
          key={name}
          type="button"
          className="button ghost small square"
          aria-label={name}
          onClick={act}
        >
          <Icon className="icon" aria-hidden />
        </button>
      ))}
      {tidy && (
        <button type="button" className="button ghost small" onClick={tidy} data-tidy>
          {w.canvas.tidy}
        </button>
      )}
    </div>
  );
}
