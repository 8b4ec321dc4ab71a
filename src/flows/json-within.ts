/** As much of an answer as is searched, and so often: a model may write anything. */
const longest = 200_000;
const mostTries = 100;

/** The JSON objects and lists in a text, wherever they stand: models put them into code fences and between sentences. */
export function* jsonWithin(text: string): Generator<unknown> {
  const searched = text.slice(0, longest);
  let place = 0;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const start = searched.slice(place).search(/[[{]/);
    if (start < 0) return;
    place += start;
    const end = endOf(searched, place);
    const found = end === undefined ? undefined : parsed(searched.slice(place, end));
    if (found !== undefined && end !== undefined) {
      yield found;
      place = end;
    } else place += 1;
  }
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
