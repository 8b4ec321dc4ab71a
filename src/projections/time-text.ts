const lastOfAll = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time as text. Clocks that are out of their mind give the nearest time that can be written, never an exception. */
export function isoTime(at: number): string {
  return new Date(at >= 0 ? Math.min(at, lastOfAll) : 0).toISOString();
}

/** UTC without a zone. */
export function naiveTime(at: number): string {
  return isoTime(at).slice(0, -1);
}

/** How long something took, to a tenth of a second: `22.7s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)}s`;
}
