/** How much checking one value may cost: a few hundredths of a second at worst. */
export const mostWork = 250_000;

/** Thrown where a check would go on for too long. */
export class TooMuchWork extends Error {}

let left = 0;

/** Do a check whose parts say what they cost. */
export function withBoundedWork<T>(check: () => T): T {
  left = mostWork;
  return check();
}

/** About to do so much. Counted, not timed: the same check comes out the same on every machine. */
export function spend(units: number): void {
  left -= units;
  if (left < 0) throw new TooMuchWork();
}
