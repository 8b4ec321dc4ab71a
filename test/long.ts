// `npm test` runs a part of each sweep, always the same; `npm run test:long` runs them whole, each time with another seed,
// and prints what it ran.

export const isLong = process.env['LONG'] === '1';

/** How much of a sweep is run. */
export function sized(quick: number, whole: number): number {
  return isLong ? whole : quick;
}

/** Where a sweep begins: `SEED` repeats one that failed. */
export function seedOf(sweep: string): number {
  const given = process.env['SEED'];
  const seed = given === undefined ? (isLong ? Date.now() % 1_000_000_007 : 1) : Number(given);
  if (isLong) process.stderr.write(`${sweep}: SEED=${seed}\n`);
  return seed;
}

/** `PIECE=3/20` runs the third of twenty pieces of a sweep: with the same `SEED`, all of them are the whole. */
export function pieceOf<T>(all: readonly T[]): readonly T[] {
  const [piece = 1, pieces = 1] = (process.env['PIECE'] ?? '1/1').split('/').map(Number);
  return all.filter((_, i) => i % pieces === piece - 1);
}

/** What a sweep ran, for the record of a long run. */
export function tell(sweep: string, counts: Readonly<Record<string, number>>): void {
  if (!isLong) return;
  const told = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stderr.write(`${sweep}: ${told.join(', ')}\n`);
}
