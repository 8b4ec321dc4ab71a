import { findInParts, partLength } from './find-in-parts.ts';
import { clean, merged, without, type Found, type Guard, type Stretch } from './guard.ts';
import type { EventOf, RunEvent } from '../run/events.ts';

/** A text of a value, and the names of the fields that lead to it. */
interface Leaf {
  readonly path: string;
  readonly text: string;
}

/**
 * A value without what must not pass in any of its texts, names of fields included. Texts that are read one after the
 * other are also looked at as one: all of them, and those that stand at the same place in the items of a list (the
 * blocks of an answer). What holds nothing of the kind is given back itself.
 */
export function cleanAll<T>(guard: Guard, value: T): T;
export function cleanAll(guard: Guard, value: unknown): unknown {
  if (typeof value === 'string') return clean(guard, value);
  const state = stateOf(guard, value);
  if (state === 'clean') return value;
  const leaves = leavesIn(value);
  const hidden = hiddenIn(guard, leaves, state);
  if (state === 'open' && hidden.every(({ length }) => length === 0)) return value;
  let next = 0;
  return changed(value, {
    name: (name) => clean(guard, name),
    text: (text) => without(hidden[next++] ?? [], text),
  });
}

/** The same of a value that may be long: between parts of its texts it rests. */
export async function cleanLong<T>(guard: Guard, value: T, rest: () => Promise<void>): Promise<T> {
  const known = new Map<string, Found>();
  const knowing: Guard = { find: (text) => known.get(text) ?? guard.find(text) };
  const look = async (texts: readonly string[]): Promise<void> => {
    for (const text of texts)
      if (text.length > partLength) known.set(text, await findInParts(guard, text, rest));
  };
  const leaves = leavesIn(value);
  await look(leaves.map(({ text }) => text));
  if (stateOf(knowing, value) === 'clean') return value;
  await look(groupsIn(leaves).map((group) => joined(leaves, group)));
  return cleanAll(knowing, value);
}

/** Nearly everything is clean, and finding that out makes nothing new. `open`: some text could go on in another one. */
function stateOf(guard: Guard, value: unknown): 'clean' | 'open' | 'unclean' {
  if (typeof value === 'string') {
    const { stretches, open } = guard.find(value);
    return stretches.length > 0 ? 'unclean' : open > 0 ? 'open' : 'clean';
  }
  if (typeof value !== 'object' || value === null) return 'clean';
  let isOpen = false;
  for (const [name, field] of Object.entries(value)) {
    if (!Array.isArray(value) && guard.find(name).stretches.length > 0) return 'unclean';
    const state = stateOf(guard, field);
    if (state === 'unclean') return state;
    if (state === 'open') isOpen = true;
  }
  return isOpen ? 'open' : 'clean';
}

function leavesIn(value: unknown, path = '', leaves: Leaf[] = []): readonly Leaf[] {
  if (typeof value === 'string') leaves.push({ path, text: value });
  else if (Array.isArray(value)) for (const item of value) leavesIn(item, path, leaves);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) leavesIn(field, `${path}/${name}`, leaves);
  return leaves;
}

/** What must not pass of each text. Where they are `open`, none of them holds any alone. */
function hiddenIn(
  guard: Guard,
  leaves: readonly Leaf[],
  state: 'open' | 'unclean',
): readonly (readonly Stretch[])[] {
  const hidden = leaves.map(({ text }) => (state === 'open' ? [] : [...guard.find(text).stretches]));
  for (const group of groupsIn(leaves)) {
    const stretches = merged(guard.find(joined(leaves, group)).stretches);
    if (stretches.length > 0) hideParts(leaves, hidden, { group, stretches });
  }
  return hidden.map(merged);
}

/** Those that are read as one, by their places. */
function groupsIn(leaves: readonly Leaf[]): readonly (readonly number[])[] {
  const all = leaves.map((_, i) => i);
  const byPath = Map.groupBy(all, (i) => leaves[i]?.path ?? '');
  return [all, ...byPath.values()].filter(({ length }) => length > 1);
}

function joined(leaves: readonly Leaf[], group: readonly number[]): string {
  return group.map((i) => leaves[i]?.text ?? '').join('');
}

/** What was found in texts put together, in each of them. */
function hideParts(
  leaves: readonly Leaf[],
  hidden: readonly Stretch[][],
  { group, stretches }: { readonly group: readonly number[]; readonly stretches: readonly Stretch[] },
): void {
  let [begin, first] = [0, 0];
  for (const i of group) {
    const length = leaves[i]?.text.length ?? 0;
    while ((stretches[first]?.end ?? Infinity) <= begin) first += 1;
    for (let at = first; (stretches[at]?.start ?? Infinity) < begin + length; at += 1) {
      const { start = 0, end = 0 } = stretches[at] ?? {};
      hidden[i]?.push({ start: Math.max(0, start - begin), end: Math.min(length, end - begin) });
    }
    begin += length;
  }
}

interface Change {
  name(name: string): string;
  text(text: string): string;
}

function changed(value: unknown, change: Change): unknown {
  if (typeof value === 'string') return change.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => changed(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [change.name(name), changed(field, change)]),
  );
}

/** A piece of a text that arrives in pieces. */
export type TextPiece = EventOf<'text.appended'> | EventOf<'title.appended'>;

/** The name of the text that a piece belongs to. */
export function streamOf(event: TextPiece): string {
  if (event.type === 'title.appended') return `${event.step} title`;
  return `${event.step} ${event.channel} ${event.call ?? ''}`;
}

/** The beginning of a title that may go on after its step was opened. */
export function titleOf(event: RunEvent): EventOf<'title.appended'> | undefined {
  if (event.type !== 'step.opened' || event.origin === undefined) return undefined;
  return { type: 'title.appended', step: event.step, text: event.title };
}
