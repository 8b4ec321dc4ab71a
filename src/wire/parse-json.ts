const deepest = 500;
/** So many brackets need at least so many characters. */
const shortestDeep = deepest * 2;

/** What JSON text says; undefined for what is none, and for nesting that would overflow the stack of its next writer. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string, value: unknown): boolean {
  if (text.length <= shortestDeep) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
