import { memo, type ComponentType, type ReactNode } from 'react';
import type { RunStore } from '../client/client.ts';
import { useBelow, useStep } from './use-run.ts';

/** What draws one step. It looks at its step by itself, so that nothing else is drawn when that changes. */
export interface StepProps {
  readonly run: RunStore;
  readonly id: number;
  /** How deep it stands; those of the run itself are at 0. */
  readonly depth: number;
  /** The steps below it, to be put where it wants them, or nowhere. */
  readonly below: ReactNode;
}

/** What puts the steps below one step in order. */
export interface StepListProps {
  readonly run: RunStore;
  readonly parent: number;
  readonly ids: readonly number[];
  readonly draw: (id: number) => ReactNode;
}

interface Drawing {
  readonly run: RunStore;
  readonly step?: ComponentType<StepProps>;
  readonly list?: ComponentType<StepListProps>;
  /** The step below which to begin. */
  readonly below?: number;
  readonly depth?: number;
}

/** The steps of a run as a tree. A change of one step draws that step, whoever else is on the screen. */
export const StepTree = memo(function StepTree({
  run,
  step = PlainStep,
  list = PlainList,
  below = 0,
  depth = 0,
}: Drawing): ReactNode {
  const ids = useBelow(run, below);
  if (ids.length === 0) return undefined;
  const List = list;
  return (
    <List
      run={run}
      parent={below}
      ids={ids}
      draw={(id) => <Placed key={id} run={run} id={id} depth={depth} step={step} list={list} />}
    />
  );
});

type Placing = Required<Pick<Drawing, 'run' | 'step' | 'list' | 'depth'>> & { readonly id: number };

/** A step in its place: one that comes beside it does not draw it again. */
const Placed = memo(function Placed({ run, id, depth, step: Step, list }: Placing): ReactNode {
  const below = <StepTree run={run} step={Step} list={list} below={id} depth={depth + 1} />;
  return <Step run={run} id={id} depth={depth} below={below} />;
});

function PlainList({ ids, draw }: StepListProps): ReactNode {
  return <ul className="vitrine-steps">{ids.map(draw)}</ul>;
}

function PlainStep({ run, id, below }: StepProps): ReactNode {
  const step = useStep(run, id);
  if (!step) return undefined;
  const { title, status, text, failure } = step;
  return (
    <li className="vitrine-step" data-status={status}>
      <span className="vitrine-step-title">{title}</span>{' '}
      <span className="vitrine-step-status">{status}</span>
      {text !== undefined && <p className="vitrine-step-text">{text}</p>}
      {failure && <p className="vitrine-step-failure">{failure.message}</p>}
      {below}
    </li>
  );
}
