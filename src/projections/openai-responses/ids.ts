import { RunError } from '../../run/failure.ts';
import type { NamedAnswer } from '../door.ts';

export function responseId({ run, begin }: NamedAnswer): string {
  return begin === 0 ? `resp_${run}` : `resp_${run}.${begin}`;
}

export function readResponseId(id: string): NamedAnswer {
  const [, run = '', begin = '0'] = /^resp_([^.]+)(?:\.(\d{1,15}))?$/.exec(id) ?? [];
  if (run === '') throw new RunError('unknown', `There is no response «${id.slice(0, 100)}».`);
  return { run, begin: Number(begin) };
}

/** A text of an answer, so that whoever sends it back says whose it was. */
export function messageId({ run, begin }: NamedAnswer, place: number): string {
  return `msg_${run}.${begin}.${place}`;
}

export function answerOfMessage(id: string | null | undefined): NamedAnswer | undefined {
  const [, run, begin] = /^msg_([^.]+)\.(\d{1,15})\.\d+$/.exec(id ?? '') ?? [];
  return run === undefined ? undefined : { run, begin: Number(begin) };
}

/** Frames of one entry are numbered after it: so a number says which entry, and how many frames of it. */
const perEntry = 1_000_000;

export function sequenceNumber(seq: number, place: number): number {
  return seq * perEntry + place;
}

/** What somebody has had who has had the frame of this number. */
export function afterNumber(number: number): { readonly entry: number; readonly frames: number } {
  return { entry: Math.floor(number / perEntry) - 1, frames: (number % perEntry) + 1 };
}
