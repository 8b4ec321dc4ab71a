import type { Entry, RunEvent } from '../src/run/events.ts';
import { fold } from '../src/run/entries.ts';
import { emptyTree, type RunTree } from '../src/run/tree.ts';

const sizes = [10_000, 100_000, 1_000_000] as const;
const rounds = 5;
const target = { nanoseconds: 500, growth: 2 };
const entriesPerRound = 1_000_000;
const pieces = 20;
const deepest = 6;

/** What folding one entry costs by the length of the run: it must not grow with it. */
export async function foldBench(): Promise<void> {
  measure(sizes[0]);
  const runs = sizes.map((size) => ({ size, times: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { size, times } of runs) times.push(measure(size));
  }
  console.log(
    `Fold, processor time in nanoseconds per entry, median of ${rounds} ` +
      `(wanted: under ${target.nanoseconds}, at most ${target.growth} times for 10 times the entries):`,
  );
  const rows = runs.map(({ size, times }, i) => {
    const shorter = runs[i - 1];
    const growth = shorter ? (median(times) / median(shorter.times)).toFixed(2) : '';
    const row = { 'ns/entry': Math.round(median(times)), growth, 'from…to': range(times) };
    return [`${size.toLocaleString('en')} entries`, row];
  });
  console.table(Object.fromEntries(rows));
}

/**
 * Nanoseconds per entry, of the same number of entries for every size: what making and folding them costs, less what
 * making them costs. Entries are dropped once folded: a journal kept in memory would be walked by the garbage
 * collector and counted as folding. Processor time, so that other work does not count.
 */
function measure(size: number): number {
  const runs = entriesPerRound / size;
  const making = processorTime(() => {
    for (let run = 0; run < runs; run += 1) for (const { seq } of journal()) if (seq === size) break;
  });
  const both = processorTime(() => {
    for (let run = 0; run < runs; run += 1) expectSound(foldJournal(size), size);
  });
  return (both - making) / entriesPerRound;
}

function foldJournal(size: number): RunTree {
  const tree = emptyTree();
  for (const entry of journal()) {
    fold(tree, entry);
    if (entry.seq === size) break;
  }
  return tree;
}

function expectSound(tree: RunTree, size: number): void {
  if (tree.seq !== size || tree.notices.length > 0) throw new Error('the journal of the bench is not sound');
}

function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) * 1_000;
}

/** A run of agents that stream, without an end: nested steps, each with its text and the arguments of a call. */
function* journal(): Generator<Entry, never, void> {
  const open: number[] = [0];
  let seq = 0;
  const entry = (event: RunEvent): Entry => ({ seq: (seq += 1), at: 1_000 + seq, event });
  for (let step = 1; ; step += 1) {
    const kind = step % 3 === 0 ? 'call' : 'turn';
    const place = { step, parent: open.at(-1) ?? 0, key: `${kind}${step}`, kind, title: `Step ${step}` };
    yield entry({ type: 'step.opened', ...place, started: true });
    open.push(step);
    for (let i = 0; i < pieces; i += 1) yield entry(piece(step, i));
    if (open.length <= deepest && step % 4 !== 0) continue;
    for (const id of open.splice(Math.max(1, open.length - (step % deepest) - 1)).reverse()) {
      const usage = { input: 10, output: pieces };
      yield entry({ type: 'step.closed', step: id, outcome: 'completed', usage });
    }
  }
}

function piece(step: number, i: number): RunEvent {
  if (i < pieces - 3) return { type: 'text.appended', step, channel: 'content', text: `word${i} ` };
  return { type: 'text.appended', step, channel: 'arguments', text: '{"q":', call: 'c1', tool: 'search' };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function range(times: readonly number[]): string {
  return `${Math.round(Math.min(...times))}…${Math.round(Math.max(...times))}`;
}
