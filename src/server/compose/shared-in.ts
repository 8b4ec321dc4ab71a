import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { failureOf } from '../../run/failure.ts';
import { sqliteReader } from '../../stores/sqlite/reader.ts';
import type { Shared } from '../../stores/store.ts';
import { changeShared, listShared } from '../../wire/native/folder.ts';
import { openStore } from './open-store.ts';
import { keptSecrets } from './secret-names.ts';
import { makeDataFolder } from '../folder/data-folder.ts';
import { askHolder, holderOf, isLocked, pause, tries } from '../folder/holder.ts';
import { hasOldFiles, withOldFiles } from '../folder/old-files.ts';

export type { Shared };

type Tell = (line: string) => void;

/** Look at what the processes of a folder share. Nothing changes. */
export async function readShared<T>(
  folder: string,
  tell: Tell,
  look: (shared: Pick<Shared, 'list'>) => Promise<T>,
): Promise<T> {
  const holder = await holderOf(folder, tell);
  if (holder) return look(sharedOver(folder));
  await bringUpToDate(folder, tell);
  const clean = keptSecrets(folder).cleanAll;
  if (!existsSync(join(folder, 'vitrine.db'))) return look(withOldFiles(nothing, { folder, clean }));
  const reader = await sqliteReader({ folder });
  try {
    return await look(withOldFiles(reader.shared, { folder, clean }));
  } finally {
    await reader.close();
  }
}

/** What an earlier version left there goes into the store; where that cannot be written it is read as it is. */
async function bringUpToDate(folder: string, tell: Tell): Promise<void> {
  if (!hasOldFiles(folder)) return;
  try {
    await changeSharedIn(folder, tell, async () => {});
  } catch (thrown) {
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
  }
}

const nothing: Pick<Shared, 'list'> = { list: async () => [] };

/** Change what the processes of a folder share: whoever holds it is asked, and otherwise we do for a moment. */
export async function changeSharedIn<T>(
  folder: string,
  tell: Tell,
  change: (shared: Shared) => Promise<T>,
): Promise<T> {
  makeDataFolder(folder);
  for (let left = tries; ; left -= 1) {
    const holder = await holderOf(folder, tell);
    if (holder) return change(sharedOver(folder));
    try {
      return await whileHolding(folder, change);
    } catch (thrown) {
      if (left === 0 || !isLocked(folder, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}

async function whileHolding<T>(folder: string, change: (shared: Shared) => Promise<T>): Promise<T> {
  const store = await openStore({ store: 'sqlite' }, { folder, clean: keptSecrets(folder).cleanAll });
  try {
    return await change(store.shared);
  } finally {
    await store.close();
  }
}

function sharedOver(folder: string): Shared {
  return {
    async list(filter) {
      const answer = await askHolder(folder, listShared, filter);
      return listShared.answers[200].schema.parse(answer).shared;
    },
    async set(change) {
      const answer = await askHolder(folder, changeShared, change);
      return changeShared.answers[200].schema.parse(answer).version;
    },
  };
}
