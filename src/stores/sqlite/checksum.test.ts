import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../../run/failure.ts';
import { perform } from '../rules/rules.ts';
import { openForWriting } from '../folder/folder.ts';
import { sqliteStore } from '../sqlite.ts';
import { sqliteTables } from './tables.ts';
import { appending, frames, newRun, range } from '../store.contract.ts';
import type { SentCommand } from '../store.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-checksum-'));
afterAll(() => rmSync(base, { recursive: true }));

/** Two folders that differ in one entry only: as a backup of somewhere else would. */
beforeAll(async () => {
  for (const name of ['one', 'other']) {
    const store = await sqliteStore({ folder: join(base, name), now: () => 1_000 });
    for (const run of ['r', 's']) {
      await store.dispatch.create(newRun(run, { claim: { worker: 'w', lease: 1_000 } }));
      for (const head of range(1, 6)) {
        const text = frames(head + 1, head + 1, head === 3 ? name : 'same');
        await store.journal.append(appending({ run, epoch: 1 }, head, { frames: text }));
      }
    }
    const stop: SentCommand = { run: 'r', id: 'c', command: { type: 'pause', by: 'me' } };
    await store.mailbox.send(stop);
    await store.blobs.put({ tenant: 't', run: 'r' }, 'a large text');
    await store.close();
  }
});

let copies = 0;
/** What can be read of a run after its database was changed behind our back: the last good entry, or what was told. */
function after(sql: string, ask = 'read'): unknown {
  copies += 1;
  const folder = join(base, String(copies));
  mkdirSync(folder);
  for (const file of ['vitrine.db', 'high-water']) copyFileSync(join(base, 'one', file), join(folder, file));
  const database = new DatabaseSync(join(folder, 'vitrine.db'));
  database.exec(`ATTACH '${join(base, 'other', 'vitrine.db')}' AS other; ${sql}`);
  database.close();
  const opened = openForWriting(folder);
  try {
    const desk = { tables: sqliteTables(opened.database, { remember: false }), now: 0, hints: [] };
    if (ask === 'blob')
      return opened.database
        .prepare('SELECT blob FROM blob')
        .all()
        .map(({ blob }) => perform(desk, 'blob', { tenant: 't', blob: String(blob) }));
    if (ask === 'pending') return perform(desk, 'pending', 'r');
    for (let last = 0; ;) {
      const next = perform(desk, 'read', { run: 'r', after: last }).chunks.at(-1)?.last;
      if (next === undefined) return `whole: ${last}`;
      last = next;
    }
  } catch (thrown) {
    const { code, after: good } = failureOf(thrown);
    return good === undefined ? code : `${code} after ${good}`;
  } finally {
    opened.close();
  }
}

const chunk = (run: number, last: number): string => `run = ${run} AND last = ${last}`;

test.for([
  { name: 'nothing', sql: '', sees: 'whole: 7' },
  {
    name: 'a changed letter',
    sql: `UPDATE chunk SET frames = replace(frames, 'same', 'sane') WHERE ${chunk(1, 5)}`,
    sees: 'damaged after 4',
  },
  { name: 'another time', sql: `UPDATE chunk SET at = at + 1 WHERE ${chunk(1, 5)}`, sees: 'damaged after 4' },
  { name: 'a missing chunk', sql: `DELETE FROM chunk WHERE ${chunk(1, 5)}`, sees: 'damaged after 4' },
  { name: 'a missing last chunk', sql: `DELETE FROM chunk WHERE ${chunk(1, 7)}`, sees: 'damaged after 6' },
  {
    name: 'two chunks swapped',
    sql: `UPDATE chunk SET frames = (SELECT frames FROM chunk AS c WHERE c.run = 1 AND c.last = 9 - chunk.last), sum = (SELECT sum FROM chunk AS c WHERE c.run = 1 AND c.last = 9 - chunk.last) WHERE run = 1 AND last IN (4, 5)`,
    sees: 'damaged after 3',
  },
  {
    name: 'a chunk of another run',
    sql: `UPDATE chunk SET sum = (SELECT sum FROM chunk AS c WHERE c.run = 2 AND c.last = 5) WHERE ${chunk(1, 5)}`,
    sees: 'damaged after 4',
  },
  {
    name: 'a chunk of another history of this run',
    sql: `UPDATE chunk SET (frames, sum) = (SELECT frames, sum FROM other.chunk AS c WHERE c.run = 1 AND c.last = 4) WHERE ${chunk(1, 4)}`,
    sees: 'damaged after 4',
  },
  {
    name: 'a checksum that is gone',
    sql: `UPDATE chunk SET sum = NULL WHERE ${chunk(1, 2)}`,
    sees: 'damaged after 1',
  },
  { name: 'an end that is gone', sql: 'DELETE FROM head WHERE run = 1', sees: 'damaged after 7' },
  { name: 'a run of another tenant', sql: `UPDATE run SET tenant = 'u' WHERE number = 1`, sees: 'damaged' },
  {
    name: 'a run that is due never',
    sql: `UPDATE run SET due = due + 1000000 WHERE number = 1`,
    sees: 'damaged',
  },
])('[Q12] $name in a journal: $sees', ({ sql, sees }) => {
  expect(after(sql)).toBe(sees);
});

test.for([
  {
    name: 'a changed command',
    sql: `UPDATE command SET command = replace(command, 'me', 'us')`,
    ask: 'pending',
  },
  { name: 'a large text', sql: `UPDATE blob SET text = 'a larger text'`, ask: 'blob' },
])('[Q12] $name is told', ({ sql, ask }) => {
  expect(after('', ask)).not.toBe('damaged');
  expect(after(sql, ask)).toBe('damaged');
});
