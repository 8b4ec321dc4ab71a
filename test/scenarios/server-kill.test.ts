import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient, type Client } from '../../src/client/client.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/entries.ts';
import { flatTree } from '../../src/run/flat-tree.ts';
import { course, framesIn, watchChat } from '../application-stream.ts';
import { ownPort } from '../own-port.ts';
import type { HouseReport, Plan } from '../viewers/house.ts';

const followers = 8;
const plan: Plan = {
  name: 'one',
  past: { pieces: 200, size: 300 },
  live: { pieces: 400, size: 80, perSecond: 400 },
};

test('[L2, L9] a server killed and started again under open streams: every viewer sees one unbroken sequence', async () => {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-kill-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const port = await ownPort();
  let { house, past } = await open(data, port);
  const client = vitrineClient({ url: `http://127.0.0.1:${port}` });
  const { run } = await client.start({ text: JSON.stringify(plan) });
  const seen = Array.from({ length: followers }, () => follow(client, run));
  // A third end of the same attempt would be put to a person.
  for (let kills = 0; kills < 2; kills += 1) {
    await past;
    const far = Math.max(...seen.map(({ entries }) => entries.length));
    house.send({ go: plan.name });
    await seen[kills]?.reaches(far + 50);
    await killed(house);
    ({ house, past } = await open(data, port));
  }
  await past;
  const live = told(house, 'live');
  house.send({ go: plan.name });
  await live;
  house.send({ go: plan.name });
  await Promise.all(seen.map(({ over }) => over));
  const recorded: Entry[] = [];
  for await (const entry of client.entries(run)) recorded.push(entry);
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, i) => i + 1));
  expect(recorded.filter(({ event }) => event.type === 'worker.took')).toHaveLength(3);
  for (const { entries, failures } of seen) {
    expect(entries).toEqual(recorded);
    expect(failures).toEqual([]);
  }
  expect(await client.tree(run)).toEqual(JSON.parse(JSON.stringify(flatTree(foldAll(recorded), run))));
});

test('[PL83] a chat that is watched while its server is killed goes on, and ends as if nothing had been', async () => {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-desk-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const { house } = await open(data, port, 'desk');
  const headers = { 'idempotency-key': 'once' };
  const asked = { message: 'Which paths?', session_id: 's' };
  const stream = await watchChat(url, asked, { headers });
  const seen = await stream.until((text) => /"interrupted".*\n\n$/s.test(text));
  await killed(house);
  await expect(stream.rest()).rejects.toThrow();
  await open(data, port, 'desk');
  const last = [...seen.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '';
  const from = async (after: string): Promise<string> =>
    (await fetch(`${url}/api/runs/${stream.run}/events?as=a2ui-flat&after=${after}`)).text();
  const rest = from(last);
  const joined = await watchChat(url, asked, { headers });
  expect(joined.run).toBe(stream.run);
  const decided = await fetch(`${url}/api/applications/desk/chat/hitl-decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: 's', action: 'approve' }),
  });
  expect(await decided.json()).toMatchObject({ status: 'completed' });
  const whole = await from('0');
  // A comment now and then says that the stream is there.
  const frames = (text: string): string => text.replaceAll(/^:.*\n+/gm, '');
  expect(frames(seen + (await rest))).toBe(frames(whole));
  const told = framesIn({ status: 200, text: await joined.rest() });
  expect(course(told)).toEqual(course(framesIn({ status: 200, text: whole })));
  expect(course(told).slice(-6)).toEqual(
    ['1+ skill_2> post_guard.', '1+ skill_2? post_guard.', '1+ skill_2~ post_guard.']
      .concat(['1+ skill_2+ post_guard.', '1+ skill_2+ post_guard>', '1+ skill_2+ post_guard+'])
      .map((line) => `guardrails+ enhance+ rag+ plan+ skill_${line}`),
  );
});

interface Seen {
  readonly entries: Entry[];
  readonly failures: unknown[];
  readonly over: Promise<void>;
  reaches(count: number): Promise<void>;
}

function follow(client: Client, run: string): Seen {
  const entries: Entry[] = [];
  const failures: unknown[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  const over = (async () => {
    try {
      for await (const entry of client.entries(run)) {
        entries.push(entry);
        for (const each of waiting) if (entries.length >= each.count) each.resolve();
      }
    } catch (thrown) {
      failures.push(thrown);
    }
  })();
  return {
    entries,
    failures,
    over,
    async reaches(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ count, resolve });
      if (entries.length < count) await promise;
    },
  };
}

interface Opened {
  readonly house: ChildProcess;
  /** Resolves when it has told the past of the run. */
  readonly past: Promise<void>;
}

async function open(data: string, port: number, house = 'house'): Promise<Opened> {
  const child = fork(join(import.meta.dirname, `../viewers/${house}.ts`), [data, String(port)], {
    stdio: 'inherit',
  });
  child.setMaxListeners(0);
  onTestFinished(() => killed(child));
  const past = told(child, 'past');
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { house: child, past };
}

function told(child: ChildProcess, what: 'past' | 'live'): Promise<void> {
  return new Promise((resolve) => {
    const hear = (news: HouseReport): void => {
      if (!('is' in news) || news.is !== what) return;
      child.off('message', hear);
      resolve();
    };
    child.on('message', hear);
  });
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
