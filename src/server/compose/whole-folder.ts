import { resolve } from 'node:path';
import { expectRuns } from '../../stores/folder/folder.ts';
import { holderOf } from '../../stores/folder/lock.ts';
import { verify, type Verified } from '../../stores/folder/verify.ts';
import { reindexAll } from '../runs/reindex.ts';
import { openStore } from './open-store.ts';
import { keptSecrets } from './secret-names.ts';
import { outgoingJournal } from '../viewers/source.ts';

/** Who holds a data folder, in words. */
export function holderIn(folder: string): string {
  return holderOf(resolve(folder));
}

/** Check all that a data folder, or a copy of one, keeps. */
export function verifyFolder(folder: string, isCopy: boolean): Verified {
  return verify(resolve(folder), isCopy);
}

/** Make the index of a data folder anew; how many runs there are. Fails with `rejected` while a process works there. */
export async function reindexFolder(data: string): Promise<number> {
  const folder = resolve(data);
  expectRuns(folder);
  const secrets = keptSecrets(folder);
  const store = await openStore({ store: 'sqlite' }, { folder, clean: secrets.cleanAll });
  try {
    const journal = outgoingJournal(store.journal, secrets);
    return await reindexAll({ dispatch: store.dispatch, journal });
  } finally {
    await store.close();
  }
}
