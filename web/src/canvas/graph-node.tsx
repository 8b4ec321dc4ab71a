import type { NodeProps } from '@xyflow/react';
import { TriangleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { stateSource, useCanvas } from './canvas-context.ts';
import type { DrawnNode, FlowNode } from './model/flow.ts';
import { nameOf } from './model/node-name.ts';
import type { NodeState } from './model/node-states.ts';
import { NodeIcon } from './node-icon.tsx';
import { Entrance, NodeStatus, NodeTime, OpenInPlace, Ports } from './node-parts.tsx';

/** One node: what it is, how it stands, how long it took. It is drawn again for itself alone. */
function NodeCard({ data, selected }: NodeProps<Extract<FlowNode, { data: DrawnNode }>>): ReactNode {
  const canvas = useCanvas();
  const { path, node, ports } = data;
  const state = useSource(stateSource(canvas, path));
  const isBad = useSource(canvas.hasProblem(path));
  const isSmall = node.type === 'start' || node.type === 'end';
  const status = canvas.live ? (state?.status ?? 'pending') : 'plain';
  return (
    <div
      className={`flow-card ${status}${isSmall ? ' small' : ''}`}
      data-node={path}
      data-state={status}
      data-bad={isBad}
      data-chosen={selected}
    >
      {node.type !== 'start' && <Entrance path={path} />}
      <div className="flow-line">
        <NodeIcon node={node} />
        <b className="cut">{visible(nameOf(node))}</b>
        {isBad && <TriangleAlert className="icon small bad" aria-hidden />}
        {node.type === 'workflow' && <OpenInPlace path={path} name={nameOf(node)} isOpen={false} />}
      </div>
      {!isSmall && <Second state={state} type={node.type} />}
      <Ports ports={ports} path={path} />
    </div>
  );
}

export const GraphNodeCard = memo(NodeCard);

function Second({
  state,
  type,
}: {
  readonly state: NodeState | undefined;
  readonly type: DrawnNode['node']['type'];
}): ReactNode {
  const { live } = useCanvas();
  const w = useWorkflowTexts();
  if (!live) return <div className="flow-line second quiet">{w.types[type]}</div>;
  return (
    <div className="flow-line second">
      <NodeStatus state={state} />
      <NodeTime state={state} />
    </div>
  );
}
