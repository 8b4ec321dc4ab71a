// The cursor law where people meet it: random runs in a real store, told by a real server, at every cursor.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { ownProtocols } from '../../src/projections/own-protocols.ts';
import type { Preferences } from '../../src/projections/projection.ts';
import type { Entry } from '../../src/run/events.ts';
import { sseTexts, type SseFrame } from '../../src/wire/sse-frame.ts';
import { isLong } from '../long.ts';
import { plausibleRun } from '../plausible-run.ts';
import { idsIn, serving, shareServing, temporaryFolder, type Serving } from '../serving.ts';
import { streamViewer } from '../stream.ts';
import { variedRuns, variety } from '../variety.ts';
import { encodeAll } from '../../src/run/entries.ts';

type Name = keyof typeof ownProtocols;

interface View {
  readonly as: Name;
  readonly preferences: Preferences;
}

const preferred: readonly Name[] = ['steps', 'console', 'console-dotted', 'execution'];
const views: readonly View[] = [
  ...(Object.keys(ownProtocols) as Name[]).map((as) => ({ as, preferences: {} })),
  ...preferred.map((as) => ({ as, preferences: { stages: 'prefix' as const, depth: 2 } })),
];

/** A few runs that have between them nearly everything that can happen. */
const stories = variedRuns(5, 160);
/** Of them, what is told in one view: in a long run all, otherwise two, so that each is told in seven views or more. */
function storiesIn(view: View): [number, readonly Entry[]][] {
  return [...stories.entries()].filter(([i]) => isLong || (i + views.indexOf(view)) % 5 < 2);
}
/** A socket gets what a stream gets: at each cursor it is looked at in a long run. */
const socketEach = isLong ? 1 : 3;
const atOnce = 16;

let at: Serving;
beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { server: { quotas: { streams: 100_000 } } } });
  }),
);

/** A run that is in the hands of the test: the store holds it, and nobody else works on it. */
async function begin(run: string, [first]: readonly Entry[], on = at): Promise<void> {
  await on.server.context.home.store.dispatch.create({
    run,
    tenant: 'local',
    conversation: `c-${run}`,
    app: 'app',
    title: '',
    flow: 'made-up@1',
    last: 1,
    frames: encodeAll(first ? [first] : []),
    claim: { worker: 'test', lease: 3_600_000 },
  });
}

async function append(run: string, entries: readonly Entry[], on = at): Promise<void> {
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) return;
  await on.server.context.home.store.journal.append({
    fence: { run, epoch: 1 },
    head: first.seq - 1,
    last: last.seq,
    frames: encodeAll(entries),
    summary: { status: 'running', approvals: 0 },
    ends: last.event.type === 'run.ended',
  });
}

/** The frames of each entry, as the projection alone tells them: what every viewer must get. */
function told(run: string, entries: readonly Entry[], { as, preferences }: View): readonly SseFrame[][] {
  const telling = ownProtocols[as].telling({ run, preferences });
  return entries.map((entry) => [...telling.tell(entry)]);
}

function query({ as, preferences: { stages, depth } }: View, after: number): string {
  const asked = new URLSearchParams({ as, after: String(after) });
  if (stages) asked.set('stages', stages);
  if (depth !== undefined) asked.set('depth', String(depth));
  return `?${asked.toString()}`;
}

/** What a socket gets for these frames. */
function messagesOf(frames: readonly SseFrame[]): string[] {
  return frames.map(({ id, event, data }) => {
    const named = event === undefined ? '' : `"event":${JSON.stringify(event)},`;
    return `{${id === undefined ? '' : `"id":${id},`}${named}"data":${data}}`;
  });
}

function socket(
  run: string,
  view: View,
  after: number,
): { readonly texts: string[]; readonly over: Promise<void> } {
  const client = new WebSocket(`${at.url.replace('http', 'ws')}/ws/runs/${run}${query(view, after)}`);
  const texts: string[] = [];
  client.on('message', (data: Buffer) => texts.push(data.toString()));
  return {
    texts,
    over: new Promise((resolve, reject) => {
      client.on('close', () => resolve());
      client.on('error', reject);
    }),
  };
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

test('the runs have nearly everything that can happen between them', () => {
  const seen = new Set(stories.flatMap((entries) => [...variety(entries)]));
  const all = new Set(
    fc.sample(plausibleRun, { numRuns: 400, seed: 3 }).flatMap((entries) => [...variety(entries)]),
  );
  expect([...all].filter((one) => !seen.has(one)).length).toBeLessThan(all.size / 10);
});

test.for(views)(
  '[L2] $as with $preferences, after the end: [R13] every cursor gets the rest, byte for byte',
  async (view) => {
    for (const [i, entries] of storiesIn(view)) {
      const run = `run_ended_${i}_${views.indexOf(view)}`;
      await begin(run, entries);
      await append(run, entries.slice(1));
      const frames = told(run, entries, view);
      await inBatches([...entries.keys()], async (after) => {
        const rest = frames.slice(after).flat();
        const { text, status } = await at.ask(`/api/runs/${run}/events${query(view, after)}`);
        expect([after, status, text]).toEqual([after, 200, sseTexts(rest)]);
        if (after % socketEach > 0) return;
        const { texts, over } = socket(run, view, after);
        await over;
        expect([after, texts]).toEqual([after, messagesOf(rest)]);
      });
      const { status } = await at.ask(`/api/runs/${run}/events${query(view, entries.length)}`);
      expect(status).toBe(204);
    }
  },
);

test.for(views)(
  '[L2] $as with $preferences, while the run works: every cursor gets the rest, byte for byte',
  async (view) => {
    for (const [i, entries] of storiesIn(view)) {
      const run = `run_live_${i}_${views.indexOf(view)}`;
      await begin(run, entries);
      const frames = told(run, entries, view);
      const streams: { readonly after: number; readonly viewer: ReturnType<typeof streamViewer> }[] = [];
      const sockets: ({ readonly after: number } & ReturnType<typeof socket>)[] = [];
      const watch = (after: number): void => {
        const path = `/api/runs/${run}/events${query(view, after)}`;
        streams.push({ after, viewer: streamViewer({ url: at.url, path }) });
        if (after % socketEach === 0) sockets.push({ after, ...socket(run, view, after) });
      };
      // One comes at every cursor, some at its head and some far behind it, while more is written.
      for (let head = 1; head < entries.length;) {
        const more = 1 + ((head * 7) % 5);
        for (let after = Math.max(0, head - more); after < head; after += 1) watch(after);
        if (head % 4 === 0) watch(0);
        await append(run, entries.slice(head, head + more));
        head += more;
      }
      for (const { after, viewer } of streams) {
        await viewer.closed;
        expect([after, viewer.body]).toEqual([after, sseTexts(frames.slice(after).flat())]);
        expect(viewer.isWhole).toBe(true);
      }
      for (const { after, texts, over } of sockets) {
        await over;
        expect([after, texts]).toEqual([after, messagesOf(frames.slice(after).flat())]);
      }
    }
  },
);

test.for(views)(
  '[L2] $as with $preferences, over a restart: what came before and after is the whole',
  async (view) => {
    const [entries = []] = stories;
    const half = Math.floor(entries.length / 2);
    const data = temporaryFolder();
    const run = 'run_restarted';
    const frames = told(run, entries, view);
    const first = await serving({ data });
    await begin(run, entries, first);
    await append(run, entries.slice(1, half), first);
    const watching = Array.from({ length: half }, (_, after) => {
      const path = `/api/runs/${run}/events${query(view, after)}`;
      return { after, viewer: streamViewer({ url: first.url, path }) };
    });
    for (const { after, viewer } of watching) {
      const sofar = sseTexts(frames.slice(after, half).flat());
      await viewer.until((body) => body === sofar);
    }
    await first.close();
    const second = await serving({ data });
    await append(run, entries.slice(half), second);
    for (const { after, viewer } of watching) {
      await viewer.closed;
      const before = viewer.body.replace(/: [^\n]*\nretry: \d+\n\n$/, '');
      const cursor = idsIn(before).at(-1) ?? after;
      const { text } = await second.ask(`/api/runs/${run}/events${query(view, cursor)}`);
      expect([after, before + text]).toEqual([after, sseTexts(frames.slice(after).flat())]);
    }
  },
);
