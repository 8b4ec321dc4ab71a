import { breather } from './breather.ts';

/** JSON that is made while it is sent: every field that is a list, or can be gone through, goes out item by item. */
export type JsonParts = Readonly<Record<string, unknown>>;

/** How many characters go out at once, at least. */
const block = 64 * 1024;

/** Items are cleaned whole: what is secret stands in one of them. */
export async function* jsonTexts(parts: JsonParts, clean: (text: string) => string): AsyncGenerator<string> {
  const breathe = breather();
  let text = '{';
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!isList(value)) {
      text += JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for await (const item of value) {
      text += separator + JSON.stringify(item);
      separator = ',';
      if (text.length >= block) {
        yield clean(text);
        text = '';
      }
      await breathe();
    }
    text += separator === '[' ? '[]' : ']';
  }
  yield clean(`${text}}`);
}

function isList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}
