// What it costs to be watched: server and viewers in processes of their own, real sockets, real store.
import { manyRuns, oneRun, storm } from '../test/viewers/scenes.ts';

export async function viewersBench(): Promise<void> {
  const one = await oneRun({ healthy: 1_800, stalled: 200, past: 12, seconds: 15, perSecond: 50 });
  const many = await manyRuns({ runs: 200, each: 20, seconds: 15, perSecond: 5 });
  const cut = await storm({ viewers: 5_000, times: 3 });
  const rows = {
    '2,000 on one run, 200 of them stalled': one,
    '200 runs, 20 each, coming and going': many,
    '5,000 cut and resuming at once': cut,
  };
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, { p50, p99, perWrite, perEntry, memory, complete, faults }]) => [
        name,
        {
          'p50 ms': p50,
          'p99 ms': p99,
          'CPU µs/write': round(perWrite),
          'CPU µs/entry delivered': round(perEntry),
          'memory MB': round(memory),
          complete,
          faults: faults.length,
        },
      ]),
    ),
  );
  console.log(
    `stalled: ${round(one.heldPerStalled)} KB held for each; all caught up with 12 MB each in ${round(one.caughtUp / 1_000)} s`,
  );
  console.log(`coming and going: ${many.reconnects} reconnections`);
  const back = cut.back.map((milliseconds) => `${round(milliseconds / 1_000)} s`).join(', ');
  console.log(`storm: everyone live again after ${back}; at most ${round(cut.peak)} MB resident`);
  console.log('targets: healthy p99 250 ms, +150 MB; storm: all live within 5 s, 600 MB');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
