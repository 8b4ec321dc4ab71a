// What many viewers do, at any size: a test plays it small, the bench in full.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrowdReport } from './crowd.ts';
import { stage, type Stage } from './stage.ts';

const megabyte = 1_000_000;

export interface Scene {
  /** What went wrong, if anything: out of order, twice, missing, of another run. */
  readonly faults: readonly string[];
  readonly complete: boolean;
  /** Milliseconds from an entry's time to its arrival. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the whole server for each write to a viewer, and for each entry a viewer got. Microseconds. */
  readonly perWrite: number;
  readonly perEntry: number;
  /** Resident memory above that of the server before. Megabytes. */
  readonly memory: number;
}

export interface OneRun {
  readonly healthy: number;
  readonly stalled: number;
  /** What the run has said before, which those who stall ask for and do not read. Megabytes. */
  readonly past: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** One run, watched by many, some of whom take nothing and then want it all. */
export async function oneRun({
  healthy,
  stalled,
  past,
  seconds,
  perSecond,
}: OneRun): Promise<Scene & { readonly caughtUp: number; readonly heldPerStalled: number }> {
  return onStage(async (on) => {
    const size = 4_000;
    const pieces = { pieces: (past * megabyte) / size, size };
    const live = { pieces: seconds * perSecond, size: 60, perSecond };
    const run = await on.begin({ name: 'one', past: pieces, live });
    await warmUp(on, run);
    const before = await on.measure();
    on.crowd({ open: { runs: [run], each: healthy, after: run.seq, stalled: false } });
    await joined(on, healthy);
    on.crowd({ open: { runs: [run], each: stalled, after: 0, stalled: true } });
    await joined(on, healthy + stalled);
    await stalling(on, stalled);
    on.crowd({ clear: true });
    const start = await on.measure();
    await on.go('one');
    const report = await on.until(({ there }) => there >= healthy, run.seq + live.pieces);
    const after = await on.measure();
    const began = performance.now();
    on.crowd({ resume: true });
    await on.go('one');
    const end = await on.until(({ ended }) => ended === healthy + stalled);
    return {
      ...costs({ before, start, after, report }),
      complete: end.ended === healthy + stalled,
      faults: end.faults,
      caughtUp: performance.now() - began,
      heldPerStalled: after.held / stalled / 1_000,
    };
  });
}

export interface ManyRuns {
  readonly runs: number;
  readonly each: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Many runs at once, each watched by several who leave and come back all the time. */
export async function manyRuns({
  runs,
  each,
  seconds,
  perSecond,
}: ManyRuns): Promise<Scene & { readonly reconnects: number }> {
  return onStage(async (on) => {
    const names = Array.from({ length: runs }, (_, i) => `r${i}`);
    const live = { pieces: seconds * perSecond, size: 60, perSecond };
    const begun = await Promise.all(
      names.map((name) => on.begin({ name, past: { pieces: 5, size: 60 }, live })),
    );
    const before = await on.measure();
    on.crowd({ open: { runs: begun, each, after: 0, stalled: false } });
    await joined(on, runs * each);
    on.crowd({ clear: true });
    const start = await on.measure();
    on.crowd({ churn: true });
    await Promise.all(names.map((name) => on.go(name)));
    on.crowd({ churn: false });
    const after = await on.measure();
    const report = await on.until(({ there }) => there === runs * each, 7 + live.pieces);
    await Promise.all(names.map((name) => on.go(name)));
    const end = await on.until(({ ended }) => ended === runs * each);
    return {
      ...costs({ before, start, after, report }),
      complete: end.ended === runs * each,
      faults: end.faults,
      reconnects: end.reconnects,
    };
  });
}

export interface FullHouse {
  readonly runs: number;
  readonly stalled: number;
  /** What the run of those who stall has said before. Megabytes. */
  readonly past: number;
}

/** Many runs at once, each with its viewer, beside some who take nothing: what the server holds before and after all have spoken. */
export async function fullHouse({ runs, stalled, past }: FullHouse): Promise<{
  readonly faults: readonly string[];
  readonly complete: boolean;
  readonly heldPerStalled: number;
  readonly before: number;
  readonly after: number;
}> {
  return onStage(async (on) => {
    const names = Array.from({ length: runs }, (_, i) => `r${i}`);
    const live = { pieces: 20, size: 60, perSecond: 5 };
    const size = 4_000;
    const long = await on.begin({ name: 'long', past: { pieces: (past * megabyte) / size, size }, live });
    const begun: Awaited<ReturnType<Stage['begin']>>[] = [];
    for (let i = 0; i < runs; i += 100) {
      const some = names.slice(i, i + 100);
      const plans = some.map((name) => on.begin({ name, past: { pieces: 5, size: 60 }, live }));
      begun.push(...(await Promise.all(plans)));
    }
    on.crowd({ open: { runs: begun, each: 1, after: 0, stalled: false } });
    await joined(on, runs);
    on.crowd({ open: { runs: [long], each: stalled, after: 0, stalled: true } });
    await joined(on, runs + stalled);
    await stalling(on, stalled);
    const before = await on.measure();
    await Promise.all(names.map((name) => on.go(name)));
    await on.until(({ there }) => there >= runs, 7 + live.pieces);
    const after = await on.measure();
    on.crowd({ resume: true });
    await on.go('long');
    await Promise.all([...names, 'long'].map((name) => on.go(name)));
    const end = await on.until(({ ended }) => ended === runs + stalled);
    return {
      faults: end.faults,
      complete: end.ended === runs + stalled,
      heldPerStalled: after.held / stalled / 1_000,
      before: before.rss / megabyte,
      after: after.rss / megabyte,
    };
  });
}

export interface Storm {
  readonly viewers: number;
  readonly times: number;
}

/** Everyone is cut off at the same moment and comes back at the same moment, while the run goes on. */
export async function storm({
  viewers,
  times,
}: Storm): Promise<Scene & { readonly back: readonly number[]; readonly peak: number }> {
  return onStage(async (on) => {
    const live = { pieces: 1_000_000, size: 60, perSecond: 20 };
    const run = await on.begin({ name: 'one', past: { pieces: 500, size: 200 }, live });
    const before = await on.measure();
    on.crowd({ open: { runs: [run], each: viewers, after: 0, stalled: false } });
    await joined(on, viewers);
    await on.until(({ there }) => there === viewers, run.seq);
    const start = await on.measure();
    const said = on.go('one');
    const back: number[] = [];
    let peak = 0;
    for (let i = 0; i < times; i += 1) {
      on.crowd({ clear: true });
      const began = performance.now();
      on.crowd({ cut: true });
      // Whoever has an entry that was said after the cut is back.
      const mark = await headOf(on, run.run);
      await on.until(({ there }) => there === viewers, mark + 2);
      back.push(performance.now() - began);
      peak = Math.max(peak, (await on.measure()).rss / megabyte);
    }
    on.enough('one');
    await said;
    const report = await on.until(({ there }) => there === viewers, await headOf(on, run.run));
    const after = await on.measure();
    await on.go('one');
    const end = await on.until(({ ended }) => ended === viewers);
    return {
      ...costs({ before, start, after, report }),
      complete: end.ended === viewers,
      faults: end.faults,
      back,
      peak,
    };
  });
}

async function onStage<T>(play: (on: Stage) => Promise<T>): Promise<T> {
  const on = await stage();
  try {
    return await play(on);
  } finally {
    await on.close();
  }
}

/** The first connections of a process cost what later ones do not: code is compiled, memory is taken for good. */
async function warmUp(on: Stage, run: Awaited<ReturnType<Stage['begin']>>): Promise<void> {
  const asked = Array.from({ length: 200 }, async () => {
    const leave = new AbortController();
    const response = await fetch(`${on.url}/api/runs/${run.run}/events?after=${run.seq - 1}`, {
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
  });
  await Promise.allSettled(asked);
  while ((await on.measure()).viewers > 0) await sleep(50);
}

async function joined(on: Stage, count: number): Promise<void> {
  while ((await on.measure()).viewers < count) await sleep(50);
}

/** A stalled viewer is one whose connection is full to the brim. A kernel that takes all there is makes none. */
async function stalling(on: Stage, count: number): Promise<void> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const { stalled } = await on.measure();
    if (stalled >= count) return;
    await sleep(50);
  }
  throw new Error('Not all of those who take nothing stall: the run must have said more before they come.');
}

async function headOf({ url }: Stage, run: string): Promise<number> {
  const response = await fetch(`${url}/api/runs/${run}`);
  return ((await response.json()) as { readonly seq: number }).seq;
}

type Measured = Awaited<ReturnType<Stage['measure']>>;

interface Taken {
  readonly before: Measured;
  /** When everyone was there. */
  readonly start: Measured;
  readonly after: Measured;
  readonly report: CrowdReport;
}

function costs({ before, start, after, report }: Taken): Omit<Scene, 'complete' | 'faults'> {
  const cpu = after.cpu - start.cpu;
  return {
    p50: report.p50,
    p99: report.p99,
    perWrite: cpu / (after.deliveries - start.deliveries),
    perEntry: cpu / report.entries,
    memory: (after.rss - before.rss) / megabyte,
  };
}
