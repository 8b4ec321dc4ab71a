const deepest = 500;
/** So many brackets need at least so many characters. */
const shortestDeep = deepest * 2;

/** JSON text whose nesting would overflow the stack of whoever writes it again. `value` is what it was parsed to. */
export function isTooDeep(text: string, value: unknown): boolean {
  if (text.length <= shortestDeep) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
