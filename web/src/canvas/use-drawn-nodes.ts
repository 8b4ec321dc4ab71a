import { applyNodeChanges, type NodeChange } from '@xyflow/react';
import { useCallback, useEffect, useState } from 'react';
import type { FlowNode } from './model/flow.ts';
import type { NodePath } from './model/node-path.ts';
import type { QuestionFlowNode } from './question-node.tsx';

export type CanvasNode = FlowNode | QuestionFlowNode;

/** What is on the canvas: as the graph says, and meanwhile as somebody moves it. What has not changed is the same as before. */
export function useDrawnNodes(
  nodes: readonly FlowNode[],
  questions: readonly QuestionFlowNode[],
  chosen: NodePath | undefined,
): readonly [CanvasNode[], (changes: NodeChange<CanvasNode>[]) => void] {
  const [drawn, setDrawn] = useState<CanvasNode[]>(() => asBefore([], [...nodes, ...questions], chosen));
  useEffect(
    () => setDrawn((before) => asBefore(before, [...nodes, ...questions], chosen)),
    [nodes, questions, chosen],
  );
  // What is taken out is gone when the graph says so.
  const change = useCallback(
    (changes: NodeChange<CanvasNode>[]) =>
      setDrawn((before) =>
        applyNodeChanges(
          changes.filter(({ type }) => type !== 'remove' && type !== 'select'),
          before,
        ),
      ),
    [],
  );
  return [drawn, change];
}

function asBefore(
  before: readonly CanvasNode[],
  now: readonly CanvasNode[],
  chosen: NodePath | undefined,
): CanvasNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return now.map((node) => {
    const old = known.get(node.id);
    const selected = node.id === chosen;
    const isSame =
      old?.data === node.data &&
      old.type === node.type &&
      old.parentId === node.parentId &&
      (old.selected ?? false) === selected &&
      old.position.x === node.position.x &&
      old.position.y === node.position.y &&
      old.width === node.width &&
      old.height === node.height;
    return isSame ? old : ({ ...node, selected, measured: old?.measured } as CanvasNode);
  });
}
