import { useReactFlow } from '@xyflow/react';
import type { DragEvent } from 'react';
import type { CanvasEdits } from './canvas-edits.ts';
import type { NodeType } from './model/draft-graph.ts';
import type { FlowEdge } from './model/flow.ts';
import type { CanvasNode } from './use-drawn-nodes.ts';

/** What a node from the palette is called while it is dragged. */
export const dragged = 'application/x-vitrine-node';

/** What is dragged from the palette stands where it is dropped, inside whatever is there. */
export function useDropping(
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
