import type { NodeProps } from '@xyflow/react';
import { TriangleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { stateSource, useCanvas } from './canvas-context.ts';
import type { DraftNode } from './model/draft-graph.ts';
import type { DrawnLane, DrawnNode, FlowNode } from './model/flow.ts';
import { nameOf } from './model/node-name.ts';
import type { NodeState } from './model/node-states.ts';
import { NodeIcon } from './node-icon.tsx';
import { Entrance, NodeStatus, NodeTime, OpenInPlace, Ports } from './node-parts.tsx';

/** A node with graphs in it, which are drawn inside: of several rounds, the newest. */
function Container({ data, selected }: NodeProps<Extract<FlowNode, { data: DrawnNode }>>): ReactNode {
  const canvas = useCanvas();
  const { path, node, ports } = data;
  const state = useSource(stateSource(canvas, path));
  const isBad = useSource(canvas.hasProblem(path));
  const status = canvas.live ? (state?.status ?? 'pending') : 'plain';
  return (
    <div
      className={`flow-box ${status}`}
      data-node={path}
      data-state={status}
      data-bad={isBad}
      data-chosen={selected}
    >
      <Entrance path={path} />
      <header className="flow-line">
        <NodeIcon node={node} />
        <b className="cut">{visible(nameOf(node))}</b>
        {isBad && <TriangleAlert className="icon small bad" aria-hidden />}
        {canvas.live && <NodeStatus state={state} />}
        {canvas.live && <NodeTime state={state} />}
        <RoundsOf node={node} state={state} />
        {node.type === 'workflow' && <OpenInPlace path={path} name={nameOf(node)} isOpen />}
      </header>
      <Ports ports={ports} path={path} />
    </div>
  );
}

export const GraphContainer = memo(Container);

/** How often what is in it is done: `3/5`, or what it may come to. */
function RoundsOf({
  node,
  state,
}: {
  readonly node: DraftNode;
  readonly state: NodeState | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const most = mostRounds(node);
  const { rounds } = state ?? {};
  const words = rounds
    ? node.type === 'map'
      ? w.canvas.rounds(rounds.ended, rounds.newest)
      : most === undefined
        ? w.canvas.round(rounds.newest)
        : w.canvas.rounds(rounds.newest, most)
    : most === undefined
      ? ''
      : w.canvas.atMost(most);
  if (words === '') return undefined;
  return (
    <span className="rounds num" data-rounds={words}>
      {words}
    </span>
  );
}

function mostRounds({ type, ...fields }: DraftNode): number | undefined {
  const { times, max } = fields as { readonly times?: unknown; readonly max?: unknown };
  const said = [times, max].find((one) => typeof one === 'number');
  if (typeof said === 'number') return said;
  return type === 'review' ? 3 : undefined;
}

/** One of the graphs inside a node; where there are several, with what it is for. */
function Lane({ data }: NodeProps<Extract<FlowNode, { data: DrawnLane }>>): ReactNode {
  const w = useWorkflowTexts();
  return (
    <div className="flow-lane" data-lane={data.path}>
      {data.field !== undefined && <span className="label">{w.canvas.lanes[data.field]}</span>}
    </div>
  );
}

export const GraphLane = memo(Lane);
