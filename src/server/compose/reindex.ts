import { resolve } from 'node:path';
import { sqliteStore } from '../../stores/sqlite.ts';
import { outgoingJournal } from '../runs/outgoing.ts';
import { reindexAll } from '../runs/reindex.ts';
import { keptSecrets } from './secret-names.ts';

/** Make the index of a data folder anew. Fails with `rejected` while a process works there. */
export async function reindexFolder(data: string): Promise<number> {
  const folder = resolve(data);
  const store = await sqliteStore({ folder });
  try {
    const journal = outgoingJournal(store.journal, keptSecrets(folder));
    return await reindexAll({ dispatch: store.dispatch, journal });
  } finally {
    await store.close();
  }
}
