/** What a guard does about what it finds: hide it, end the text there, or ask a person first. */
export type GuardAction = 'redact' | 'block' | 'ask';

/** What was found, without the value: whose it is, what it is called, and what becomes of it. */
export interface Kind {
  readonly guard: string;
  readonly category: string;
  readonly action: GuardAction;
  /** The guard itself failed: nobody knows what stands there. */
  readonly isFailure?: boolean;
}

/** A part of a text, from `start` up to and without `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** What it is; a secret, where nothing is said. */
  readonly of?: Kind | undefined;
}

export interface Found {
  /** What must not pass, in the order of their beginnings; they may overlap. */
  readonly stretches: readonly Stretch[];
  /** How many characters at the end could begin something that must not pass. */
  readonly open: number;
  /** Whether something is spelled out or read over in the text: what it says may be long in coming. */
  readonly isSparse?: boolean;
}

/** Finds what must not pass in a text. */
export interface Guard {
  /** Knows no greatest length of what it finds: the whole text is held back until it is over. */
  readonly isWhole?: boolean;
  /** How many characters are looked at at once where a text is long; as many as of secrets, unless said. */
  readonly part?: number;
  /** Wants to know what stands before a text. */
  readonly looksBack?: boolean;
  /** `before` is what stands before the text, as far as it matters (`tailOf`). */
  find(text: string, before?: string): Found;
}

/** The answer to nearly every piece of text; always the same object, so that it costs nothing. */
export const nothing: Found = { stretches: [], open: 0 };

/** What stands in place of a secret. */
export const redacted = '[redacted]';

/** What stands in place of what must not pass. */
export function markOf({ of }: Pick<Stretch, 'of'>): string {
  if (!of) return redacted;
  return of.action === 'block' ? `[blocked: ${of.category}]` : `[${of.category}]`;
}

/** Whether a text ends where this was found. */
export function isEnd({ of }: Pick<Stretch, 'of'>): boolean {
  return of?.action === 'block';
}

/** Stretches in order, those that overlap as one that is what the first of them is. What ends a text is never lost in it. */
export function merged(stretches: readonly Stretch[]): readonly Stretch[] {
  if (stretches.length < 2) return stretches;
  const all: Stretch[] = [];
  for (const next of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (!last || next.start >= last.end) all.push(next);
    else if (isEnd(next) && !isEnd(last)) all.push(next);
    else if (next.end > last.end) all[all.length - 1] = { ...last, end: next.end };
  }
  return all;
}

/** A text that is over, without what must not pass. */
export function clean(guard: Guard, text: string): string {
  return without(merged(guard.find(text).stretches), text);
}

/** A text without what must not pass in it, merged. */
export function without(stretches: readonly Stretch[], text: string): string {
  if (stretches.length === 0) return text;
  let [kept, at] = ['', 0];
  for (const stretch of stretches) {
    kept += text.slice(at, stretch.start) + markOf(stretch);
    if (isEnd(stretch)) return kept;
    at = stretch.end;
  }
  return kept + text.slice(at);
}
