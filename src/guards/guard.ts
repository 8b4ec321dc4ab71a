/** A part of a text, from `start` up to and without `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Found {
  /** What must not pass: in order, and none overlaps another. */
  readonly stretches: readonly Stretch[];
  /** How many characters at the end could begin something that must not pass. */
  readonly open: number;
  /** Whether something is spelled out or read over in the text: what it says may be long in coming. */
  readonly isSparse?: boolean;
}

/**
 * Finds what must not pass in a text. Whoever knows no greatest length of it leaves the whole text open, and all of it is
 * held back until it is over.
 */
export interface Guard {
  find(text: string): Found;
}

/** The answer to nearly every piece of text; always the same object, so that it costs nothing. */
export const nothing: Found = { stretches: [], open: 0 };

/** What stands in place of what must not pass. */
export const redacted = '[redacted]';

/** Stretches in order, those that overlap as one. */
export function merged(stretches: readonly Stretch[]): readonly Stretch[] {
  if (stretches.length < 2) return stretches;
  const all: Stretch[] = [];
  for (const next of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (!last || next.start >= last.end) all.push(next);
    else if (next.end > last.end) all[all.length - 1] = { start: last.start, end: next.end };
  }
  return all;
}

/** A text that is over, without what must not pass. */
export function clean(guard: Guard, text: string): string {
  return without(guard.find(text).stretches, text);
}

export function without(stretches: readonly Stretch[], text: string): string {
  if (stretches.length === 0) return text;
  let [kept, at] = ['', 0];
  for (const { start, end } of stretches) {
    kept += text.slice(at, start) + redacted;
    at = end;
  }
  return kept + text.slice(at);
}
