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

/** What is drawn of a step: below it stand others in these stretches; what goes on is drawn until `until`. */
interface Around {
  readonly below: readonly Span[];
  readonly until: number;
}

type Worked = Pick<FlatStep, 'kind' | 'title' | 'origin'>;

/** The bar of a step, from left to right. */
export function piecesOf(step: Worked, times: StepTimes | undefined, { below, until }: Around): Piece[] {
  if (times?.opened === undefined) return [];
  const { opened, closed, outcome, earlier, waits } = times;
  const end = Math.max(opened, closed ?? until);
  if (outcome === 'reused') return [{ is: 'reused', from: opened, to: end }];
  const asked = waits.map(({ from, to }): Piece => ({ is: 'person', from, to: Math.max(from, to ?? end) }));
  if (below.length > 0 && !isElsewhere(step)) return [{ is: 'around', from: opened, to: end }, ...asked];
  const inner = below.map(({ from, to = end }): Piece => ({ is: 'around', from, to: Math.min(end, to) }));
  const tried = earlier.map((one): Piece => ({ is: 'abandoned', ...one }));
  const began = Math.min(end, times.started ?? (asked.length > 0 ? end : opened));
  const before = tried[0]?.from ?? began;
  const others = [...asked, ...inner];
  return [
    ...without({ from: opened, to: Math.min(before, began) }, asked, 'queue'),
    ...tried,
    ...workOf(step, { from: began, to: end, first: firstOf(times, below) }, others),
    ...others,
  ].toSorted((one, other) => one.from - other.from);
}

/** A turn, and what an agent elsewhere tells of its own: it works also between the steps below it. */
function isElsewhere({ kind, origin }: Worked): boolean {
  return kind === 'turn' || origin !== undefined;
}

/** The first that is heard of it: a word, or a stage of its own. */
function firstOf({ first }: StepTimes, below: readonly Span[]): number | undefined {
  const heard = [...(first === undefined ? [] : [first]), ...below.map(({ from }) => from)];
  return heard.length === 0 ? undefined : Math.min(...heard);
}

function workOf(
  step: Worked,
  { from, to, first }: Required<Span> & Pick<StepTimes, 'first'>,
  others: readonly Piece[],
): Piece[] {
  const is = isTool(step) ? 'tool' : isElsewhere(step) ? 'model' : 'work';
  if (step.kind !== 'turn') return without({ from, to }, others, is);
  const said = Math.min(to, Math.max(from, first ?? to));
  const silent = without({ from, to: said }, others, 'first');
  return first === undefined ? silent : [...silent, ...without({ from: said, to }, others, 'model')];
}

/** A stretch less those in which others did something. */
function without({ from, to }: Required<Span>, others: readonly Piece[], is: Doing): Piece[] {
  const left: Piece[] = [];
  let at = from;
  for (const other of others.toSorted((one, another) => one.from - another.from)) {
    if (other.to <= at || other.from >= to) continue;
    if (other.from > at) left.push({ is, from: at, to: other.from });
    at = Math.max(at, other.to);
  }
  if (at < to || left.length + others.length === 0) left.push({ is, from: at, to });
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
