import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds a reader gets for a word at pace 1: quick, but one can follow. */
const perWord = 40;
/** Nobody reads a long list to its end, so words beyond these share the time of these. */
const patience = 80;
const beforeFirst = 250;

/** A text in pieces that join to it: a word each, with the space after it. */
export function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)/);
}

/** The pace at which a text of so many words is told. */
export function paceFor(words: number, pace: number): number {
  return pace * Math.min(1, patience / Math.max(words, 1));
}

/** Waits as long as a reader needs for so many words; not at all at pace 0. Rejects when the client leaves. */
export async function readingTime(words: number, pace: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const delay = pace * perWord * words;
  if (delay > 0) await sleep(delay, undefined, { signal });
}

/** The moment before somebody begins to speak. */
export function thinkingTime(pace: number, signal: AbortSignal): Promise<void> {
  return readingTime(beforeFirst / perWord, pace, signal);
}
