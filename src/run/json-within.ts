/** As much of an answer as is searched, and so often: a model may write anything. */
const longest = 200_000;
const mostTries = 100;

/** Stands for JSON that breaks off, or that cannot be read. What is inside of it was never meant alone. */
export const broken: unique symbol = Symbol('broken');

/** The JSON objects and lists in a text, wherever they stand: models put them into code fences and between sentences. */
export function* jsonWithin(text: string): Generator<unknown> {
  const searched = text.slice(0, longest);
  let place = 0;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const start = searched.slice(place).search(/[[{]/);
    if (start < 0) return;
    place += start;
    const end = endOf(searched, place) ?? searched.length;
    const found = parsed(searched.slice(place, end)) ?? (looksLikeJson(searched, place) ? broken : undefined);
    if (found !== undefined) yield found;
    place = found === undefined ? place + 1 : end;
  }
}

const beginning = /\{\s*["}]|\[\s*[[{"\]]/y;

/** Sentences have brackets, too. */
function looksLikeJson(text: string, place: number): boolean {
  beginning.lastIndex = place;
  return beginning.test(text);
}

/** Where what opens here is closed again. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let i = start; i < text.length; i += 1) {
    const character = text[i];
    if (isInString) {
      if (character === '\\') i += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Braces that only look like JSON: the next ones may be it.
    return undefined;
  }
}
