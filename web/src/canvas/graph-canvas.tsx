import '@xyflow/react/dist/base.css';
import './canvas.css';
import {
  Background,
  BackgroundVariant,
  MarkerType,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useNodesInitialized,
  useReactFlow,
  useStoreApi,
  type Connection as FlowConnection,
  type NodeChange,
  type ReactFlowProps,
} from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { useEffect, useMemo, useRef, type DragEvent, type ReactNode, type RefObject } from 'react';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { GraphContainer, GraphLane } from './graph-container.tsx';
import { GraphEdge } from './graph-edge.tsx';
import { GraphNodeCard } from './graph-node.tsx';
import type { DraftGraph, NodeType, Position } from './model/draft-graph.ts';
import type { Connection } from './model/edits.ts';
import { flowOf, type FlowEdge, type FlowNode } from './model/flow.ts';
import { idOf, partOf, type NodePath, type PartPath } from './model/node-path.ts';
import { GraphQuestion, questionNodes, type HungQuestion, type QuestionFlowNode } from './question-node.tsx';
import { useDrawnNodes, type CanvasNode } from './use-drawn-nodes.ts';
import type { Layout } from './model/layout.ts';

/** What can be done to a graph by pointer and key. */
export interface CanvasEdits {
  readonly move: (positions: Readonly<Record<NodePath, Position>>) => void;
  readonly connect: (connection: Connection) => void;
  readonly remove: (nodes: readonly NodePath[], edges: readonly Connection[]) => void;
  readonly drop: (type: NodeType, within: PartPath, at: Position) => void;
  readonly tidy: () => void;
}

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
const fit = { padding: 0.12, maxZoom: 1, minZoom: 0.1 };
/** A question is as large as it is read, however far away the graph is. */
const fitWithQuestion = { ...fit, padding: { top: '6%', left: '4%', right: '4%', bottom: '24%' } } as const;
const none: readonly HungQuestion[] = [];

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
        {...moving(stage, touch)}
        nodesDraggable={isDrawing}
        nodesConnectable={isDrawing}
        edgesFocusable={isDrawing}
        deleteKeyCode={isDrawing ? deleting : null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        onlyRenderVisibleElements
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
function moving(
  stage: RefObject<HTMLDivElement | null>,
  touch: () => void,
): Pick<ReactFlowProps<CanvasNode, FlowEdge>, 'onMoveStart' | 'onMoveEnd'> {
  return {
    onMoveStart(event) {
      if (event) touch();
      stage.current?.setAttribute('data-moving', 'true');
    },
    onMoveEnd: () => stage.current?.removeAttribute('data-moving'),
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

export const dragged = 'application/x-vitrine-node';

/** What is dragged from the palette stands where it is dropped, inside whatever is there. */
function useDropping(
  edits: CanvasEdits | undefined,
): Readonly<Record<'onDrop' | 'onDragOver', (event: DragEvent) => void>> {
  const { screenToFlowPosition, getNodes, getInternalNode } = useReactFlow<CanvasNode, FlowEdge>();
  return {
    onDragOver: (event) => event.dataTransfer.types.includes(dragged) && event.preventDefault(),
    onDrop(event) {
      const type = event.dataTransfer.getData(dragged);
      if (type === '' || !edits) return;
      event.preventDefault();
      const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
      const lanes = getNodes().flatMap(({ id, type: kind, width = 0, height = 0 }) => {
        const corner = getInternalNode(id)?.internals.positionAbsolute;
        const isInside =
          corner && x >= corner.x && y >= corner.y && x <= corner.x + width && y <= corner.y + height;
        return kind === 'lane' && isInside ? [{ id, corner }] : [];
      });
      const { id = '', corner = { x: 0, y: 0 } } = lanes.at(-1) ?? {};
      edits.drop(type as NodeType, id, [Math.round(x - corner.x - 88), Math.round(y - corner.y - 32)]);
    },
  };
}

/** What is drawn on can be read, from its beginning on; what is looked at is in view as a whole. */
const legible = 0.7;

/** Until somebody moves it, all of it is in view, with a question that comes. */
function useWholeInView(questions: number, isDrawing: boolean): () => void {
  const { fitView, getNodes, getNodesBounds, setViewport } = useReactFlow();
  const store = useStoreApi();
  const isReady = useNodesInitialized();
  const isTouched = useRef(false);
  useEffect(() => {
    if (!isReady || isTouched.current) return;
    const { width, height } = store.getState();
    const bounds = getNodesBounds(getNodes());
    const isLegible = bounds.width * legible <= width && bounds.height * legible <= height;
    if (isDrawing) isTouched.current = true;
    if (isLegible || !isDrawing) void fitView(questions > 0 ? fitWithQuestion : fit);
    else {
      const y = height / 2 - (bounds.y + bounds.height / 2) * legible;
      void setViewport({ x: 32 - bounds.x * legible, y: Math.max(32, y), zoom: legible });
    }
  }, [isReady, questions, isDrawing]);
  return () => {
    isTouched.current = true;
  };
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
