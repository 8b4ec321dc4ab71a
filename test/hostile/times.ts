/** Milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export function quantiles(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}
