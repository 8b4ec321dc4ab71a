import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isLong, seedOf, sized } from '../../../test/long.ts';
import { Chance } from '../../../test/random.ts';
import { failureOf } from '../../run/failure.ts';
import { perform } from '../rules/rules.ts';
import { openForWriting } from '../folder/folder.ts';
import { sqliteTables } from './tables.ts';
import { sqliteStore } from '../sqlite.ts';
import { appending, frames, newRun, range } from '../store.contract.ts';
import type { Desk } from '../rules/tables.ts';
import { encode } from '../../run/entries.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-flip-'));
const original = join(base, 'original');
const runs = range(1, 24).map((i) => `run-${i}`);
const tenantOf = (run: string): string => (Number(run.slice(4)) % 2 === 0 ? 'even' : 'odd');
const flips = Number(process.env['FLIPS'] ?? sized(300, 3_000));
// Each takes tens of milliseconds, and a second where the machine has better things to do.
vi.setConfig({ testTimeout: Math.max(300_000, flips * 1_200), hookTimeout: 60_000 });
const blobs = new Map<string, string>();
afterAll(() => rmSync(base, { recursive: true }));

/** Runs of two tenants, some ended, some parked, with commands, places in line, large texts and one erased run. */
beforeAll(async () => {
  const store = await sqliteStore({ folder: original });
  const claim = { worker: 'w', lease: 1_000 };
  for (const run of [...runs, 'erased']) {
    const tenant = tenantOf(run);
    const more = {
      tenant,
      conversation: `c-${run}`,
      title: `The title of ${run}`,
      idempotencyKey: `k-${run}`,
    };
    await store.dispatch.create(newRun(run, { claim, ...more, frames: beginning(more) }));
  }
  for (const head of range(1, 20)) {
    await Promise.all(
      [...runs, 'erased'].map((run) => {
        const text = frames(head + 1, head + 1, `${run} ${'x'.repeat((head * 97) % 900)}`);
        return store.journal.append(appending({ run, epoch: 1 }, head, { frames: text }));
      }),
    );
  }
  for (const [i, run] of runs.entries()) {
    const fence = { run, epoch: 1 };
    const kept = await store.blobs.put({ tenant: tenantOf(run), run }, `${run} ${'y'.repeat(i * 700)}`);
    blobs.set(run, kept.blob);
    await store.dispatch.hold(fence, `line-${i % 3}`);
    if (i % 3 === 0)
      await store.journal.append(
        appending(fence, 21, { ends: true, summary: { status: 'completed', approvals: 0 } }),
      );
    else {
      await store.mailbox.send({ run, id: 'c', command: { type: 'message', by: 'me', text: `to ${run}` } });
      if (i % 3 === 1)
        await store.journal.append(appending(fence, 21, { uses: [{ command: 'c', seq: 22 }] }));
    }
  }
  await store.dispatch.erase('erased');
  await store.close();
});

/** The first entry as an engine writes it: it says whose the run is. */
function beginning({
  tenant,
  conversation,
  title,
}: Record<'tenant' | 'conversation' | 'title', string>): string {
  const flow = { name: 'flow', version: '1' };
  const started = { tenant, who: 'me', app: 'app', conversation, input: { text: title }, flow };
  return encode({ seq: 1, at: 1, event: { type: 'run.started', ...started, limits: {}, labels: {} } });
}

type Asked = () => unknown;

/** Everything that can be asked of a folder, by name. */
function questions(desk: Desk): ReadonlyMap<string, Asked> {
  const all = new Map<string, Asked>();
  for (const run of runs) {
    all.set(`${run}: get`, () => settled(perform(desk, 'get', run)));
    all.set(`${run}: read`, () => wholeOf(desk, run));
    all.set(`${run}: find`, () => {
      const found = perform(desk, 'find', { tenant: tenantOf(run), idempotencyKey: `k-${run}` });
      return settled(found);
    });
    all.set(`${run}: pending`, () => perform(desk, 'pending', run));
    all.set(`${run}: command`, () => desk.tables.command(run, 'c'));
    all.set(`${run}: blob`, () =>
      perform(desk, 'blob', { tenant: tenantOf(run), blob: blobs.get(run) ?? '' }),
    );
    all.set(`${run}: conversation`, () =>
      perform(desk, 'list', { tenant: tenantOf(run), conversation: `c-${run}` }).map(settled),
    );
  }
  return all;
}

/** Leases are ended by whoever opens the folder. */
function settled(row: ReturnType<typeof perform<'get'>>): unknown {
  return row && { ...row, leaseUntil: 0 };
}

function wholeOf(desk: Desk, run: string): string {
  let text = '';
  for (let after = 0; ;) {
    const { chunks } = perform(desk, 'read', { run, after });
    const last = chunks.at(-1);
    if (!last) return text;
    text += chunks.map((chunk) => chunk.frames).join('');
    after = last.last;
  }
}

interface Seen {
  readonly answers: ReadonlyMap<string, string>;
  /** What was said to be wrong with the folder. */
  readonly told: readonly string[];
}

function lookAt(folder: string): Seen {
  let opened: ReturnType<typeof openForWriting>;
  try {
    opened = openForWriting(folder);
  } catch (thrown) {
    return { answers: new Map(), told: [String(thrown)] };
  }
  try {
    const tables = sqliteTables(opened.database, { remember: false, isSound: opened.isSound });
    const answers = new Map<string, string>();
    for (const [name, ask] of questions({ tables, now: 1, hints: [] })) {
      try {
        answers.set(name, JSON.stringify(ask()));
      } catch (thrown) {
        const { code } = failureOf(thrown);
        answers.set(name, `told: ${code === 'internal' ? String(thrown) : code}`);
      }
    }
    return { answers, told: [...opened.notices] };
  } finally {
    opened.close();
  }
}

function flipped(at: number, bit: number, name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  for (const file of ['vitrine.db', 'high-water']) copyFileSync(join(original, file), join(folder, file));
  const file = openSync(join(folder, 'vitrine.db'), 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ (1 << bit);
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
  return folder;
}

test(`[R04, Q25] one flipped bit at each of ${flips} places of the database: nothing is silently wrong`, () => {
  const truth = lookAt(original);
  expect(truth.told).toEqual([]);
  const { size } = statSync(join(original, 'vitrine.db'));
  const chance = new Chance(isLong ? seedOf('flips') : 20_261_116);
  const counts = { harmless: 0, refused: 0, told: 0, several: 0 };
  const wrong: string[] = [];
  let hurt = 0;
  for (const trial of range(1, flips)) {
    const [at, bit] = [chance.between(0, size - 1), chance.between(0, 7)];
    const folder = flipped(at, bit, String(trial));
    const { answers, told } = lookAt(folder);
    rmSync(folder, { recursive: true });
    if (answers.size === 0) {
      counts.refused += 1;
      continue;
    }
    const others = [...truth.answers].filter(([name, answer]) => answers.get(name) !== answer);
    const isTold = (answer = ''): boolean => answer.startsWith('told: ') || /"damaged":\d/.test(answer);
    // Whatever is said of the folder: an answer is right, or says itself that it is not whole.
    const silent = others.filter(([name]) => !isTold(answers.get(name)));
    for (const [name] of silent)
      wrong.push(`byte ${at} bit ${bit}: ${name}: ${answers.get(name)?.slice(0, 80)} (${told.join('; ')})`);
    const bugs = others.filter(
      ([name]) =>
        /^told: \w*Error/.test(answers.get(name) ?? '') &&
        !/malformed|corrupt/i.test(answers.get(name) ?? ''),
    );
    for (const [name] of bugs)
      wrong.push(`byte ${at} bit ${bit}: ${name}: ${answers.get(name)?.slice(0, 80)}`);
    const touched = new Set(others.map(([name]) => name.split(':')[0])).size;
    hurt = Math.max(hurt, touched);
    if (touched > 1) counts.several += 1;
    if (others.length === 0 && told.length === 0) counts.harmless += 1;
    else counts.told += 1;
  }
  process.stdout.write(`${JSON.stringify({ ...counts, silentlyWrong: wrong.length, hurtAtMost: hurt })}\n`);
  expect(wrong).toEqual([]);
  expect(counts.told).toBeGreaterThan(flips / 10);
  // Only the few bytes that say how a page is built belong to several runs at once.
  expect(counts.several).toBeLessThan(flips / 20);
});
