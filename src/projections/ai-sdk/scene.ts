import type { AiSdkChunk, aiSdkDone } from '../../wire/ai-sdk.ts';
import { stepName } from '../nested.ts';
import type { Unfinished } from '../../run/unfinished.ts';
import type { Questions } from '../questions.ts';
import type { Place, Scene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import type { Spoken, Voice } from '../speaker.ts';

export type AiSdkFrame = AiSdkChunk | typeof aiSdkDone;

/** What is remembered of an open step. */
export interface Own extends Voice {
  /** The name of its text, or its thought, that is open. */
  text: string | undefined;
  reasoning: string | undefined;
  /** The name of its call, of the attempt at hand. */
  call: string;
  /** How many parts it has begun: they differ in their names. */
  parts: number;
}

export interface Memory {
  readonly run: string;
  readonly spoken: Spoken;
  /** How that ended, where it did not by itself. */
  unfinished: Unfinished | undefined;
  readonly questions: Questions;
  /** Calls that a person has said no to. */
  readonly denied: Set<number>;
  /** The turn that the last step of the message consists of, if it is of nothing else: it can be taken back. */
  turn: number | undefined;
  /** How many sources, files and notices were told. */
  items: number;
  hasBegun: boolean;
}

export type AiSdkScene = Scene<Memory, Own, AiSdkFrame>;
export type AiSdkStep = OpenStep<Own>;
export type AiSdkPlace = Place<Memory, Own>;

export function newMemory(run: string): Memory {
  const nothing = { spoken: { in: '', text: '' }, questions: new Map(), denied: new Set<number>() };
  return { run, ...nothing, unfinished: undefined, turn: undefined, items: 0, hasBegun: false };
}

/** Tells what a client keeps: then the last step of its message is not of one turn alone. */
export function tell(scene: AiSdkScene, ...chunks: readonly AiSdkChunk[]): void {
  scene.memory.turn = undefined;
  scene.frames.push(...chunks);
}

interface StepData {
  readonly status: string;
  readonly text?: string | undefined;
  readonly detail?: string | undefined;
}

/** A step as clients draw it: each time whole, in the place of the former one. */
export function stepChunk({ id, parent, opening, title, attempt }: AiSdkStep, data: StepData): AiSdkChunk {
  const { kind, agent } = opening;
  const parentId = stepName(parent);
  const tries = attempt === 1 ? {} : { attempt };
  return { type: 'data-step', id: `s${id}`, data: { parentId, kind, title, agent, ...tries, ...data } };
}
