import { Handle, Position } from '@xyflow/react';
import { Maximize2, Minimize2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { Elapsed } from '../steps/elapsed.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { useTexts } from '../texts/texts.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { useCanvas } from './canvas-context.ts';
import { partOf, type NodePath } from './model/node-path.ts';
import type { NodeState } from './model/node-states.ts';

/** How a node stands: the word for it, or why it failed. */
export function NodeStatus({ state }: { readonly state: NodeState | undefined }): ReactNode {
  const t = useTexts();
  const { status = 'pending', step } = state ?? {};
  if (status === 'failed' && step?.failure)
    return (
      <span className="state-word failed cut" title={visible(step.failure.message)}>
        <StatusMark status="failed" />
        <span className="cut">{visible(step.failure.message)}</span>
      </span>
    );
  return (
    <span className={`state-word ${status}`}>
      <StatusMark status={status} />
      {t.status[status]}
    </span>
  );
}

export function NodeTime({ state }: { readonly state: NodeState | undefined }): ReactNode {
  const { step, status } = state ?? {};
  if (step?.openedAt === undefined || step.status === 'skipped' || step.status === 'pending')
    return undefined;
  const to = step.closedAt;
  if (to !== undefined && to - step.openedAt < 50) return undefined;
  return (
    <span className="num quiet">
      <Elapsed from={step.openedAt} to={to} isWaiting={status === 'waiting'} />
    </span>
  );
}

/** Where edges leave it. Drawn where somebody draws; the names stand at the edges, and here for whoever points. */
export function Ports({
  ports,
  path,
}: {
  readonly ports: readonly string[];
  readonly path: NodePath;
}): ReactNode {
  const isInside = partOf(path) !== '';
  return ports.map((port, i) => (
    <Handle
      key={port}
      type="source"
      id={port}
      position={isInside ? Position.Bottom : Position.Right}
      className={port === 'failed' ? 'port-failed' : ''}
      style={{ [isInside ? 'left' : 'top']: `${portPlace(i, ports)}%` }}
      title={port}
      data-port={port}
    />
  ));
}

/** The usual way leaves in the middle, the others after it; where none is usual, all are spread. */
function portPlace(index: number, ports: readonly string[]): number {
  if (ports[0] !== 'done') return (100 * (index + 1)) / (ports.length + 1);
  return 50 + (36 * index) / Math.max(1, ports.length - 1);
}

/** Where edges come to a node: from the left, or inside another from above. */
export function Entrance({ path }: { readonly path: NodePath }): ReactNode {
  return <Handle type="target" id="in" position={partOf(path) === '' ? Position.Left : Position.Top} />;
}

/** A workflow inside this one is drawn where it stands. */
export function OpenInPlace({
  path,
  name,
  isOpen,
}: {
  readonly path: NodePath;
  readonly name: string;
  readonly isOpen: boolean;
}): ReactNode {
  const w = useWorkflowTexts();
  const { openInPlace } = useCanvas();
  if (!openInPlace) return undefined;
  const Icon = isOpen ? Minimize2 : Maximize2;
  return (
    <button
      type="button"
      className="button ghost small square nodrag"
      aria-label={isOpen ? w.canvas.close(visible(name)) : w.canvas.open(visible(name))}
      aria-expanded={isOpen}
      onClick={() => openInPlace(path)}
      data-open={path}
    >
      <Icon className="icon small" aria-hidden />
    </button>
  );
}
