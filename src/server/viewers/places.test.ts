import { expect, test, vi } from 'vitest';
import { fakeSink } from '../../../test/fake-sink.ts';
import { closed, ended, journal, opened, said, started } from '../../../test/journal.ts';
import { ownProtocols } from '../../projections/own-protocols.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import type { Chunk, Journal } from '../../stores/store.ts';
import { Channels } from './channels.ts';
import { Places } from './places.ts';
import { wholeMessages } from './socket-messages.ts';
import { encodeAll } from '../../run/entries.ts';

const run = 'run_1';
const perChunk = 50;

/** A journal that is there, and counts the characters that are read of it. */
function readJournal(entries: readonly Entry[]) {
  const chunks: Chunk[] = [];
  for (let at = 0; at < entries.length; at += perChunk) {
    const some = entries.slice(at, at + perChunk);
    chunks.push({ run, first: at + 1, last: at + some.length, frames: encodeAll(some) });
  }
  const counted = { read: 0 };
  const after = (seq: number): Chunk[] => {
    const rest = chunks.filter(({ last }) => last > seq);
    counted.read += rest.reduce((sum, { frames }) => sum + frames.length, 0);
    return rest;
  };
  const pages: Pick<Journal, 'read' | 'follow'> = {
    // As stores give them: so many and no more at once.
    read: async (_, seq) => {
      const rest = chunks.filter(({ last }) => last > seq).slice(0, 4);
      counted.read += rest.reduce((sum, { frames }) => sum + frames.length, 0);
      return rest;
    },
    async *follow(_, seq) {
      yield* after(seq);
    },
  };
  return { pages, counted };
}

function longRun(): Entry[] {
  const events: RunEvent[] = [started()];
  for (let step = 1; step <= 2_000; step += 1)
    events.push(opened(step, 0, { kind: 'call' }), said(step, 'x'.repeat(200)), closed(step));
  return journal(...events, ended('Done.'));
}

const entries = longRun();
const views = [
  { as: 'console' },
  { as: 'console-dotted' },
  { as: 'execution' },
  { as: 'steps', preferences: { depth: 1 } },
  { as: 'steps', isSocket: true },
] as const;

test.for(views)('[P70] $as at the end of a long run costs what was missed', async (view) => {
  const { pages, counted } = readJournal(entries);
  const quiet = { now: () => 0, problem: () => {}, delivered: () => {}, patience: 1_000 };
  const channels = new Channels({ journal: pages, clean: (text) => text, ...quiet });
  const preferences = 'preferences' in view ? view.preferences : undefined;
  const isNative = view.as === 'steps' && !preferences;
  const watch = async (after: number): Promise<string> => {
    const telling = ownProtocols[view.as].telling({ run, preferences: preferences ?? {} });
    const sink = fakeSink();
    const framing = 'isSocket' in view ? { framing: wholeMessages } : {};
    channels.watch(
      { run, head: entries.length, as: view.as, isNative, telling: () => telling },
      { ...sink, ...framing },
      after,
    );
    await vi.waitFor(() => expect(sink.ending).toBe('ended'), 10_000);
    channels.sweep();
    return sink.text;
  };
  const whole = await watch(0);
  counted.read = 0;
  const rest = await watch(entries.length - 5);
  expect(rest.length).toBeGreaterThan(0);
  expect(whole.endsWith(rest)).toBe(true);
  expect(counted.read).toBeLessThan(200_000);
  await channels.close();
});

test('[P70] places lie evenly over a run, few of them, with the newest always there', () => {
  const places = new Places({ seq: 0 });
  for (let seq = 10; seq <= 100_000; seq += 10) places.keep({ seq });
  expect(places.size).toBeLessThan(64);
  expect(places.nearest(99_999)).toEqual({ seq: 99_840 });
  expect(places.nearest(100_003)).toEqual({ seq: 100_000 });
  expect(places.nearest(5)).toEqual({ seq: 0 });
  for (let after = 0; after <= 100_000; after += 997) {
    const { seq } = places.nearest(after);
    expect(seq).toBeLessThanOrEqual(after);
    expect(after - seq).toBeLessThan(100_000 / 32);
  }
});
