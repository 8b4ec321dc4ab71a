// What lists, starts and tails cost with 10,000 finished and 1,000 open runs, as a multiple of what they cost with 100.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../src/run/events.ts';
import { localTenant } from '../src/run/owner.ts';
import { protocols } from '../src/server/compose/protocols.ts';
import { serve, type RunningServer } from '../src/server/serve.ts';
import { sqliteStore } from '../src/stores/sqlite.ts';
import type { Store } from '../src/stores/store.ts';
import { keepRun } from './lists/keep-run.ts';
import { ended, journal, opened, said, started } from '../test/journal.ts';

const few = { finished: 90, open: 10, entries: 100 };
const many = { finished: 10_000, open: 1_000, entries: 10_000 };
const rounds = 15;
const asksPerRound = 10;
const most = 2;

interface Subject {
  readonly data: string;
  readonly server: RunningServer;
  /** Microseconds of this process until it answered. */
  readonly startUp: number;
  readonly entries: number;
  /** A place of its feed, with one change after it. */
  readonly feed: string;
}

export async function listsBench(): Promise<void> {
  // The first one brings what every later one has: code that is compiled.
  await leave(await subject(few));
  const small = await subject(few);
  const large = await subject(many);
  console.log(`processor time with ${many.finished} finished and ${many.open} open runs, of that with 100:`);
  tell('start-up', small.startUp, large.startUp);
  for (const [name, ask] of asks()) {
    const costs = { small: Infinity, large: Infinity };
    for (let round = 0; round < rounds; round += 1) {
      costs.small = Math.min(costs.small, await cost(() => ask(small)));
      costs.large = Math.min(costs.large, await cost(() => ask(large)));
    }
    tell(name, costs.small, costs.large);
  }
  await leave(small);
  await leave(large);
}

async function leave({ data, server }: Subject): Promise<void> {
  await server.close();
  rmSync(data, { recursive: true });
}

function tell(name: string, small: number, large: number): void {
  const ratio = large / small;
  const marks = `${(small / 1_000).toFixed(2)} ms → ${(large / 1_000).toFixed(2)} ms`;
  console.log(
    `  ${name.padEnd(34)} ${ratio.toFixed(2)}  (${marks})${ratio > most ? '  more than twice' : ''}`,
  );
}

type Ask = (at: Subject) => Promise<unknown>;

function asks(): readonly (readonly [name: string, ask: Ask])[] {
  const get =
    (path: string): Ask =>
    ({ server }) =>
      read(`${server.url}${path}`);
  return [
    ['start a run', ({ server }) => start(server)],
    ['start a session', ({ server }) => startSession(server)],
    ['list', get('/api/runs')],
    ['list of a label', get('/api/runs?label=project=p7&limit=1')],
    ['list of what failed', get('/api/runs?status=failed')],
    ['list of the last hour', get(`/api/runs?since=${Date.now() - 3_600_000}`)],
    ['search, one word', get('/api/runs?text=question')],
    ['search, two words', get('/api/runs?text=question+number7&limit=1')],
    ['conversations', get('/api/conversations')],
    ['sessions', get('/api/sessions?limit=10')],
    ['sessions of a scenario', get('/api/sessions?scenario=s3&limit=3')],
    ['approvals', get('/api/approvals?limit=10')],
    ['feed, its end', ({ server, feed }) => readFeed(`${server.url}/api/feed?after=${feed}`)],
    ...protocols.map(({ name }): readonly [string, Ask] => [
      `tail of a long run, ${name}`,
      ({ server, entries }) => read(`${server.url}/api/runs/long/events?as=${name}&after=${entries - 1}`),
    ]),
  ];
}

async function cost(ask: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < asksPerRound; i += 1) await ask();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / asksPerRound;
}

async function read(url: string): Promise<void> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
}

async function post(url: string, json: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(json) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function start({ url }: RunningServer): Promise<void> {
  const { events } = (await post(`${url}/api/runs`, { input: { text: 'What is new?' } })) as Started;
  await read(`${url}${events}`);
}

async function startSession({ url }: RunningServer): Promise<void> {
  const { session_id: id } = (await post(`${url}/api/sessions`, { alert_text: 'What is new?' })) as Session;
  await read(`${url}/api/sessions/${id}/stream`);
}

interface Started {
  readonly events: string;
}
interface Session {
  readonly session_id: string;
}

/** The first that it brings: a feed does not end. */
async function readFeed(url: string): Promise<void> {
  const leave = new AbortController();
  const response = await fetch(url, { signal: leave.signal });
  for await (const _ of response.body ?? []) break;
  leave.abort();
}

async function subject({ finished, open, entries }: typeof few): Promise<Subject> {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-lists-'));
  const store = await sqliteStore({ folder: data });
  await fill(store, { finished, open, entries });
  await store.close();
  const before = process.cpuUsage();
  const quotas = { runs: 100_000, requests: 1_000_000, burst: 1_000_000 };
  const echo = { flow: { name: 'echo', version: '1', run: async () => 'nothing' } };
  const server = await serve({
    data,
    port: 0,
    config: { apps: { echo }, server: { quotas, log: 'silent' } },
  });
  await read(`${server.url}/readyz`);
  const { user, system } = process.cpuUsage(before);
  const listed = await fetch(`${server.url}/api/runs?limit=1`);
  const { feed } = (await listed.json()) as { readonly feed: string };
  await start(server);
  return { data, server, entries, feed, startUp: user + system };
}

async function fill(store: Store, { finished, open, entries }: typeof few): Promise<void> {
  for (let i = 0; i < finished + open; i += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, finished + open - i) }, (_, j) => add(store, `run_${i + j}`, i + j)),
    );
  const long = journal(
    started('A long one', { tenant: localTenant }),
    opened(1, 0, { agent: 'talker' }),
    ...Array.from({ length: entries - 3 }, () => said(1, 'a word ')),
    ended('done'),
  );
  await keepRun(store, 'long', long, true);
  for (let i = 0; i < open; i += 1)
    await store.dispatch.release({ fence: { run: `run_${finished + i}`, epoch: 1 }, head: 3 });

  function add(at: Store, run: string, i: number): Promise<void> {
    const labels = { project: `p${i % 50}`, scenario: `s${Math.floor(i / 3) % 10}` };
    const text = `A question of number${i % 100}`;
    const begun = started(text, { tenant: localTenant, conversation: `c${Math.floor(i / 3)}`, labels });
    const isFinished = i < finished;
    const rest = isFinished ? [ended(`The answer is ${i}.`)] : [opened(1, 0, { agent: 'talker' }), asked];
    return keepRun(at, run, journal(begun, ...rest), isFinished);
  }
}

const asked: RunEvent = {
  type: 'approval.requested',
  approval: 'a1',
  step: 1,
  title: 'May I?',
  fingerprint: 'f',
  priority: 'high',
  allowed: ['approve', 'reject'],
};
