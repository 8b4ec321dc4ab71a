import { resolve } from 'node:path';
import type { Limits } from '../../run/values.ts';
import type { Log } from '../../engine/world.ts';
import { definitionsFront } from '../../front/definitions.ts';
import { stepsProtocol } from '../../projections/steps.ts';
import { sqliteReader } from '../../stores/sqlite/reader.ts';
import type { Store } from '../../stores/store.ts';
import { withOldFiles } from '../folder/old-files.ts';
import { workInFolder, type OpenFolder } from '../folder/open-folder.ts';
import { Uploads } from '../runs/uploads.ts';
import type { Protocol } from '../viewers/channels.ts';
import { keptSecrets } from './secret-names.ts';
import { newId, sha256, systemClock } from '../../loop/machine.ts';

/** Whoever only looks is told the entries themselves. */
export const readerProtocols: readonly Protocol[] = [stepsProtocol];

interface ReadSettings {
  readonly data: string;
  readonly log: Log;
  readonly limits: Limits;
}

/**
 * A data folder as it stands, beside whoever holds it or where nobody does: its configuration is not read, nobody works, and
 * whatever would change something is refused by the store.
 */
export async function openReader({ data, log, limits }: ReadSettings): Promise<OpenFolder> {
  const folder = resolve(data);
  const secrets = keptSecrets(folder);
  const store = await readerOf(folder, secrets.cleanAll);
  const { definitions: defined } = store;
  const catalog = { flows: [], isUnread: true, agents: [], tools: [], absence: () => undefined };
  const now = (): number => systemClock.now();
  const world = { store, clock: systemClock, catalog, policies: [], log, newId, hash: sha256, secrets };
  const definitions = definitionsFront({ store, kinds: {}, clean: secrets.cleanAll, now });
  const nameable = {
    catalog,
    hasTools: false,
    definitions: defined,
    configured: [],
    connections: [],
    limits,
  };
  const home = await workInFolder({
    world,
    folder,
    apps: [],
    definable: { definitions, nameable, limits },
    uploads: new Uploads({ store, shelves: noShelves, now, problem: () => {} }),
    worker: '',
    takes: 'nothing',
    notices: [],
    grace: 0,
  });
  return { ...home, isHolder: false };
}

async function readerOf(folder: string, clean: ReturnType<typeof keptSecrets>['cleanAll']): Promise<Store> {
  const store = await sqliteReader({ folder });
  return { ...store, shared: { ...store.shared, ...withOldFiles(store.shared, { folder, clean }) } };
}

/** No document is read where nobody works. */
const noShelves = {
  put: async () => undefined,
  has: () => false,
  drop: () => {},
  search: () => ({ passages: [], items: [] }),
};
