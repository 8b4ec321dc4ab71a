/** How many levels of lists and objects a value may have. Whatever takes a deeper one apart runs out of stack somewhere. */
export const deepest = 200;

export function isTooDeep(value: unknown): boolean {
  let level = objectsIn([value]);
  for (let depth = 0; depth < deepest && level.size > 0; depth += 1) {
    level = objectsIn([...level].flatMap((each): unknown[] => Object.values(each)));
  }
  return level.size > 0;
}

/** Each once: a value that holds another twice, or itself, must not be gone through twice as often at each level. */
function objectsIn(values: readonly unknown[]): Set<object> {
  return new Set(values.filter((each) => typeof each === 'object' && each !== null));
}
