import type { EventOf, StepId } from '../../run/events.ts';
import type { FlatRow } from '../../wire/a2ui.ts';
import type { Scene } from '../story-projection.ts';
import type { Closing, OpenStep } from '../story.ts';
import type { Changed, Pace } from './flat-pace.ts';
import { flatRow, isHead, type Row, type RowPlace, type RowStatus } from './flat-rows.ts';
import { titleOf } from './flat-surface.ts';
import { detailOf, type Requested } from './words.ts';

/** What the flat dialect remembers of a step. */
export interface Own {
  readonly place: RowPlace;
  readonly isVoice: boolean;
  /** Questions in it that nobody has decided, and, in a pipeline, those below it. */
  undecided: number;
  undecidedBelow: number;
  /** Whether one of them was decided. */
  isResumed: boolean;
  hasSpoken: boolean;
}

/** Whoever speaks for the run: the last one that began. */
interface Speaker {
  readonly id: StepId;
  readonly above: readonly StepId[];
  text: string;
}

/** What it remembers of a run. */
export interface Memory {
  readonly planned: Map<StepId, RowPlace>;
  readonly rows: Map<StepId, Row>;
  /** What stands for others, which have rows of their own now. */
  readonly hidden: Set<StepId>;
  readonly approvals: Map<string, Requested>;
  speaker: Speaker;
  /** How much of what is said was told. */
  told: number;
  readonly pace: Pace;
  count: number;
  seq: number;
  title: string;
  isStopping: boolean;
  isPaused: boolean;
}

export type Flat = Scene<Memory, Own, Changed>;
export type Step = OpenStep<Own>;

interface Kept extends Omit<Row, 'seq'> {
  /** Whether it is told now; unless said, it is. */
  readonly isTold?: boolean;
}

/** A row as it is now. One that would look as before is not sent again: all of them would be. */
export function keep({ memory, frames }: Flat, id: StepId, { row, place, isTold = true }: Kept): void {
  if (memory.hidden.has(id)) return;
  const known = memory.rows.get(id)?.row;
  memory.rows.set(id, { row, place, seq: memory.seq });
  if (!isTold || isSame(known, row)) return;
  memory.pace.isUrgent ||= isHead(place);
  if (!frames.includes('rows')) frames.push('rows');
}

function isSame(known: FlatRow | undefined, { label, detail, status }: FlatRow): boolean {
  return known?.label === label && known.detail === detail && known.status === status;
}

/** The row of a step, as it is now. */
export function show(scene: Flat, step: Step, closing?: Closing): void {
  const { id, title, opening, call, text, own } = step;
  const { kind, icon, query } = opening;
  const said = own.isVoice ? '' : text;
  const { outcome: status, result, failure } = closing ?? { outcome: statusOf(step) };
  const detail = detailOf({ kind, query, call, log: '', reasoning: '', text: said, result, failure });
  const { place } = own;
  keep(scene, id, { row: flatRow({ place, title, kind, icon, detail, status }), place });
}

/** What is asked in it, or below it, stops it. */
export function statusOf({ own }: Step): RowStatus {
  if (own.undecided + own.undecidedBelow > 0) return 'waiting';
  return own.isResumed && own.place.isStaged ? 'resumed' : 'running';
}

/** What the surface is called now, where that is something else. */
export function entitle({ memory, frames }: Flat, outcome?: EventOf<'run.ended'>['outcome']): void {
  const { approvals, isStopping, isPaused } = memory;
  const title = titleOf({ outcome, isStopping, isPaused, undecided: approvals.size });
  if (memory.title === title) return;
  memory.title = title;
  frames.push({ title });
}
