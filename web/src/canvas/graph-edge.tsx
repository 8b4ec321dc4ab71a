import { BaseEdge, getBezierPath, type EdgeProps } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useCanvas, type CanvasView } from './canvas-context.ts';
import type { FlowEdge } from './model/flow.ts';
import { partOf } from './model/node-path.ts';
import type { EdgeState } from './model/node-states.ts';

/** What leads from one node to the next: taken, dead or still ahead, with the name of the port it leaves by. */
function PortEdge(props: EdgeProps<FlowEdge>): ReactNode {
  const { id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, markerEnd } = props;
  const canvas = useCanvas();
  const { from = '', to = '', port = 'done', index = 0 } = data ?? {};
  const state = useSource(edgeSource(canvas, port, { from, to }));
  const [path] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  return (
    <g className={`flow-edge ${state}`} data-edge={id} data-edge-state={state}>
      <BaseEdge id={id} path={path} markerEnd={markerEnd} interactionWidth={16} />
      {port !== 'done' && (
        <text
          {...(partOf(from) === ''
            ? besideTarget(targetX, targetY, index)
            : { x: targetX + 8, y: targetY - 8 - 13 * index })}
        >
          {visible(port)}
        </text>
      )}
    </g>
  );
}

export const GraphEdge = memo(PortEdge);

function besideTarget(x: number, y: number, index: number): { x: number; y: number; textAnchor: 'end' } {
  return { x: x - 12, y: y - 7 - 13 * index, textAnchor: 'end' };
}

const still = { getSnapshot: (): EdgeState => 'ahead', subscribe: () => () => {} };

function edgeSource(
  { live }: CanvasView,
  port: string,
  { from, to }: { readonly from: string; readonly to: string },
): ReturnType<NonNullable<CanvasView['live']>['edge']> {
  return live ? live.edge(port, from, to) : still;
}
