import type { Unfinished } from '../../run/unfinished.ts';
import type { Questions } from '../questions.ts';
import type { Place, Scene as AnyScene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';

/** What the Responses API remembers of a run. */
export interface Memory {
  readonly run: string;
  begin: number;
  created: number;
  model: string;
  /** How many items the response at hand has. */
  items: number;
  /** The text that is being said, and the thoughts that are being told. */
  saying: Saying | undefined;
  thinking: { readonly index: number; readonly id: string; text: string } | undefined;
  /** How the turn that said it last ended, where it did not by itself. */
  unfinished: Unfinished | undefined;
  /** What counts of the output: whole texts, and what is asked. */
  output: object[];
  readonly questions: Questions;
  /** The entry at hand, and how many frames it has. */
  seq: number;
  place: number;
}

export interface Saying {
  readonly index: number;
  readonly id: string;
  readonly step: string;
  text: string;
}

export interface Own {
  readonly says: boolean;
  /** The item of the step in the response at hand. */
  index: number;
}

export interface ResponsesFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type Scene = AnyScene<Memory, Own, ResponsesFrame>;
export type Step = OpenStep<Own>;
export type ResponsesPlace = Place<Memory, Own>;

export function newMemory(run: string): Memory {
  const none = { saying: undefined, thinking: undefined, unfinished: undefined };
  const start = { begin: 0, created: 0, model: '', items: 0, seq: 0, place: 0 };
  return { run, ...start, ...none, output: [], questions: new Map() };
}
