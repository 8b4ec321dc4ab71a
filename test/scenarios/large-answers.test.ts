// A large run, read many times at once, in every way there is, by a server that has little memory. `LONG=1`: 48 MB, twenty
// times, and all ways.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareServing, temporaryFolder } from '../serving.ts';

const isLong = process.env['LONG'] !== undefined;
const { megabytes, atOnce, heap, memory } = isLong
  ? { megabytes: 48, atOnce: 20, heap: 768, memory: 1_500 }
  : { megabytes: 24, atOnce: 16, heap: 224, memory: 900 };

let child: ChildProcess;
let url: string;
let run: string;
let session: string;

beforeAll(() =>
  shareServing(async () => {
    child = fork(new URL('../large/child.ts', import.meta.url), [temporaryFolder()], {
      execArgv: [`--max-old-space-size=${heap}`],
    });
    [{ url }] = (await once(child, 'message')) as [{ url: string }];
    const started = await post('/api/sessions', { scenario: 'says', alert_text: String(megabytes) });
    session = String(started['session_id']);
    const { runs } = (await (await fetch(`${url}/api/runs`)).json()) as { runs: { run: string }[] };
    run = runs[0]?.run ?? '';
    expect(await lengthOf(`/api/runs/${run}/events`)).toBeGreaterThan(megabytes * 1e6);
  }),
);

afterAll(() => void child.kill('SIGTERM'));

async function post(path: string, json: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  return (await answer.json()) as Record<string, unknown>;
}

/** Read to its end without keeping it, and not at once: what is not taken yet must wait somewhere. */
async function lengthOf(path: string): Promise<number> {
  const [answer] = (await once(get(`${url}${path}`), 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  await sleep(1_000);
  let length = 0;
  for await (const bytes of answer) length += (bytes as Buffer).length;
  expect(answer.complete).toBe(true);
  return length;
}

/** Bytes of memory, at the most until now. */
async function peak(): Promise<number> {
  const told = once(child, 'message');
  child.send({});
  const [{ peak: most }] = (await told) as [{ peak: number }];
  return most;
}

const quick: readonly (readonly [string, (i: number) => string])[] = [
  ['the tree at a moment', (i) => `/api/runs/${run}?at=${25 * megabytes - i}`],
  ['entries', () => `/api/runs/${run}/entries?limit=10000`],
];
const others: typeof quick = [
  ['the tree', () => `/api/runs/${run}`],
  ['a session', () => `/api/sessions/${session}`],
  ['the tree as somebody prefers it', (i) => `/api/runs/${run}?depth=${i + 1}`],
  ['execution', () => `/workflows/execution/${run}/steps`],
  ['sessions', () => '/api/sessions'],
  ['a conversation', () => `/api/conversations/${session}`],
  ['frames of the console', () => `/api/runs/${run}/events?as=console`],
  ['frames of an execution', () => `/api/runs/${run}/events?as=execution`],
];

test.for(isLong ? [...quick, ...others] : quick)(
  '[V40] %s of a large run, asked for many times at once, exhausts nothing',
  { timeout: 300_000 },
  async ([, path]) => {
    const lengths = await Promise.all(Array.from({ length: atOnce }, (_, i) => lengthOf(path(i))));
    expect(Math.min(...lengths)).toBeGreaterThan(100);
    expect(await peak()).toBeLessThan(memory * 1e6);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);

test('[V40] a page of entries is bounded in bytes, and the next one goes on', async () => {
  let after = 0;
  let seen = 0;
  for (let pages = 0; pages < 5; pages += 1) {
    const answer = await fetch(`${url}/api/runs/${run}/entries?limit=10000&after=${after}`);
    const text = await answer.text();
    const { entries, next } = JSON.parse(text) as { entries: { seq: number }[]; next: number };
    expect(text.length).toBeLessThan(400_000);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => after + i + 1));
    seen += entries.length;
    after = next;
  }
  expect(seen).toBe(after);
});
