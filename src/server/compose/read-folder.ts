import { resolve } from 'node:path';
import { sqliteReader } from '../../stores/sqlite/reader.ts';
import { holderOf } from '../../stores/folder/lock.ts';
import { verify, type Verified } from '../../stores/folder/verify.ts';
import { withOldFiles } from '../folder/old-files.ts';
import { followerOf, type FolderReader } from '../folder/home.ts';
import { outgoingBlobs, outgoingJournal } from '../runs/outgoing.ts';
import { reindexAll } from '../runs/reindex.ts';
import { runFilter } from '../runs/run-filter.ts';
import { keptPreferences } from './app-preferences.ts';
import { openStore } from './open-store.ts';
import { keptSecrets } from './secret-names.ts';

/** Read a data folder beside the process that holds it, or when none does. */
export async function readFolder({ data }: { readonly data: string }): Promise<FolderReader> {
  const folder = resolve(data);
  const reader = await sqliteReader({ folder });
  const secrets = keptSecrets(folder);
  const journal = outgoingJournal(reader.journal, secrets);
  const shared = withOldFiles(reader.shared, { folder, clean: secrets.cleanAll });
  return {
    ...reader,
    journal,
    follow: followerOf(journal),
    runs: (tenant, query) => reader.dispatch.list(runFilter(tenant, query)),
    blobs: outgoingBlobs(reader.blobs, secrets),
    clean: secrets.clean,
    preferences: await keptPreferences(shared),
  };
}

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
  const secrets = keptSecrets(folder);
  const store = await openStore({ store: 'sqlite' }, { folder, clean: secrets.cleanAll });
  try {
    const journal = outgoingJournal(store.journal, secrets);
    return await reindexAll({ dispatch: store.dispatch, journal });
  } finally {
    await store.close();
  }
}
