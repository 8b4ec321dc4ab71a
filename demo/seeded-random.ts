/** Random numbers that are the same for the same seed, everywhere and for ever. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  pick<T>(values: readonly T[]): T | undefined;
  shuffle<T>(values: readonly T[]): T[];
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  function pick<T>(values: readonly [T, ...T[]]): T;
  function pick<T>(values: readonly T[]): T | undefined;
  function pick<T>(values: readonly T[]): T | undefined {
    return values[between(0, values.length - 1)];
  }
  const shuffle = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, place: next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ value }) => value);
  return { next, between, pick, shuffle };
}
