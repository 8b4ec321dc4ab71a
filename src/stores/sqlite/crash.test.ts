import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { sqliteReader } from './reader.ts';
import { sqliteStore } from '../sqlite.ts';
import { collect, range, readAll, refused, seqs } from '../store.contract.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-crash-'));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(base, { recursive: true });
});

/** Ten runs of one process, each appending as fast as it is answered. Says what was acknowledged, after it was. */
const code = `
const { sqliteStore } = await import('${new URL('../sqlite.ts', import.meta.url).href}');
const frame = (seq) => 'id: ' + seq + '\\ndata: {"t":0,"s":1,"x":"' + 'x'.repeat(seq % 700) + '"}\\n\\n';
const summary = { status: 'running', approvals: 0 };
const store = await sqliteStore({ folder: process.argv[1] });
const round = process.argv[2];
await Promise.all(Array.from({ length: 10 }, async (_, i) => {
  const run = 'r' + round + '-' + i;
  const names = { run, tenant: 't', conversation: 'c', app: 'a', title: 'x', flow: 'f' };
  await store.dispatch.create({ ...names, last: 1, frames: frame(1), claim: { worker: 'w', lease: 60_000 } });
  for (let head = 1; ; head += 1) {
    await store.journal.append({ fence: { run, epoch: 1 }, head, last: head + 1, frames: frame(head + 1), summary });
    process.stdout.write(run + ' ' + (head + 1) + '\\n');
  }
}));
`;

interface Writer {
  readonly pid: number | undefined;
  /** The last acknowledged entry of each run, so far. */
  readonly acknowledged: Map<string, number>;
  /** Resolves after so many more acknowledgements. */
  acknowledges(count: number): Promise<void>;
  kill(): Promise<void>;
}

function start(folder: string, round: number): Writer {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  if (!child.stdout) throw new Error('the child has no output');
  const acknowledged = new Map<string, number>();
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    const [run = '', seq] = line.split(' ');
    acknowledged.set(run, Number(seq));
  });
  const gone = once(child, 'close');
  return {
    pid: child.pid,
    acknowledged,
    async acknowledges(count) {
      for (let i = 0; i < count; i += 1) await once(lines, 'line');
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('[Q2, Q5, Q7] a killed writer loses nothing acknowledged, and the next one goes on at once', async () => {
  const folder = join(base, 'killed');
  const acknowledged = new Map<string, number>();
  for (const round of range(1, 4)) {
    const writer = start(folder, round);
    await writer.acknowledges(150 * round);
    await writer.kill();
    for (const [run, last] of writer.acknowledged) acknowledged.set(run, last);
    const store = await sqliteStore({ folder });
    expect(store.notices).toEqual([]);
    for (const [run, last] of acknowledged) {
      const found = seqs(await readAll(store, run));
      expect(found).toEqual(range(1, found.length));
      expect(found.length).toBeGreaterThanOrEqual(last);
    }
    const claims = await store.dispatch.claim({ worker: 'next', flows: ['f'], max: 100, lease: 60_000 });
    expect(claims.filter(({ fence }) => fence.run.startsWith(`r${round}-`))).toHaveLength(10);
    for (const claim of claims) expect(claim).toMatchObject({ reason: 'recovered' });
    await store.close();
  }
  expect(acknowledged.size).toBe(40);
});

test('[Q1, Q8] a second process is told who writes, can read beside it, and takes over when it is gone', async () => {
  const folder = join(base, 'shared');
  const writer = start(folder, 1);
  await writer.acknowledges(1);
  await refused(
    sqliteStore({ folder }),
    'rejected',
    new RegExp(`process ${writer.pid} on .+ since 20\\d\\d-`),
  );

  const reader = await sqliteReader({ folder });
  const [run = '', last = 0] = [...writer.acknowledged].at(-1) ?? [];
  expect(seqs(await readAll(reader, run)).length).toBeGreaterThanOrEqual(last);
  expect(await reader.dispatch.list({ tenant: 't' })).toHaveLength(10);
  const stop = new AbortController();
  const got: number[] = [];
  for await (const chunk of reader.journal.follow(run, 0, stop.signal)) {
    got.push(...seqs([chunk]));
    if (got.length > last + 100) stop.abort();
  }
  expect(got).toEqual(range(1, got.length));

  await writer.kill();
  const store = await sqliteStore({ folder });
  const head = (await store.dispatch.get(run))?.head ?? 0;
  expect(await reader.dispatch.get(run)).toMatchObject({ head });
  const [claim] = await store.dispatch.claim({ worker: 'w', flows: ['f'], max: 1, lease: 1_000, run });
  expect(claim).toMatchObject({ fence: { run, epoch: 2 }, head, reason: 'recovered' });
  const rest = collect(reader.journal.follow(run, head, AbortSignal.timeout(10_000)));
  const fence = { run, epoch: 2 };
  const summary = { status: 'completed', approvals: 0 } as const;
  await store.journal.append({
    fence,
    head,
    last: head + 1,
    frames: `id: ${head + 1}\n\n`,
    summary,
    ends: true,
  });
  expect(seqs(await rest)).toEqual([head + 1]);
  await store.close();
  expect(await reader.dispatch.get(run)).toMatchObject({ state: 'ended', head: head + 1 });
  await reader.close();
});
