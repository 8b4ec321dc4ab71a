import { useStore, type Node, type NodeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import type { Layout } from './model/layout.ts';
import { nodePath, type NodePath } from './model/node-path.ts';
import type { DraftGraph } from './model/draft-graph.ts';
import type { FlowNode } from './model/flow.ts';

export interface DrawnQuestion {
  readonly [field: string]: unknown;
  readonly approval: FlatApproval;
  /** How far below its node it hangs. */
  readonly stem: number;
}
export type QuestionFlowNode = Node<DrawnQuestion, 'question'>;

/** A question that waits, at the node that asks it. */
export interface HungQuestion {
  readonly path: NodePath;
  readonly approval: FlatApproval;
}

function Question({ data }: NodeProps<QuestionFlowNode>): ReactNode {
  const zoom = useStore(({ transform }) => Math.min(1, transform[2]));
  return (
    <div
      className="flow-question nodrag nopan nowheel"
      style={{ transform: `scale(${1 / zoom})` }}
      data-question-of={data.approval.step}
    >
      <i className="stem" style={{ height: data.stem * zoom, top: -data.stem * zoom }} aria-hidden />
      <ApprovalCard approval={data.approval} />
    </div>
  );
}

export const GraphQuestion = memo(Question);

const width = 392;
const gap = 40;
/** So much larger than the graph it may be drawn. */
const largest = 1.8;

/** Below all that stands at the same place, so that no node is covered. */
export function questionNodes(
  { graph, layout }: { readonly graph: DraftGraph; readonly layout: Layout },
  nodes: readonly FlowNode[],
  questions: readonly HungQuestion[],
): readonly QuestionFlowNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const boxes = graph.nodes.map(({ id }) => {
    const [x, y] = layout.positions[nodePath('', id)] ?? [0, 0];
    const size = layout.sizes[id] ?? { width: 0, height: 0 };
    return { left: x, right: x + size.width, bottom: y + size.height };
  });
  return questions.flatMap(({ path, approval }) => {
    const own = byId.get(path);
    if (!own) return [];
    const at = cornerOf(path, byId);
    const middle = at.x + (own.width ?? 0) / 2;
    const [left, right] = [middle - width / 2, middle + width / 2];
    const reach = (largest * width) / 2;
    const below = boxes.filter((box) => box.left < middle + reach && box.right > middle - reach);
    const top = Math.max(...below.map(({ bottom }) => bottom)) + gap;
    boxes.push({ left, right, bottom: top + 280 });
    return [
      {
        id: `question ${approval.id}`,
        type: 'question' as const,
        position: { x: left, y: top },
        width,
        data: { approval, stem: top - at.y - (own.height ?? 0) },
        draggable: false,
        selectable: false,
        focusable: false,
        connectable: false,
      },
    ];
  });
}

function cornerOf(
  path: NodePath,
  nodes: ReadonlyMap<string, FlowNode>,
): { readonly x: number; readonly y: number } {
  let [x, y] = [0, 0];
  for (let id: string = path; id !== ''; id = nodes.get(id)?.parentId ?? '') {
    const { position } = nodes.get(id) ?? {};
    x += position?.x ?? 0;
    y += position?.y ?? 0;
  }
  return { x, y };
}
