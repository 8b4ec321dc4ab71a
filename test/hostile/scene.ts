// Two tenants in one server: one does its work, alone and then while the other tries everything.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../src/server/access/keys.ts';
import type { Harm } from './model.ts';

export interface Scene {
  /** What the calm tenant asked, and was not answered as it should be. */
  readonly faults: readonly string[];
  readonly asked: number;
  /** Milliseconds. */
  readonly alone: Times;
  readonly disturbed: Times;
  /** Bytes of resident memory, at the most. */
  readonly peak: number;
  readonly attack: { readonly answers: number; readonly refused: number; readonly broken: number };
  /** How the runs of the hostile tenant ended. */
  readonly ends: readonly string[];
}

export interface Times {
  readonly p50: number;
  readonly p99: number;
}

export interface Plan {
  readonly seconds: number;
  /** Of the run that is read again and again. */
  readonly megabytes: number;
  /** Megabytes of heap that the server has. */
  readonly heap: number;
}

const harms: readonly Harm[] = ['text', 'calls', 'deep', 'tools'];

export async function hostile({ seconds, megabytes, heap }: Plan): Promise<Scene> {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-hostile-'));
  const keyOf = (tenant: string, role: 'viewer' | 'member'): string =>
    createKey(data, { name: `${tenant}-${role}`, tenant, role }, Date.now()).key;
  const [calm, member, viewer] = [keyOf('calm', 'member'), keyOf('evil', 'member'), keyOf('evil', 'viewer')];
  const model = child('model.ts', [], []);
  const house = child(
    'house.ts',
    [data, (await heard<{ url: string }>(model)).url],
    [`--max-old-space-size=${heap}`],
  );
  const { url } = await heard<{ url: string }>(house);
  const evil = askerAt(url, member);
  const session = await evil.begin('says', String(megabytes));
  const work = calmWork(askerAt(url, calm));
  await work.during(1_000);
  const alone = await work.during(seconds * 1_000);
  const attack = child('attack.ts', [url, session.run, session.conversation, viewer, member], []);
  const started = await Promise.all(harms.map((harm) => evil.begin('hostile', `harm:${harm}`, false)));
  const disturbed = await work.during(seconds * 1_000);
  attack.send({});
  const counts = await heard<Scene['attack']>(attack);
  attack.disconnect();
  house.send({});
  const { peak } = await heard<{ peak: number }>(house);
  const ends = await Promise.all(started.map(({ run }) => evil.endOf(run)));
  house.kill('SIGTERM');
  await once(house, 'exit');
  model.disconnect();
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  const { faults, asked } = work;
  return { faults, asked, alone, disturbed, peak, attack: counts, ends };
}

function child(file: string, values: readonly string[], execArgv: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), values, { stdio: 'inherit', execArgv: [...execArgv] });
}

async function heard<T>(from: ChildProcess): Promise<T> {
  const [told] = (await once(from, 'message')) as [T];
  return told;
}

interface Asker {
  ask(path: string, json?: object): Promise<{ readonly status: number; readonly body: string }>;
  begin(
    app: string,
    text: string,
    waits?: boolean,
  ): Promise<{ readonly run: string; readonly conversation: string }>;
  endOf(run: string): Promise<string>;
}

function askerAt(url: string, key: string): Asker {
  const headers = { authorization: `Bearer ${key}` };
  const ask: Asker['ask'] = async (path, json) => {
    const posting = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    };
    const answer = await fetch(`${url}${path}`, json ? posting : { headers });
    return { status: answer.status, body: await answer.text() };
  };
  return {
    ask,
    async begin(app, text, waits = true) {
      const { body } = await ask('/api/runs', { app, input: { text } });
      const begun = JSON.parse(body) as { run: string; conversation: string };
      if (waits) await ask(`/api/runs/${begun.run}/events`);
      return begun;
    },
    /** Whoever attacks has used up what may be asked; the run itself goes on. */
    async endOf(run) {
      for (;;) {
        const { status, body } = await ask(`/api/runs?limit=100`);
        const found =
          status === 200
            ? (JSON.parse(body) as { runs: Listed[] }).runs.find((one) => one.run === run)
            : undefined;
        if (found && ended.has(found.status)) return found.status;
        await sleep(200);
      }
    },
  };
}

interface Listed {
  readonly run: string;
  readonly status: string;
}
/** Whoever waits for a person costs nothing. */
const ended = new Set(['completed', 'failed', 'stopped', 'waiting']);

/** What people do all day: begin a run, look at it, look at others. */
function calmWork(asker: Asker): {
  during(milliseconds: number): Promise<Times>;
  faults: string[];
  asked: number;
} {
  const faults: string[] = [];
  const times: number[] = [];
  const timed = async (path: string, json?: object): Promise<string> => {
    const before = performance.now();
    const { status, body } = await asker.ask(path, json);
    times.push(performance.now() - before);
    work.asked += 1;
    if (status >= 300) faults.push(`${status} ${path} ${body.slice(0, 200)}`);
    return body;
  };
  const work = {
    faults,
    asked: 0,
    async during(milliseconds: number): Promise<Times> {
      times.length = 0;
      for (const until = performance.now() + milliseconds; performance.now() < until;) {
        const { run } = JSON.parse(await timed('/api/runs', { app: 'says', input: { text: '0' } })) as {
          run: string;
        };
        await timed(`/api/runs/${run}/events`);
        await timed(`/api/runs/${run}`);
        await timed(`/api/runs/${run}/entries`);
        await timed('/api/runs?limit=20');
        await sleep(20);
      }
      const sorted = times.toSorted((one, other) => one - other);
      const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
      return { p50: at(0.5), p99: at(0.99) };
    },
  };
  return work;
}
