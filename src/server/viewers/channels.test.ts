import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeSink } from '../../../test/fake-sink.ts';
import { everything, telling } from '../../projections/frames.ts';
import { ownProtocols } from '../../projections/own-protocols.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import { memoryStore } from '../../stores/memory.ts';
import { Channels, type ChannelsSettings } from './channels.ts';
import { encodeAll } from '../../run/entries.ts';

const run = 'run_1';
const worker = 'w';

function journalOf() {
  const store = memoryStore({ now: () => Date.now() });
  let head = 1;
  const started = store.dispatch.create({
    run,
    tenant: 't',
    conversation: 'c',
    app: 'a',
    title: '',
    flow: 'f@1',
    last: 1,
    frames: encodeAll([{ seq: 1, at: 1, event: begun }]),
    claim: { worker, lease: 1_000_000 },
  });
  return {
    store,
    get head() {
      return head;
    },
    async append(...events: readonly RunEvent[]): Promise<void> {
      await started;
      const entries: Entry[] = events.map((event, i) => ({ seq: head + 1 + i, at: 1, event }));
      const before = head;
      head += entries.length;
      const ends = events.some(({ type }) => type === 'run.ended');
      await store.journal.append({
        fence: { run, epoch: 1 },
        head: before,
        last: head,
        frames: encodeAll(entries),
        summary: { status: 'running', approvals: 0 },
        ends,
      });
    },
    async all(): Promise<string> {
      const chunks = [];
      for (let after = 0; after < head;) {
        const page = await store.journal.read(run, after);
        chunks.push(...page);
        after = page.at(-1)?.last ?? head;
      }
      return chunks.map(({ frames }) => frames).join('');
    },
  };
}

const begun: RunEvent = {
  type: 'run.started',
  tenant: 't',
  who: 'w',
  app: 'a',
  conversation: 'c',
  input: { text: 'hello' },
  flow: { name: 'f', version: '1' },
  limits: {},
  labels: {},
};
const ended: RunEvent = {
  type: 'run.ended',
  outcome: 'completed',
  answer: 'bye',
  usage: { input: 0, output: 0 },
};

function said(text: string): RunEvent {
  return { type: 'text.appended', step: 0, channel: 'content', text };
}

let open: Channels[] = [];
afterEach(async () => {
  for (const channels of open) await channels.close();
  open = [];
});

function channelsOn(journal: ReturnType<typeof journalOf>, more: Partial<ChannelsSettings> = {}): Channels {
  const channels = new Channels({
    journal: journal.store.journal,
    clean: (frames) => frames,
    now: () => Date.now(),
    problem: (_, cause) => {
      throw cause;
    },
    delivered: () => {},
    patience: 30_000,
    ...more,
  });
  open.push(channels);
  return channels;
}

describe('viewers', () => {
  test('get what was, what comes, and the end', async () => {
    const journal = journalOf();
    await journal.append(said('one'));
    const sink = fakeSink();
    channelsOn(journal).watch(
      {
        run,
        head: journal.head,
        as: 'steps',
        isNative: true,
        telling: () => ownProtocols.steps.telling({ run }),
      },
      sink,
      0,
    );
    await journal.append(said('two'));
    await journal.append(ended);
    await vi.waitFor(() => expect(sink.ending).toBe('ended'));
    expect(sink.text).toBe(await journal.all());
  });

  test('[V300] of a short run are given all of it by the read that makes them live', async () => {
    const journal = journalOf();
    await journal.append(said('one'));
    const pages = vi.spyOn(journal.store.journal, 'read');
    const sink = fakeSink();
    channelsOn(journal).watch(
      {
        run,
        head: journal.head,
        as: 'steps',
        isNative: true,
        telling: () => ownProtocols.steps.telling({ run }),
      },
      sink,
      0,
    );
    await journal.append(ended);
    await vi.waitFor(() => expect(sink.ending).toBe('ended'));
    expect(pages).not.toHaveBeenCalled();
    expect(sink.text).toBe(await journal.all());
  });

  test('[V328] that come where one has all there was read it from the store, and miss nothing', async () => {
    const journal = journalOf();
    const channels = channelsOn(journal);
    const watched = { run, as: 'steps', isNative: true, telling: () => ownProtocols.steps.telling({ run }) };
    const first = fakeSink();
    channels.watch({ ...watched, head: 1 }, first, 0);
    for (const text of ['one', 'two', 'three']) await journal.append(said(text));
    await vi.waitFor(async () => expect(first.text).toBe(await journal.all()));
    const read = vi.spyOn(journal.store.journal, 'read');
    const [whole, rest] = [fakeSink(), fakeSink()];
    channels.watch({ ...watched, head: journal.head }, whole, 0);
    channels.watch({ ...watched, head: journal.head }, rest, 3);
    await vi.waitFor(() => expect(whole.text).toBe(first.text));
    expect(read).toHaveBeenCalled();
    await journal.append(said('four'), ended);
    const all = await journal.all();
    await vi.waitFor(() =>
      expect([first, whole, rest].map(({ ending }) => ending)).toEqual(['ended', 'ended', 'ended']),
    );
    expect([first.text, whole.text]).toEqual([all, all]);
    expect(rest.text).toBe(all.slice(all.indexOf('id: 4')));
  });

  test('[L11] one that stalls is held to a bounded buffer, and misses nothing', async () => {
    const journal = journalOf();
    const channels = channelsOn(journal);
    const slow = fakeSink();
    const quick = fakeSink();
    for (const sink of [slow, quick])
      channels.watch(
        { run, head: 1, as: 'steps', isNative: true, telling: () => ownProtocols.steps.telling({ run }) },
        sink,
        0,
      );
    await vi.waitFor(() => expect(slow.writes).toBe(1));
    slow.stall();
    for (let i = 0; i < 300; i += 1) await journal.append(said(`${i} ${'x'.repeat(4_000)}`));
    await vi.waitFor(async () => expect(quick.text).toBe(await journal.all()));
    expect(slow.held()).toBeLessThan(70_000);
    expect(channels.count()).toMatchObject({ viewers: 2, stalled: 1 });
    slow.drain();
    await vi.waitFor(async () => expect(slow.text).toBe(await journal.all()));
    await journal.append(ended);
    await vi.waitFor(() => expect([slow.ending, quick.ending]).toEqual(['ended', 'ended']));
  });

  test('that stall again and again while they catch up still miss nothing', async () => {
    const journal = journalOf();
    const channels = channelsOn(journal);
    for (let i = 0; i < 200; i += 1) await journal.append(said(`${i} ${'y'.repeat(5_000)}`), said('…'));
    const sink = fakeSink();
    sink.stall();
    channels.watch(
      {
        run,
        head: journal.head,
        as: 'steps',
        isNative: true,
        telling: () => ownProtocols.steps.telling({ run }),
      },
      sink,
      0,
    );
    await journal.append(ended);
    const whole = await journal.all();
    while (sink.ending === 'open') {
      const before = sink.writes;
      sink.drain();
      sink.stall();
      await vi.waitFor(() => expect(sink.writes > before || sink.ending !== 'open').toBe(true));
      expect(sink.held()).toBeLessThan(70_000);
    }
    expect(sink.text).toBe(whole);
  });

  test.for(['steps', 'console', 'console-dotted', 'execution'] as const)(
    '[L2] of %s at any cursor get what an unbroken viewer gets after it',
    async (name) => {
      const journal = journalOf();
      for (let i = 0; i < 30; i += 1) {
        const step = i + 1;
        await journal.append(
          {
            type: 'step.opened',
            step,
            parent: 0,
            key: `k${i}`,
            kind: 'call',
            title: `tool ${i}`,
            started: true,
          },
          { type: 'text.appended', step, channel: 'content', text: `text ${i}` },
          { type: 'step.closed', step, outcome: 'completed', result: { i } },
        );
      }
      const channels = channelsOn(journal);
      const watch = (sink: ReturnType<typeof fakeSink>, after: number): void => {
        const told = { isNative: name === 'steps', telling: () => ownProtocols[name].telling({ run }) };
        channels.watch({ run, head: journal.head, as: name, ...told }, sink, after);
      };
      const whole = fakeSink();
      watch(whole, 0);
      const early = Array.from({ length: 20 }, fakeSink);
      for (const [i, sink] of early.entries()) watch(sink, i * 4);
      await journal.append(said('last words'), ended);
      await vi.waitFor(() => expect(whole.ending).toBe('ended'));
      const late = Array.from({ length: 20 }, fakeSink);
      for (const [i, sink] of late.entries()) watch(sink, i * 4);
      for (const [i, sink] of [...early.entries(), ...late.entries()]) {
        await vi.waitFor(() => expect(sink.ending).toBe('ended'));
        expect(whole.text.endsWith(sink.text)).toBe(true);
        expect(idsIn(sink.text)).toEqual(idsIn(whole.text).filter((id) => id > i * 4));
      }
    },
  );

  test('far behind in a told run are served from the nearest place that was kept', async () => {
    const journal = journalOf();
    for (let i = 0; i < 250; i += 1) await journal.append(said(`${i} ${'z'.repeat(3_000)}`));
    await journal.append(ended);
    const told = telling({ projection: everything, write: ({ event }) => ({ data: event.type }) });
    const channels = channelsOn(journal);
    const whole = fakeSink();
    channels.watch({ run, head: journal.head, as: 'types', telling: () => told }, whole, 0);
    await vi.waitFor(() => expect(whole.ending).toBe('ended'));
    const sink = fakeSink();
    channels.watch({ run, head: journal.head, as: 'types', telling: () => told }, sink, 100);
    await vi.waitFor(() => expect(sink.ending).toBe('ended'));
    expect(idsIn(sink.text)).toEqual(Array.from({ length: journal.head - 100 }, (_, i) => 101 + i));
  });

  test('are written to once for all that came together', async () => {
    const journal = journalOf();
    const channels = channelsOn(journal);
    const sinks = Array.from({ length: 60 }, fakeSink);
    for (const sink of sinks)
      channels.watch(
        { run, head: 1, as: 'steps', isNative: true, telling: () => ownProtocols.steps.telling({ run }) },
        sink,
        1,
      );
    await journal.append(said('wake'));
    await vi.waitFor(() => expect(sinks[0]?.writes).toBe(1));
    for (let i = 0; i < 40; i += 1) await journal.append(said(`${i}`));
    await journal.append(ended);
    await vi.waitFor(() => expect(sinks.every(({ ending }) => ending === 'ended')).toBe(true));
    for (const sink of sinks) {
      expect(idsIn(sink.text)).toEqual(Array.from({ length: 42 }, (_, i) => i + 2));
      expect(sink.writes).toBeLessThan(30);
    }
  });

  test('are told to come back when the server closes, with all there is', async () => {
    const journal = journalOf();
    const channels = channelsOn(journal);
    const sinks = Array.from({ length: 60 }, fakeSink);
    for (const sink of sinks)
      channels.watch(
        { run, head: 1, as: 'steps', isNative: true, telling: () => ownProtocols.steps.telling({ run }) },
        sink,
        0,
      );
    await journal.append(said('a'), said('b'));
    await vi.waitFor(() => expect(sinks[0]?.text).toContain('"a"'));
    await journal.append(said('c'));
    await channels.close();
    for (const sink of sinks) {
      expect(sink.ending).toBe('reconnect');
      expect(sink.text).toBe(await journal.all());
    }
  });

  test.for(['steps', 'console', 'console-dotted', 'execution'] as const)(
    '[P6] of %s get the terminal frame of a run that ended a moment before the server closed',
    async (name) => {
      const journal = journalOf();
      const channels = channelsOn(journal);
      const told = { isNative: name === 'steps', telling: () => ownProtocols[name].telling({ run }) };
      const sinks = Array.from({ length: 15 }, fakeSink);
      for (let i = 0; i < 100; i += 1) void journal.append(said(`${i} ${'x'.repeat(4_000)}`));
      await journal.append(ended);
      // Whoever watched all along has had it: these still have to read.
      for (const sink of sinks) channels.watch({ run, head: 1, as: name, ...told }, sink, 0);
      await channels.close();
      for (const sink of sinks) {
        expect(sink.ending).toBe('ended');
        expect(idsIn(sink.text).at(-1)).toBe(journal.head);
      }
    },
  );

  test('that take nothing for too long are cut off, and those who hear nothing get a sign of life', async () => {
    vi.useFakeTimers();
    try {
      const journal = journalOf();
      const channels = channelsOn(journal, { patience: 30_000 });
      const [stalled, quiet] = [fakeSink(), fakeSink()];
      for (const sink of [stalled, quiet])
        channels.watch(
          { run, head: 1, as: 'steps', isNative: true, telling: () => ownProtocols.steps.telling({ run }) },
          sink,
          1,
        );
      stalled.stall();
      await journal.append(said('too much'));
      await vi.advanceTimersByTimeAsync(29_000);
      expect(stalled.ending).toBe('open');
      await vi.advanceTimersByTimeAsync(3_000);
      expect(stalled.ending).toBe('cut');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(quiet.beats).toBeGreaterThanOrEqual(2);
      expect(channels.count()).toMatchObject({ viewers: 1, stalled: 0 });
      quiet.leave();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(channels.count()).toEqual({ viewers: 0, stalled: 0, held: 0, channels: 0 });
    } finally {
      vi.useRealTimers();
    }
  });
});

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}
