import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openForWriting } from '../folder/folder.ts';
import { sqliteReader } from './reader.ts';
import { sqliteStore } from '../sqlite.ts';
import { appending, frames, newRun, range, readAll, refused, seqs } from '../store.contract.ts';
import { highWater } from './commit.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-damage-'));
const original = join(base, 'original');
const entries = 45;
afterAll(() => rmSync(base, { recursive: true }));

/** A folder as a killed process leaves it: everything acknowledged, some 200 KB of it only in the WAL. */
beforeAll(async () => {
  const live = join(base, 'live');
  const store = await sqliteStore({ folder: live });
  await store.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 1_000 } }));
  for (const head of range(1, entries - 1)) {
    const text = frames(head + 1, head + 1, 'x'.repeat(1_000));
    await store.journal.append(appending({ run: 'r', epoch: 1 }, head, { frames: text }));
  }
  // By a process of its own: to close one of these files here would take SQLite's locks away.
  spawnSync('cp', ['-r', live, original]);
  for (const name of ['vitrine.db-shm', 'lock.db', 'lock.db-journal', 'holder.json']) {
    rmSync(join(original, name), { force: true });
  }
  await store.close();
});

let copies = 0;
function copy(): { readonly folder: string; readonly wal: string; readonly mark: string } {
  copies += 1;
  const folder = join(base, String(copies));
  cpSync(original, folder, { recursive: true });
  return { folder, wal: join(folder, 'vitrine.db-wal'), mark: join(folder, 'high-water') };
}

/** The bytes that matter; the rest is made anew by whoever opens the folder. */
function bytes(folder: string): Record<string, string> {
  const kept = readdirSync(folder).filter((name) =>
    ['vitrine.db', 'vitrine.db-wal', 'high-water'].includes(name),
  );
  return Object.fromEntries(
    kept.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

async function expectWhole(folder: string, notices: readonly unknown[] = []): Promise<void> {
  const store = await sqliteStore({ folder });
  expect(store.notices).toEqual(notices);
  expect(seqs(await readAll(store, 'r'))).toEqual(range(1, entries));
  await store.close();
}

test('[Q4] an untouched copy opens, and again after that', async () => {
  const { folder, wal } = copy();
  expect(statSync(wal).size).toBeGreaterThan(200_000);
  await expectWhole(folder);
  await expectWhole(folder);
});

test.for([
  { name: 'a flipped bit', damage: (wal: Buffer, at: number) => wal.with(at, (wal[at] ?? 0) ^ 1) },
  { name: 'a cut', damage: (wal: Buffer, at: number) => wal.subarray(0, at) },
])('[Q4] [R05] $name at every 499th byte of the WAL is detected, and nothing is touched', ({ damage }) => {
  const { folder, wal } = copy();
  const whole = readFileSync(wal);
  let found = 0;
  for (let at = 0; at < whole.length; at += 499) {
    writeFileSync(wal, damage(whole, at));
    const before = bytes(folder);
    // What the thread calls first of all, without starting it several hundred times.
    expect(() => openForWriting(folder), `byte ${at}`).toThrow(
      /damaged: its last \d+ commits? (is|are) missing/,
    );
    expect(bytes(folder), `byte ${at}`).toEqual(before);
    found += 1;
  }
  expect(found).toBeGreaterThan(400);
  writeFileSync(wal, whole);
  openForWriting(folder).close();
});

test('[Q4] writer and reader say how much is missing and what to do; moving the mark aside goes on with the rest', async () => {
  const { folder, wal, mark } = copy();
  const whole = readFileSync(wal);
  writeFileSync(wal, whole.subarray(0, whole.length - 1));
  await refused(
    sqliteStore({ folder }),
    'rejected',
    /last 1 commit is missing .* Restore a copy .* or move .*high-water aside/,
  );
  await refused(sqliteReader({ folder }), 'rejected', /last 1 commit is missing/);
  renameSync(mark, `${mark}.aside`);
  const store = await sqliteStore({ folder });
  expect(store.notices).toEqual([expect.stringContaining('missing and is written anew')]);
  expect(seqs(await readAll(store, 'r'))).toEqual(range(1, entries - 1));
  await store.close();
  expect((await sqliteStore({ folder }).then(async (again) => (await again.close(), again))).notices).toEqual(
    [],
  );
});

test('[Q4] a database that is gone altogether is not replaced by an empty one', async () => {
  const { folder } = copy();
  for (const name of ['vitrine.db', 'vitrine.db-wal']) rmSync(join(folder, name));
  await refused(sqliteStore({ folder }), 'rejected', /commits are missing/);
  expect(readdirSync(folder)).not.toContain('vitrine.db');
});

test.for([
  { name: 'flipped', tear: (text: string) => `9${text.slice(1)}` },
  { name: 'cut', tear: (text: string) => text.slice(0, 9) },
  { name: 'empty', tear: () => '' },
  { name: 'longer', tear: (text: string) => text + text },
])('[Q5] a $name mark is reported and written anew', async ({ tear }) => {
  const { folder, mark } = copy();
  writeFileSync(mark, tear(readFileSync(mark, 'latin1')));
  await expectWhole(folder, [expect.stringContaining('damaged and is written anew')]);
  await expectWhole(folder);
});

test.for([
  { state: 'damaged', lose: (mark: string) => writeFileSync(mark, '') },
  { state: 'missing', lose: (mark: string) => rmSync(mark) },
])(
  '[Q5] a mark that is $state is reported also where the database has lost everything',
  async ({ state, lose }) => {
    const { folder, wal, mark } = copy();
    rmSync(wal);
    lose(mark);
    const store = await sqliteStore({ folder });
    expect(store.notices).toEqual([expect.stringContaining(`${state} and is written anew`)]);
    await store.close();
  },
);

test('[Q5] a process that dies while it makes a folder leaves nothing to report', async () => {
  const folder = join(base, 'fresh');
  mkdirSync(folder);
  highWater(join(folder, 'high-water'), 0).close();
  const store = await sqliteStore({ folder });
  expect(store.notices).toEqual([]);
  await store.close();
});

test('[Q6] a database of a newer format is refused and not touched', async () => {
  const { folder } = copy();
  await expectWhole(folder);
  const path = join(folder, 'vitrine.db');
  const file = readFileSync(path);
  file.writeUInt32BE(99, 60);
  writeFileSync(path, file);
  const before = bytes(folder);
  await refused(
    sqliteStore({ folder }),
    'rejected',
    /newer Vitrine \(format 99, this one knows \d+\): update Vitrine/,
  );
  await refused(sqliteReader({ folder }), 'rejected', /newer Vitrine/);
  expect(bytes(folder)).toMatchObject(before);
});

test('what is not a database of ours is left alone', async () => {
  const { folder } = copy();
  const path = join(folder, 'vitrine.db');
  rmSync(join(folder, 'vitrine.db-wal'));
  writeFileSync(path, 'hello');
  await refused(sqliteStore({ folder }), 'malformed', /not a database of Vitrine/);
  expect(readFileSync(path, 'utf8')).toBe('hello');
  await refused(sqliteReader({ folder: join(base, 'nowhere') }), 'unknown', /no runs in .*nowhere/);
});
