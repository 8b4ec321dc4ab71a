import type { FlatStep } from '../../../src/client/client.ts';
import { isTool } from '../steps/words.ts';
import type { Span, StepTimes } from './timing.ts';

/** What went on in a stretch of a step's time. */
export type Doing =
  /** Steps below it. */
  | 'around'
  /** It was there, and had not begun. */
  | 'queue'
  /** Asked, and nothing said yet. */
  | 'first'
  | 'model'
  | 'tool'
  /** Work of the run's own. */
  | 'work'
  | 'person'
  | 'abandoned'
  | 'reused';

export interface Piece extends Required<Span> {
  readonly is: Doing;
}

/** The bar of a step, from left to right. What goes on is drawn until `until`. */
export function piecesOf(
  step: Pick<FlatStep, 'kind' | 'title'>,
  times: StepTimes | undefined,
  { isAround, until }: { readonly isAround: boolean; readonly until: number },
): Piece[] {
  if (times?.opened === undefined) return [];
  const { opened, closed, outcome, earlier, waits } = times;
  const end = Math.max(opened, closed ?? until);
  if (outcome === 'reused') return [{ is: 'reused', from: opened, to: end }];
  const asked = waits.map(({ from, to }): Piece => ({ is: 'person', from, to: Math.max(from, to ?? end) }));
  if (isAround) return [{ is: 'around', from: opened, to: end }, ...asked];
  const tried = earlier.map((one): Piece => ({ is: 'abandoned', ...one }));
  const began = Math.min(end, times.started ?? (asked.length > 0 ? end : opened));
  const before = tried[0]?.from ?? began;
  const queue = without({ from: opened, to: Math.min(before, began) }, asked, 'queue');
  return [
    ...queue,
    ...tried,
    ...workOf(step, { from: began, to: end, first: times.first }, asked),
    ...asked,
  ].toSorted((one, other) => one.from - other.from);
}

function workOf(
  step: Pick<FlatStep, 'kind' | 'title'>,
  { from, to, first = to }: Required<Span> & Pick<StepTimes, 'first'>,
  asked: readonly Piece[],
): Piece[] {
  if (step.kind !== 'turn') return without({ from, to }, asked, isTool(step) ? 'tool' : 'work');
  const said = Math.min(to, Math.max(from, first));
  return [...without({ from, to: said }, asked, 'first'), ...without({ from: said, to }, asked, 'model')];
}

/** A stretch less those in which a person was asked. */
function without({ from, to }: Required<Span>, asked: readonly Piece[], is: Doing): Piece[] {
  const left: Piece[] = [];
  let at = from;
  for (const wait of asked.toSorted((one, other) => one.from - other.from)) {
    if (wait.to <= at || wait.from >= to) continue;
    if (wait.from > at) left.push({ is, from: at, to: wait.from });
    at = wait.to;
  }
  if (at < to || left.length + asked.length === 0) left.push({ is, from: at, to });
  return left.filter((piece) => piece.is !== 'queue' || piece.to > piece.from);
}

/** The time that is drawn, and where a moment of it stands: 0 at the left, 1 at the right. */
export interface Scale {
  readonly begin: number;
  readonly length: number;
  place(at: number): number;
}

export function scaleOf(begin: number, end: number): Scale {
  const length = Math.max(1, end - begin);
  return { begin, length, place: (at) => Math.min(1, Math.max(0, (at - begin) / length)) };
}

/** Round moments for the axis, in milliseconds from the beginning. */
export function ticksOf(length: number, most = 5): number[] {
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const units = length < 60_000 ? [1, 2, 5, 10].map((one) => one * power) : clockUnits;
  const unit = units.find((one) => one >= rough) ?? units.at(-1) ?? rough;
  return Array.from({ length: Math.floor(length / unit) + 1 }, (_, i) => i * unit).slice(0, 3 * most);
}

const minute = 60_000;
const hour = 60 * minute;
const clockUnits = [
  10_000,
  15_000,
  30_000,
  ...[1, 2, 5, 10, 15, 30].map((one) => one * minute),
  ...[1, 2, 4, 8, 12, 24, 48, 96, 168, 336, 720, 2_160, 8_760].map((one) => one * hour),
];
