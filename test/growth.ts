// How the work of a function grows with its input, by the processor time it takes: a quiet or a busy machine says the same.

/**
 * Whether the work grows like its input, not like the square of it: so many times the text may take four times as many
 * times as long. What is quadratic takes more each time it is tried; a machine that is busy does not.
 */
export function isLinear(work: (size: number) => unknown, small: number, times: number): boolean {
  for (let i = 0; i < 5; i += 1)
    if (cost(() => work(small * times)) / cost(() => work(small)) < times * 4) return true;
  return false;
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
