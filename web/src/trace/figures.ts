import type { FlatStep, FlatTree } from '../../../src/client/client.ts';
import { spansBelow } from './below.ts';
import { piecesOf, type Doing } from './pieces.ts';
import type { Span, Timing } from './timing.ts';

/** Where the time of a run went, in milliseconds. What went on at once counts for each. */
export interface TimeFigures {
  readonly wall: number;
  readonly model: number;
  readonly tool: number;
  readonly person: number;
  /** Its process was gone. */
  readonly nobody: number;
}

type Spent = readonly (readonly [is: Doing, length: number])[];

const kept = new WeakMap<FlatStep, Spent>();

/** What has ended spends no more: of thousands of steps it is reckoned once, and not at each moment that is looked at. */
function keptOf(step: FlatStep, spentIn: (step: FlatStep) => Spent): Spent {
  const known = kept.get(step);
  if (known) return known;
  const spent = spentIn(step);
  kept.set(step, spent);
  return spent;
}

/** Until a moment: now, the end of the run, or what is replayed. */
export function timeFigures(tree: FlatTree, timing: Timing, until: number): TimeFigures {
  const below = spansBelow(tree, timing);
  const spent = new Map<Doing, number>();
  const spentIn = (step: FlatStep): Spent => {
    const pieces = piecesOf(step, timing.steps.get(step.id), { below: below(step.id), until });
    return pieces.map(({ is, ...span }) => [is, lengthOf(span, until)]);
  };
  for (const step of tree.steps)
    for (const [is, length] of step.closedAt === undefined ? spentIn(step) : keptOf(step, spentIn))
      spent.set(is, (spent.get(is) ?? 0) + length);
  const own = timing.steps.get(0)?.waits.reduce((sum, wait) => sum + lengthOf(wait, until), 0) ?? 0;
  const sum = (...kinds: Doing[]): number => kinds.reduce((all, is) => all + (spent.get(is) ?? 0), 0);
  return {
    wall: Math.max(0, until - (timing.begin ?? until)),
    model: sum('first', 'model'),
    tool: sum('tool'),
    person: own + sum('person'),
    nobody: timing.gaps.reduce((all, gap) => all + lengthOf(gap, until), 0),
  };
}

function lengthOf({ from, to = Infinity }: Span, until: number): number {
  return Math.max(0, Math.min(to, until) - from);
}
