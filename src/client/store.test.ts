import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sized } from '../../test/long.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { failureOf } from '../run/failure.ts';
import { flatTree } from '../run/flat-tree.ts';
import { foldAll, encodeAll } from '../run/entries.ts';
import { headHeader } from '../wire/native/runs.ts';
import { vitrineClient, type Connection, type RunStore } from './client.ts';

const opened = (step: number, parent = 0): RunEvent => ({
  type: 'step.opened',
  step,
  parent,
  key: `k${step}`,
  kind: 'step',
  title: `Step ${step}`,
});
const said = (step: number, text: string): RunEvent => ({
  type: 'text.appended',
  step,
  channel: 'content',
  text,
});
const ended: RunEvent = { type: 'run.ended', outcome: 'completed', usage: { input: 0, output: 0 } };
const entriesOf = (events: readonly RunEvent[]): Entry[] =>
  events.map((event, i) => ({ seq: i + 1, at: i, event }));

/** A server of one run, whose every connection can be fed, cut and refused by hand. */
class OneRun {
  readonly asked: number[] = [];
  #feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #joined: (() => void)[] = [];
  head = 0;

  readonly fetch: typeof globalThis.fetch = async (address) => {
    this.asked.push(cursorIn(address));
    const body = new ReadableStream<Uint8Array>({ start: (feed) => void (this.#feed = feed) });
    this.#joined.shift()?.();
    const headers = { 'content-type': 'text/event-stream', [headHeader]: String(this.head) };
    return new Response(body, { headers });
  };

  /** Resolves when somebody joins. */
  joined(): Promise<void> {
    return new Promise((resolve) => this.#joined.push(resolve));
  }

  send(bytes: Uint8Array): void {
    this.#feed?.enqueue(bytes);
  }

  cut(): void {
    this.#feed?.error(new TypeError('terminated'));
  }

  watch(): RunStore {
    return vitrineClient({ url: 'http://run', fetch: this.fetch }).watch('r');
  }
}

const cursorIn = (address: Parameters<typeof fetch>[0]): number =>
  Number(new URL(new Request(address).url).searchParams.get('after'));

const bytesOf = (entries: readonly Entry[]): Uint8Array => new TextEncoder().encode(encodeAll(entries));

async function until(store: RunStore, isSo: (store: RunStore) => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !isSo(store); i += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo(store)).toBe(true);
}

const hasCome = (seq: number) => (store: RunStore) => store.getSnapshot().head >= seq;

test('[N15] of a run that comes without a pause the beginning is seen before the end has come', async () => {
  const run = entriesOf([opened(1), ...Array.from({ length: 20_000 }, () => said(1, 'a'))]);
  const server = new OneRun();
  const joined = server.joined();
  const store = server.watch();
  onTestFinished(() => store.close());
  await joined;
  for (let i = 0; i < run.length; i += 500) server.send(bytesOf(run.slice(i, i + 500)));
  const heads = new Set<number>();
  await until(store, (one) => {
    heads.add(one.getSnapshot().head);
    return hasCome(run.length)(one);
  });
  expect(heads.size).toBeGreaterThan(3);
});

describe('[N6] a part of a run', () => {
  const run = entriesOf([
    opened(1),
    opened(2),
    opened(3, 2),
    said(1, 'a'),
    said(3, 'b'),
    said(3, 'c'),
    ended,
  ]);

  test('tells whoever looks at it when it has changed, and nobody else', async () => {
    const server = new OneRun();
    const store = server.watch();
    const heard = { one: 0, three: 0, below: 0, run: 0 };
    store.step(1).subscribe(() => (heard.one += 1));
    store.step(3).subscribe(() => (heard.three += 1));
    store.below(2).subscribe(() => (heard.below += 1));
    const leave = store.subscribe(() => (heard.run += 1));
    await until(store, () => store.connection.getSnapshot().is === 'live');
    server.send(bytesOf(run.slice(0, 3)));
    await until(store, hasCome(3));
    expect(heard).toMatchObject({ one: 1, three: 1, below: 1 });
    const [one, below] = [store.step(1).getSnapshot(), store.below(2).getSnapshot()];
    server.send(bytesOf(run.slice(3, 4)));
    await until(store, hasCome(4));
    expect(heard).toMatchObject({ one: 2, three: 1, below: 1 });
    expect(store.step(1).getSnapshot()).not.toBe(one);
    expect(store.below(2).getSnapshot()).toBe(below);
    expect(below).toEqual([3]);
    const before = heard.run;
    leave();
    server.send(bytesOf(run.slice(4)));
    await until(store, hasCome(7));
    expect(heard).toMatchObject({ one: 3, run: before });
    expect(store.step(3).getSnapshot()).toMatchObject({ text: 'bc', status: 'abandoned' });
    expect(store.connection.getSnapshot()).toEqual({ is: 'over' });
  });

  test('is one source under one name, and the same value until it changes', () => {
    const store = new OneRun().watch();
    expect(store.step(1)).toBe(store.step(1));
    expect(store.getSnapshot()).toBe(store.getSnapshot());
    expect(store.step(9).getSnapshot()).toBeUndefined();
    store.close();
  });

  test('that fails in the hands of one viewer is told to the others', async () => {
    const server = new OneRun();
    const store = server.watch();
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {});
    onTestFinished(() => later.mockRestore());
    let told = 0;
    store.subscribe(() => {
      throw new Error('of a viewer');
    });
    store.subscribe(() => (told += 1));
    server.send(bytesOf([]));
    await until(store, () => told > 0);
    expect(() => later.mock.calls[0]?.[0]()).toThrow('of a viewer');
    store.close();
  });
});

describe('[N7] the connection', () => {
  test('is told: how much is on its way, that it is live, away and where it goes on, and over', async () => {
    const run = entriesOf([opened(1), said(1, 'a'), said(1, 'b'), said(1, 'c'), said(1, 'd'), ended]);
    const server = new OneRun();
    server.head = 3;
    const store = server.watch();
    const seen: Connection[] = [store.connection.getSnapshot()];
    store.connection.subscribe(() => void seen.push(store.connection.getSnapshot()));
    await until(store, () => server.asked.length === 1);
    server.send(bytesOf(run.slice(0, 2)));
    await until(store, hasCome(2));
    server.send(bytesOf(run.slice(2, 3)));
    await until(store, hasCome(3));
    server.head = 5;
    const back = server.joined();
    server.cut();
    await back;
    server.send(bytesOf(run.slice(3, 5)));
    await until(store, hasCome(5));
    server.send(bytesOf(run.slice(5)));
    await until(store, hasCome(6));
    expect(seen).toMatchObject([
      { is: 'connecting' },
      { is: 'catching up', entries: 3 },
      { is: 'catching up', entries: 1 },
      { is: 'live' },
      {
        is: 'away',
        resumesAt: 4,
        failure: { code: 'unavailable', message: 'The connection to http://run broke.' },
      },
      { is: 'catching up', entries: 2 },
      { is: 'live' },
      { is: 'over' },
    ]);
    expect(server.asked).toEqual([0, 3]);
  });

  test('is live after a silence, where the last entries are not shown', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const server = new OneRun();
      server.head = 9;
      const store = server.watch();
      await until(store, () => store.connection.getSnapshot().is === 'catching up');
      await vi.advanceTimersByTimeAsync(1_100);
      expect(store.connection.getSnapshot()).toEqual({ is: 'live' });
      store.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('is refused, and why, where asking again cannot help', async () => {
    const refusing: typeof fetch = async () =>
      Response.json({ error: { code: 'unknown', message: 'There is no run «r».' } }, { status: 404 });
    const store = vitrineClient({ url: 'http://run', fetch: refusing }).watch('r');
    await until(store, () => store.connection.getSnapshot().is === 'refused');
    expect(store.connection.getSnapshot()).toMatchObject({ failure: { code: 'unknown' } });
  });
});

test('[N7] an answer that breaks off is worth asking for again, and one that is no answer is not', async () => {
  const half = new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) });
  const answers = [new Response(half), new Response('<html>'), Response.json({ runs: 5 })];
  const client = vitrineClient({ url: 'http://run', fetch: async () => answers.shift() ?? Response.error() });
  const failed = async () => client.runs().catch(failureOf);
  const broke = { code: 'unavailable', message: 'The connection to http://run broke.', retryable: true };
  expect(await failed()).toEqual(broke);
  for (const _ of [1, 2]) expect(await failed()).toMatchObject({ message: expect.stringContaining('knows') });
});

describe('[N8] seeking', () => {
  test('shows the run as it was, keeps what is the same, and comes back to now', async () => {
    const run = entriesOf([opened(1), opened(2), said(1, 'a'), said(2, 'b'), said(2, 'c'), ended]);
    const server = new OneRun();
    const store = server.watch();
    await until(store, () => server.asked.length === 1);
    server.send(bytesOf(run.slice(0, 5)));
    await until(store, hasCome(5));
    const now = store.getSnapshot();
    store.seek(4);
    const then = store.getSnapshot();
    expect(then).toMatchObject({ at: 4, head: 5 });
    expect(then.tree).toEqual(flatTree(foldAll(run.slice(0, 4)), 'r'));
    expect(then.tree.steps[0]).toBe(now.tree.steps[0]);
    server.send(bytesOf(run.slice(5)));
    await until(store, hasCome(6));
    expect(store.getSnapshot().tree).toBe(then.tree);
    store.seek();
    expect(store.getSnapshot().tree).toMatchObject({ seq: 6, status: 'completed' });
    expect(store.getSnapshot().at).toBeUndefined();
  });

  test('to what has not come yet shows what has, until it does', async () => {
    const run = entriesOf([opened(1), said(1, 'a'), said(1, 'b'), said(1, 'c')]);
    const server = new OneRun();
    const store = server.watch();
    await until(store, () => server.asked.length === 1);
    store.seek(3);
    server.send(bytesOf(run.slice(0, 2)));
    await until(store, hasCome(2));
    expect(store.getSnapshot().tree.seq).toBe(2);
    server.send(bytesOf(run.slice(2)));
    await until(store, hasCome(4));
    expect(store.getSnapshot().tree.seq).toBe(3);
    store.close();
  });
});

test('[N3] [N4] whatever is cut wherever, what is seen is the fold, and a step nothing happened to is the same object', async () => {
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      plausibleRun,
      cuts,
      fc.array(fc.nat(), { maxLength: 3 }),
      async (entries, places, sought) => {
        const server = cutting(entries, places);
        const store = vitrineClient({ url: 'http://run', fetch: server.fetch }).watch('r');
        const seen = new Map<number, string>();
        store.subscribe(
          () => void seen.set(store.getSnapshot().tree.seq, JSON.stringify(store.getSnapshot().tree)),
        );
        const last = entries.at(-1)?.seq ?? 0;
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        for (let i = 0; i < 2_000 && store.getSnapshot().head < last; i += 1)
          await vi.advanceTimersByTimeAsync(2_000);
        vi.useRealTimers();
        for (const [seq, text] of seen) {
          const then = foldAll(entries.filter((entry) => entry.seq <= seq));
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(flatTree(then, 'r'))));
        }
        const now = store.getSnapshot().tree;
        expect(now).toEqual(flatTree(foldAll(entries), 'r'));
        for (const place of sought) {
          const at = place % (last + 1);
          store.seek(at);
          const { tree } = store.getSnapshot();
          expect(tree).toEqual(flatTree(foldAll(entries.filter(({ seq }) => seq <= at)), 'r'));
          for (const step of tree.steps) {
            const same = now.steps.find(({ id }) => id === step.id);
            if (JSON.stringify(same) === JSON.stringify(step)) expect(step).toBe(same);
          }
          store.seek();
        }
        store.close();
      },
    ),
    { numRuns: sized(60, 1_000) },
  );
});

/** A server that cuts each connection after some bytes, at first; the entries are all there. */
function cutting(entries: readonly Entry[], places: readonly number[]): { readonly fetch: typeof fetch } {
  const left = [...places];
  return {
    fetch: async (address) => {
      const after = cursorIn(address);
      const rest = bytesOf(entries.filter(({ seq }) => seq > after));
      const most = left.shift();
      const body = new ReadableStream<Uint8Array>({
        start(feed) {
          feed.enqueue(rest.subarray(0, most ?? rest.length));
          if (most === undefined || most >= rest.length) feed.close();
        },
        pull: (feed) => feed.error(new TypeError('terminated')),
      });
      const headers = { 'content-type': 'text/event-stream', [headHeader]: String(entries.length) };
      return new Response(body, { headers });
    },
  };
}
