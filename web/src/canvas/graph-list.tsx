import type { ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { stateSource, useCanvas } from './canvas-context.ts';
import { bodiesIn, type DraftNode, type DraftPart } from './model/draft-graph.ts';
import { nameOf } from './model/node-name.ts';
import { nodePath, partPath, type NodePath, type PartPath } from './model/node-path.ts';
import { NodeIcon } from './node-icon.tsx';
import type { HungQuestion } from './question-node.tsx';
import { NodeStatus, NodeTime } from './node-parts.tsx';

interface ListProps {
  readonly chosen: NodePath | undefined;
  readonly choose: (path: NodePath) => void;
  readonly questions: readonly HungQuestion[];
}

/** The same as the canvas says, in words and in order: for whoever listens, and for narrow screens. */
export function GraphList({ part, ...rest }: ListProps & { readonly part: DraftPart }): ReactNode {
  const w = useWorkflowTexts();
  return (
    <section className="flow-list" aria-label={w.list.label}>
      <Nodes part={part} within="" {...rest} />
    </section>
  );
}

function Nodes({
  part,
  within,
  ...rest
}: ListProps & { readonly part: DraftPart; readonly within: PartPath }): ReactNode {
  return (
    <ol>
      {part.nodes.map((node) => (
        <li key={node.id}>
          <Row node={node} part={part} path={nodePath(within, node.id)} {...rest} />
        </li>
      ))}
    </ol>
  );
}

function Row({
  node,
  part,
  path,
  ...rest
}: ListProps & { readonly node: DraftNode; readonly part: DraftPart; readonly path: NodePath }): ReactNode {
  const w = useWorkflowTexts();
  const canvas = useCanvas();
  const state = useSource(stateSource(canvas, path));
  const isBad = useSource(canvas.hasProblem(path));
  const { chosen, choose, questions } = rest;
  const status = state?.status ?? 'pending';
  return (
    <>
      <button
        type="button"
        className={`flow-row ${status}`}
        aria-pressed={chosen === path}
        onClick={() => choose(path)}
        data-listed={path}
        data-state={canvas.live ? status : 'plain'}
        data-bad={isBad}
      >
        <NodeIcon node={node} />
        <b>{visible(nameOf(node))}</b>
        <span className="quiet">{w.types[node.type]}</span>
        {canvas.live && <NodeStatus state={state} />}
        {canvas.live && <NodeTime state={state} />}
        {state?.rounds && <span className="rounds num">{w.canvas.round(state.rounds.newest)}</span>}
        <span className="leads quiet">{useLeads(node, part)}</span>
      </button>
      {questions
        .filter((question) => question.path === path)
        .map(({ approval }) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      {bodiesIn(node).map(({ field, part: body }, _, all) => (
        <div key={field}>
          {all.length > 1 && <span className="label">{w.canvas.lanes[field]}</span>}
          <Nodes part={body} within={partPath(path, field)} {...rest} />
        </div>
      ))}
    </>
  );
}

function useLeads({ id }: DraftNode, { nodes, edges }: DraftPart): string {
  const w = useWorkflowTexts();
  const leads = edges
    .filter(({ from }) => from === id)
    .map(({ to, port = 'done' }) => {
      const target = nodes.find((node) => node.id === to);
      return w.list.leadsTo(visible(port), visible(target ? nameOf(target) : to));
    });
  return leads.length === 0 ? w.list.end : leads.join(', ');
}
