import { nothing, type Found } from './guard.ts';

/** What two guards found in the same text. */
export function joined(one: Found, other: Found): Found {
  if (one === nothing) return other;
  if (other === nothing) return one;
  return {
    stretches: [...one.stretches, ...other.stretches].toSorted((a, b) => a.start - b.start),
    open: Math.max(one.open, other.open),
    // What says little is let go early only where it waits for nothing else.
    isSparse:
      one.open > other.open
        ? one.isSparse
        : other.open > one.open
          ? other.isSparse
          : one.isSparse === true && other.isSparse === true,
  };
}
