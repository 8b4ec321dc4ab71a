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

/** A text that is over, without what must not pass. */
export function clean(guard: Guard, text: string): string {
  const { stretches } = guard.find(text);
  if (stretches.length === 0) return text;
  let [kept, at] = ['', 0];
  for (const { start, end } of stretches) {
    kept += text.slice(at, start) + redacted;
    at = end;
  }
  return kept + text.slice(at);
}

/** The same for every text in a value, names of fields included. What holds nothing of the kind is given back itself. */
export function cleanAll<T>(guard: Guard, value: T): T;
export function cleanAll(guard: Guard, value: unknown): unknown {
  return isClean(guard, value) ? value : withoutMatches(guard, value);
}

/** Nearly everything is, and finding that out makes nothing new. */
function isClean(guard: Guard, value: unknown): boolean {
  if (typeof value === 'string') return guard.find(value).stretches.length === 0;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isClean(guard, item));
  for (const [name, field] of Object.entries(value))
    if (!isClean(guard, name) || !isClean(guard, field)) return false;
  return true;
}

function withoutMatches(guard: Guard, value: unknown): unknown {
  if (typeof value === 'string') return clean(guard, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutMatches(guard, item));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [clean(guard, name), withoutMatches(guard, field)]),
  );
}
