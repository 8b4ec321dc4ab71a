import { useNodesInitialized, useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import type { NodePath } from './model/node-path.ts';

export const fit = { padding: 0.12, maxZoom: 1, minZoom: 0.1 };
/** A question is as large as it is read, however far away the graph is. */
const fitWithQuestion = { ...fit, padding: { top: '6%', left: '4%', right: '4%', bottom: '24%' } } as const;

/** What is drawn on can be read, from its beginning on; what is looked at is in view as a whole. */
const legible = 0.7;

/** Until somebody moves it, all of it is in view, with a question that comes. */
export function useWholeInView(questions: number, isDrawing: boolean): () => void {
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

/** What is chosen elsewhere, or new, is brought into view; what can be seen stays where it is. */
export function useChosenInView(chosen: NodePath | undefined, many: number): void {
  const { getInternalNode, setCenter } = useReactFlow();
  const store = useStoreApi();
  const shown = useRef<NodePath>(undefined);
  useEffect(() => {
    const node = chosen === undefined ? undefined : getInternalNode(chosen);
    if (!node || shown.current === chosen) return;
    shown.current = chosen;
    const { transform, width, height } = store.getState();
    const [left, top, zoom] = transform;
    const { x, y } = node.internals.positionAbsolute;
    const [right, bottom] = [x + (node.width ?? 0), y + (node.height ?? 0)];
    const isSeen =
      x * zoom + left >= 0 &&
      y * zoom + top >= 0 &&
      right * zoom + left <= width &&
      bottom * zoom + top <= height;
    if (!isSeen) void setCenter((x + right) / 2, (y + bottom) / 2, { zoom });
  }, [chosen, many]);
}
