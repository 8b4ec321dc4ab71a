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

/** The same for every text in a value, names included. What holds nothing of the kind is given back itself. */
export function cleanAll<T>(guard: Guard, value: T): T;
export function cleanAll(guard: Guard, value: unknown): unknown {
  if (typeof value === 'string') return clean(guard, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanAll(guard, item));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const fields = Object.entries(value);
  const cleaned = fields.map(([name, field]: [string, unknown]) => [
    clean(guard, name),
    cleanAll(guard, field),
  ]);
  const isSame = cleaned.every(([name, field], i) => name === fields[i]?.[0] && field === fields[i]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}
