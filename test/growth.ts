// How the work of a function grows with its input, by the processor time it takes: a quiet or a busy machine says the same.

/** How much more work `large` is than `small`, both best of several tries. */
export function growth(work: (size: number) => unknown, small: number, large: number): number {
  return cost(() => work(large)) / cost(() => work(small));
}

const tries = 3;
/** Long enough to be measured: what is shorter is done again and again. Microseconds. */
const measurable = 1_500;

function cost(work: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < tries; i += 1) {
    const before = process.cpuUsage();
    let times = 0;
    let spent = 0;
    while (spent < measurable) {
      work();
      times += 1;
      const { user, system } = process.cpuUsage(before);
      spent = user + system;
    }
    best = Math.min(best, spent / times);
    // What takes so long need not be asked again.
    if (best > 100_000) break;
  }
  return best;
}
