import type { Config } from '../../catalog/config.ts';
import { lockFolder } from '../../stores/folder/lock.ts';
import { memoryStore } from '../../stores/memory.ts';
import { sqliteStore, type SqliteSettings } from '../../stores/sqlite.ts';
import type { Store } from '../../stores/store.ts';
import { takenOver, withOldFiles, type OldFolder } from '../folder/old-files.ts';

export interface OpenedStore extends Store {
  /** What the owner should know about it as it was found. */
  readonly notices: readonly string[];
}

const gone =
  'The store is «memory»: nothing survives this process, neither runs nor keys. Remove «store» from the configuration to keep them.';

/** The store that a configuration wants. Whichever it is, nobody else works in its folder meanwhile. */
export async function openStore({ store }: Pick<Config, 'store'>, place: Place): Promise<OpenedStore> {
  return store === 'memory' ? inMemory(place) : inFolder(place);
}

type Place = OldFolder & Pick<SqliteSettings, 'isPatient'>;

async function inFolder({ folder, clean, ...settings }: Place): Promise<OpenedStore> {
  const store = await sqliteStore({ folder, ...settings });
  try {
    return { ...store, shared: await takenOver(store.shared, { folder, clean }) };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** Files of earlier versions count here, too, and stay: what is taken over would be lost. */
function inMemory({ folder, clean }: Place): OpenedStore {
  const unlock = lockFolder(folder);
  const store = memoryStore({ now: Date.now });
  return {
    ...store,
    shared: { ...store.shared, ...withOldFiles(store.shared, { folder, clean }) },
    notices: [gone],
    async close() {
      await store.close();
      unlock();
    },
  };
}
