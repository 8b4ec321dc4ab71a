const deepest = 500;

/** What JSON text says; undefined for what is none, and for nesting that would overflow the stack of its next writer. */
export function parseJson(text: string): unknown {
  if (isDeeper(text, deepest)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quote = 34;
const backslash = 92;
/** `[` and `{`, `]` and `}`. */
const opening = new Set([91, 123]);
const closing = new Set([93, 125]);

/** Whether brackets nest deeper than that: one look at the text, over as soon as they do, before anything is made of it. */
export function isDeeper(text: string, most: number): boolean {
  // So many brackets need at least so many characters.
  if (text.length <= most) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === quote) i = endOfString(text, i);
    else if (opening.has(character)) {
      depth += 1;
      if (depth > most) return true;
    } else if (closing.has(character)) depth -= 1;
  }
  return false;
}

/** Where the closing quote stands. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
