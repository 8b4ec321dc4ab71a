import type { DatabaseSync } from 'node:sqlite';
import { sumOf } from './checksum.ts';
import { blobName } from '../blob-name.ts';
import { damagedBlob } from './damage.ts';
import type { HeldRows } from './held.ts';
import { change, query } from './rows.ts';
import type { Place, Tables } from '../rules/tables.ts';

type StoredPlace = Omit<Place, 'told'> & { readonly told: number };

export function lineRows(
  database: DatabaseSync,
): Pick<Tables, 'place' | 'places' | 'firstInLine' | 'addPlace' | 'tellPlace' | 'removePlace'> {
  const select = 'SELECT tenant, name, run, told FROM place';
  const one = query<StoredPlace>(database, `${select} WHERE run = ? AND name = ?`);
  const ofRun = query<StoredPlace>(database, `${select} WHERE run = ? ORDER BY number`);
  const first = query<StoredPlace>(
    database,
    `${select} WHERE tenant = ? AND name = ? ORDER BY number LIMIT 1`,
  );
  const insert = change(database, 'INSERT INTO place (tenant, name, run, told, sum) VALUES (?, ?, ?, ?, ?)');
  const tell = change(database, 'UPDATE place SET told = 1, sum = ? WHERE run = ? AND name = ?');
  const remove = change(database, 'DELETE FROM place WHERE run = ? AND name = ?');
  return {
    place: (run, name) => placeOf(one.one(run, name)),
    places: (run) => ofRun.all(run).map((row) => ({ ...row, told: row.told === 1 })),
    firstInLine: (tenant, name) => placeOf(first.one(tenant, name)),
    addPlace: ({ tenant, name, run, told }) =>
      insert(tenant, name, run, told ? 1 : 0, placeSum({ tenant, name, run, told })),
    tellPlace: (place) => tell(placeSum({ ...place, told: true }), place.run, place.name),
    removePlace: ({ run, name }) => remove(run, name),
  };
}

function placeOf(row: StoredPlace | undefined): Place | undefined {
  return row && { ...row, told: row.told === 1 };
}

export function placeSum({ tenant, name, run, told }: Place): string {
  return sumOf(tenant, name, run, told ? 1 : 0);
}

export function blobRows(
  database: DatabaseSync,
  held: HeldRows,
): Pick<Tables, 'blob' | 'addBlob' | 'useBlob' | 'dropBlobs'> {
  // Of a row that was damaged anything may be left.
  const byHash = query<{ readonly number: number; readonly text: unknown }>(
    database,
    'SELECT number, text FROM blob WHERE tenant = ? AND blob = ?',
  );
  // A damaged index would say that it is not there; the other one still knows.
  const byName = query<{ readonly text: unknown }>(
    database,
    'SELECT text FROM blob INDEXED BY blobByName WHERE blob = ? AND tenant = ?',
  );
  const insert = query<{ readonly number: number }>(
    database,
    'INSERT OR IGNORE INTO blob (tenant, blob, text) VALUES (?, ?, ?) RETURNING number',
  );
  const use = change(
    database,
    'INSERT OR IGNORE INTO blobUse (run, blob) SELECT ?, number FROM blob WHERE tenant = ? AND blob = ?',
  );
  // Of `length` SQLite would have to read them all.
  const unused = query<{ readonly tenant: string; readonly bytes: number }>(
    database,
    `DELETE FROM blob WHERE number IN (SELECT blob FROM blobUse WHERE run = ?1)
       AND NOT EXISTS (SELECT 1 FROM blobUse WHERE blobUse.blob = blob.number AND blobUse.run <> ?1)
       RETURNING tenant, octet_length(text) AS bytes`,
  );
  const unuse = change(database, 'DELETE FROM blobUse WHERE run = ?');
  return {
    blob(tenant, blob) {
      const found = byHash.one(tenant, blob) ?? byName.one(blob, tenant);
      if (!found) return undefined;
      const { text } = found;
      if (typeof text !== 'string' || blobName(text) !== blob) throw damagedBlob(blob);
      return text;
    },
    addBlob({ tenant, run }, blob, text) {
      if (insert.one(tenant, blob, text)) held.add(tenant, Buffer.byteLength(text));
      use(run, tenant, blob);
    },
    useBlob({ tenant, run }, blob) {
      if (!byHash.one(tenant, blob)) return false;
      use(run, tenant, blob);
      return true;
    },
    dropBlobs(run) {
      for (const { tenant, bytes } of unused.all(run)) held.add(tenant, -bytes);
      unuse(run);
    },
  };
}
