import type { DatabaseSync } from 'node:sqlite';
import type { Definition } from '../../run/definition.ts';
import { listSize, type Tables } from '../rules/tables.ts';
import { sumOf, change, query } from './rows.ts';
import { damagedDefinition } from './damage.ts';

export type StoredDefinition = Definition & { readonly sum: string };

const columns = 'tenant, kind, name, version, state, revision, hash, by, at, sum';
export const selectDefinitions = `SELECT ${columns} FROM definition`;

export function definitionRows(
  database: DatabaseSync,
): Pick<Tables, 'definitions' | 'keepDefinition' | 'removeDefinition' | 'listDefinitions'> {
  const ofName = query<StoredDefinition>(
    database,
    `${selectDefinitions} WHERE tenant = ? AND kind = ? AND name = ? ORDER BY version`,
  );
  const keep = change(
    database,
    `INSERT OR REPLACE INTO definition (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = change(database, 'DELETE FROM definition WHERE tenant = ? AND kind = ? AND name = ?');
  const listing = (whose: string, place: string) =>
    query<StoredDefinition>(
      database,
      `${selectDefinitions} WHERE ${whose} AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR name = ?3)
        AND (?4 IS NULL OR state = ?4) AND (?5 IS NULL OR ${place})
        ORDER BY tenant, kind, name, version LIMIT ?8`,
    );
  const listed = listing('tenant = ?1', '(kind, name, version) > (?5, ?6, ?7)');
  const everybodys = listing('?1 IS NULL', '(tenant, kind, name, version) > (?9, ?5, ?6, ?7)');
  return {
    definitions: ({ tenant, kind, name }) => ofName.all(tenant, kind, name).map(whole),
    keepDefinition(row) {
      const { tenant, kind, name, version, state, revision, hash, by, at } = row;
      keep(tenant, kind, name, version, state, revision, hash, by, at, definitionSum(row));
    },
    removeDefinition: ({ tenant, kind, name }) => remove(tenant, kind, name),
    listDefinitions({ tenant, kind = null, name = null, state = null, after, limit = listSize }) {
      const from = [after?.kind ?? null, after?.name ?? null, after?.version ?? null];
      const found =
        tenant === undefined
          ? everybodys.all(null, kind, name, state, ...from, limit, after?.tenant ?? '')
          : listed.all(tenant, kind, name, state, ...from, limit);
      return found.map(whole);
    },
  };
}

export function isWholeDefinition(row: StoredDefinition): boolean {
  return row.sum === definitionSum(row);
}

function whole(stored: StoredDefinition): Definition {
  if (!isWholeDefinition(stored)) throw damagedDefinition(stored);
  const { sum: _, ...row } = stored;
  return row;
}

function definitionSum(row: Definition): string {
  const { tenant, kind, name, version, state, revision, hash, by, at } = row;
  return sumOf(tenant, kind, name, version, state, revision, hash, by, at);
}
