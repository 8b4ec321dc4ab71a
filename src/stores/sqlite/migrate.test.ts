import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteStore } from '../sqlite.ts';
import { refused } from '../store.contract.ts';

/** A folder of an older version. */
function olderFolder(): { readonly folder: string; readonly file: string; readonly database: DatabaseSync } {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'vitrine.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL;');
  database.exec(readFileSync(new URL('../../../test/golden/folder-7.sql', import.meta.url), 'utf8'));
  return { folder, file, database };
}

/** One with garbage in the root page of one of its tables. */
function damagedFolder(table: string): string {
  const { folder, file, database } = olderFolder();
  const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const page = Number(database.prepare(sql).get(table)?.['rootpage']);
  const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  database.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(handle);
  return folder;
}

test('[Q16] an older folder whose journals are damaged is refused with a sentence, and left as it is', async () => {
  const folder = damagedFolder('chunk');
  const before = readFileSync(join(folder, 'vitrine.db'));
  for (let i = 0; i < 2; i += 1)
    await refused(sqliteStore({ folder }), 'damaged', /format 7\) and damaged .*restore a copy/);
  expect(readFileSync(join(folder, 'vitrine.db')).equals(before)).toBe(true);
});

test('[Q16] an older folder with a damaged table beside its journals is opened, and says so', async () => {
  const store = await sqliteStore({ folder: damagedFolder('command') });
  onTestFinished(() => store.close());
  expect(store.notices.join(' ')).toMatch(/is damaged \(table command: .*restore a copy/);
  expect(await store.dispatch.list({ tenant: 't' })).toHaveLength(2);
});

test('[Q118] words of an older folder are cut again, and nothing else of its index', async () => {
  const { folder, database } = olderFolder();
  const old = ['w straße', 'w plain', 'w 網路', 'l ["street","Straße"]'];
  database.prepare('DELETE FROM termsOf WHERE holder = 1').run();
  database.prepare('INSERT INTO termsOf (holder, terms) VALUES (1, ?)').run(old.join('\n'));
  for (const term of old)
    database.prepare(`INSERT OR IGNORE INTO term (owner, term, holder) VALUES ('t', ?, 1)`).run(term);
  database.close();
  const store = await sqliteStore({ folder });
  onTestFinished(() => store.close());
  const found = async (term: string) => (await store.dispatch.list({ tenant: 't', terms: [term] })).length;
  expect(await Promise.all(['w strasse', ...old].map(found))).toEqual([1, 0, 1, 1, 1]);
});
