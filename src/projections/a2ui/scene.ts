import type { EventOf, StepId } from '../../run/events.ts';
import type { Scene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import type { Voice } from './output.ts';
import { put, type Change, type Placed, type Spot } from './surface.ts';
import { statusLine, type Requested, type RunState } from './words.ts';

/** A step that is open, as a surface has it. */
export interface Shown extends Placed {
  /** How many there are in its lists. */
  children: number;
  items: number;
  notes: number;
  /** What was told last of what changes. */
  title: string;
  status: string;
  detail: string;
  log: string;
  reasoning: string;
  /** Questions about it that wait for a person. */
  undecided: number;
  voice: Voice | undefined;
  /** The voices in it and below it that have spoken: that goes when it is tried again. */
  voices: Spot[];
}

export interface Memory {
  readonly planned: Map<StepId, Placed>;
  readonly approvals: Map<string, { readonly key: string; readonly requested: Requested }>;
  asked: number;
  voices: number;
  messages: number;
  status: string;
  isPaused: boolean;
  takeovers: number;
  stop: RunState['stop'];
}

export type Surface = Scene<Memory, Shown, Change>;

export function setStatus(scene: Surface, { own }: OpenStep<Shown>, status: string): void {
  if (own.status === status) return;
  own.status = status;
  put(scene, [...own.path, 'status'], status);
}

export function tellStatus(scene: Surface, ended?: EventOf<'run.ended'>): void {
  const { memory } = scene;
  const status = statusLine({ ...memory, ended, undecided: memory.approvals.size });
  if (status === memory.status) return;
  memory.status = status;
  put(scene, ['status'], status);
}
