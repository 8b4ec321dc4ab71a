import type { DatabaseSync } from 'node:sqlite';
import type { SharedKey, SharedValue } from '../store.ts';
import type { Tables } from '../rules/tables.ts';
import { sumOf, change, query } from './rows.ts';
import { damagedShared } from './damage.ts';

interface StoredShared extends SharedValue {
  readonly sum: string;
}

const select = 'SELECT kind, tenant, name, value, version, sum FROM shared';

/** What is not as it was written is given to nobody: a key that was revoked must not come back by a bad disk. */
export function sharedRows(database: DatabaseSync): Pick<Tables, 'sharedValue' | 'listShared' | 'setShared'> {
  const one = query<StoredShared>(database, `${select} WHERE kind = ? AND tenant = ? AND name = ?`);
  const some = query<StoredShared>(
    database,
    `${select} WHERE kind = ?1 AND tenant = coalesce(?2, tenant) AND name = coalesce(?3, name) ORDER BY tenant, name`,
  );
  const set = change(
    database,
    'INSERT OR REPLACE INTO shared (kind, tenant, name, value, version, sum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return {
    sharedValue({ kind, tenant, name }) {
      const stored = one.one(kind, tenant, name);
      return stored && whole(stored);
    },
    listShared({ kind, tenant, name }) {
      const isOne = tenant !== undefined && name !== undefined;
      return (isOne ? one.all(kind, tenant, name) : some.all(kind, tenant ?? null, name ?? null)).map(whole);
    },
    setShared: (value) =>
      set(value.kind, value.tenant, value.name, value.value, value.version, sharedSum(value)),
  };
}

/** Those that are not what was written. */
export function strangeShared(database: DatabaseSync): readonly SharedKey[] {
  return query<StoredShared>(database, select)
    .all()
    .filter((stored) => stored.sum !== sharedSum(stored));
}

function whole({ sum, ...value }: StoredShared): SharedValue {
  if (sum !== sharedSum(value)) throw damagedShared(value);
  return value;
}

function sharedSum({ kind, tenant, name, value, version }: SharedValue): string {
  return sumOf(kind, tenant, name, value, version);
}
