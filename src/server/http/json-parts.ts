import type { Guard } from '../../guards/guard.ts';
import { HeldText } from '../../guards/held-text.ts';
import { breather } from '../../loop/machine.ts';

/** JSON that is made while it is sent: every field that is a list, or can be gone through, goes out item by item. */
export type JsonParts = Readonly<Record<string, unknown>>;

/** How many characters go out at once, about, and how many are looked at at once. */
const block = 64 * 1024;
const slice = 8 * 1024;

export function jsonTexts(parts: JsonParts, guard: Guard): AsyncGenerator<string> {
  return cleanBlocks(itemTexts(parts), guard);
}

/** Without what must not pass, and in blocks: others are served between any two, however long one text is. */
export async function* cleanBlocks(
  texts: Iterable<string> | AsyncIterable<string>,
  guard: Guard,
): AsyncGenerator<string> {
  const breathe = breather();
  const held = new HeldText(guard);
  let [text, told] = ['', ''];
  for await (const more of texts) {
    text += more;
    while (text.length >= slice) {
      const end = isHighSurrogate(text.charCodeAt(slice - 1)) ? slice + 1 : slice;
      told += held.take(text.slice(0, end));
      text = text.slice(end);
      if (told.length + slice > block) {
        yield told;
        told = '';
      }
      await breathe();
    }
  }
  yield told + held.take(text) + held.end();
}

async function* itemTexts(parts: JsonParts): AsyncGenerator<string> {
  const breathe = breather();
  let comma = '{';
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined) continue;
    yield `${comma}${JSON.stringify(name)}:`;
    comma = ',';
    if (!isList(value)) {
      yield JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for await (const item of value) {
      yield separator + JSON.stringify(item);
      separator = ',';
      await breathe();
    }
    yield separator === '[' ? '[]' : ']';
  }
  yield comma === '{' ? '{}' : '}';
}

/** Half a pair has no bytes of its own. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}
