import type { Entry, RunEvent } from '../src/run/events.ts';
import { ownProtocols } from '../src/projections/own-protocols.ts';
import type { Preferences } from '../src/projections/projection.ts';
import { sseTexts } from '../src/wire/sse-frame.ts';
import { encode } from '../src/run/entries.ts';

const sizes = [10_000, 100_000] as const;
const rounds = 5;
const pieces = 20;
const deepest = 6;

interface Case {
  readonly name: string;
  readonly tell: () => (entry: Entry) => string;
}

const tastes: readonly (readonly [name: string, preferences: Preferences])[] = [
  ['', {}],
  [', flat', { stages: 'flat' }],
  [', depth 2', { depth: 2 }],
];

const cases: readonly Case[] = [
  { name: 'encoding alone', tell: () => encode },
  ...Object.entries(ownProtocols).flatMap(([as, protocol]) =>
    tastes.map(([suffix, preferences]) => ({
      name: `${as}${suffix}`,
      tell: () => {
        const viewer = protocol.telling({ run: 'run-1', preferences });
        return (entry: Entry) => sseTexts(viewer.tell(entry));
      },
    })),
  ),
];

/** What telling one entry costs by projection, down to the text of its frames, and whether it grows with the run. */
export async function projectionsBench(): Promise<void> {
  const journals = new Map(sizes.map((size) => [size, journal(size)]));
  const results = cases.map(({ name, tell }) => ({
    name,
    tell,
    times: sizes.map(() => [] as number[]),
    bytes: 0,
  }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const result of results) {
      for (const [i, size] of sizes.entries()) {
        const { time, bytes } = measure(result.tell(), journals.get(size) ?? []);
        // The first round warms up.
        if (round > 0) result.times[i]?.push(time / size);
        result.bytes = bytes / size;
      }
    }
  }
  console.log(`Projections, processor time in microseconds per entry, median of ${rounds}:`);
  const rows = results.map(({ name, times, bytes }) => {
    const [short = 0, long = 0] = times.map(median);
    const growth = (long / short).toFixed(2);
    const cells = { [label(0)]: short.toFixed(2), [label(1)]: long.toFixed(2), growth };
    return [name, { ...cells, 'bytes/entry': Math.round(bytes) }];
  });
  console.table(Object.fromEntries(rows));
}

function label(i: 0 | 1): string {
  return `${sizes[i].toLocaleString('en')} entries`;
}

function measure(tell: (entry: Entry) => string, entries: readonly Entry[]): { time: number; bytes: number } {
  const before = process.threadCpuUsage();
  let bytes = 0;
  for (const entry of entries) bytes += tell(entry).length;
  const { user, system } = process.threadCpuUsage(before);
  return { time: user + system, bytes };
}

/** Agents that stream within agents: mostly text, a card or stage for every twenty pieces of it. */
function journal(size: number): Entry[] {
  const entries: Entry[] = [];
  const emit = (event: RunEvent): void => {
    entries.push({ seq: entries.length + 1, at: 1_000 + entries.length, event });
  };
  const open: number[] = [0];
  for (let step = 1; entries.length < size; step += 1) {
    const kind = ['agent', 'turn', 'stage', 'call'][step % 4] ?? 'stage';
    const place = { step, parent: open.at(-1) ?? 0, key: `k${step}`, kind, title: `Step ${step}` };
    const more = kind === 'stage' ? { origin: `${step}` } : { agent: `agent-${step % 3}`, started: true };
    emit({ type: 'step.opened', ...place, ...more, effect: 'once', query: 'Which paths use the link?' });
    open.push(step);
    for (let i = 0; i < pieces; i += 1) {
      emit({ type: 'text.appended', step, channel: 'content', text: `word${i} ` });
    }
    if (open.length <= deepest && step % 4 !== 0) continue;
    for (const id of open.splice(Math.max(1, open.length - (step % deepest) - 1)).reverse()) {
      emit({ type: 'step.closed', step: id, outcome: 'completed', usage: { input: 10, output: pieces } });
    }
  }
  return entries.slice(0, size);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
