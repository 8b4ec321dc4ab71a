/** About how many characters a value has, counted no further than to `most`. A list, not recursion. */
export function sizeOf(value: unknown, most: number): number {
  const parts: unknown[] = [value];
  let size = 0;
  for (let part = parts.pop(); size <= most; part = parts.pop()) {
    if (typeof part === 'string') size += part.length;
    else size += 1;
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) parts.push(inner);
    if (parts.length === 0) break;
  }
  return size;
}
