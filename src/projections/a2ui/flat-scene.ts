import type { StepId } from '../../run/events.ts';
import type { Scene } from '../story-projection.ts';
import type { Closing, OpenStep } from '../story.ts';
import type { Changed, Pace } from './flat-pace.ts';
import { flatRow, isHead, type Row, type RowPlace, type RowStatus } from './flat-rows.ts';
import { detailOf, type Requested } from './words.ts';

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
}

export type Flat = Scene<Memory, Own, Changed>;
export type Step = OpenStep<Own>;

interface Kept extends Omit<Row, 'seq'> {
  /** Whether it is told now; unless said, it is. */
  readonly isTold?: boolean;
}

/** A row as it is now. */
export function keep({ memory, frames }: Flat, id: StepId, { row, place, isTold = true }: Kept): void {
  if (memory.hidden.has(id)) return;
  memory.rows.set(id, { row, place, seq: memory.seq });
  if (!isTold) return;
  memory.pace.isUrgent ||= isHead(place);
  if (!frames.includes('rows')) frames.push('rows');
}

/** The row of a step that is open, or just closes. */
export function show(scene: Flat, step: Step, closing?: Closing): void {
  const { id, title, opening, call, text, own } = step;
  const { kind, icon, query } = opening;
  const said = own.isVoice ? '' : text;
  const { outcome: status, result, failure } = closing ?? { outcome: statusOf(step) };
  const detail = detailOf({ kind, query, call, log: '', reasoning: '', text: said, result, failure });
  const { place } = own;
  keep(scene, id, { row: flatRow({ place, title, kind, icon, detail, status }), place });
}

export function statusOf({ own }: Step): RowStatus {
  if (own.undecided + own.undecidedBelow > 0) return 'waiting';
  return own.isResumed && own.place.isStaged ? 'resumed' : 'running';
}

export function entitle({ memory, frames }: Flat, title: string): void {
  if (memory.title === title) return;
  memory.title = title;
  frames.push({ title });
}
