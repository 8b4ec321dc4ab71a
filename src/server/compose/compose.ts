import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig, type Config, type ConfigInput } from '../../catalog/config.ts';
import type { Meter } from '../../engine/meter.ts';
import type { Log, World } from '../../engine/world.ts';
import { approval, budget, duplicate, taint } from '../../policies/standard.ts';
import { errorOf, RunError } from '../../run/failure.ts';
import type { Store } from '../../stores/store.ts';
import type { Takes } from '../../worker/worker.ts';
import { agentsOf } from './agents.ts';
import { makeDataFolder } from '../folder/data-folder.ts';
import { openStore, type OpenedStore } from './open-store.ts';
import { storePins } from './store-pins.ts';
import type { Uploads } from '../runs/uploads.ts';
import { openUploads } from './uploads.ts';
import { workInFolder, type OpenFolder } from '../folder/open-folder.ts';
import { cleanLog, stderrLog } from '../observe/log.ts';
import { strandedIn, tellStranded } from '../observe/stranded.ts';
import { appsOf, configuredApps, flowsOf } from './configured-apps.ts';
import { appsNow } from './apps-now.ts';
import { definitionsIn } from './definitions-in.ts';
import type { FlowMeans } from './named-flow.ts';
import { publishWorkflows } from './workflow-definitions.ts';
import { workflowsIn } from './named-flows.ts';
import { expectFolders, openConnections, openTools, toolsBefore, type OpenedTools } from './tools.ts';
import { keepSecretNames } from './secret-names.ts';
import { expectKeys, secretsOf } from './secrets.ts';
import { type System } from '../context.ts';
import { publishedApps } from '../apps/apps-for.ts';
import { newId, sha256, systemClock } from '../../loop/machine.ts';

export interface FolderSettings {
  /** The data folder. */
  readonly data: string;
  readonly config?: ConfigInput;
  /** Which runs to work on: every unfinished one, those that are asked for, or none; everything, unless said. */
  readonly takes?: Takes | 'nothing';
  /** Where runs are kept, if not in the folder: a store that other processes share. Whoever opened it closes it. */
  readonly store?: Store;
  readonly log?: Log;
  /** Counts what its runs do. */
  readonly meter?: Meter;
  /** Its time and its ids, where they are not the machine's. */
  readonly system?: Partial<System>;
}

/** Open a data folder as the process that holds it, and work on its runs until it is closed. */
export async function openFolder(settings: FolderSettings): Promise<OpenFolder> {
  const folder = resolve(settings.data);
  const config = readConfig(settings.config ?? {}, 'The configuration');
  // What is wrong with it is said before anything is opened.
  expectKeys(config);
  expectFolders(config.tools);
  appsOf(config, 'The configuration', toolsBefore(config.tools, folder));
  const { takes = 'everything' } = settings;
  if (takes === 'nothing') expectShared(settings, 'serve without working');
  makeDataFolder(folder);
  const known = secretsOf(config);
  const clean = known.secrets.cleanAll;
  const store = settings.store
    ? { ...settings.store, notices: [], close: async () => {} }
    : await openStore(config, { folder, clean, isPatient: takes !== 'asked' });
  const log = cleanLog(settings.log ?? stderrLog, known.secrets.clean);
  tellDamage(store, log);
  const uploads = openUploads(store, { log, clock: settings.system?.clock });
  let opened: OpenedTools | undefined;
  try {
    if (takes !== 'nothing') {
      opened = await openTools(config.tools, { data: folder, clean, pins: await storePins(store, clean) });
      await settled(opened, takes);
    }
    return await holding({ ...settings, takes }, { folder, config, known, store, opened, uploads });
  } catch (thrown) {
    await opened?.close();
    await store.close();
    throw thrown;
  }
}

/** From the first moment: a store looks for damage as soon as it is open. */
function tellDamage({ listen }: Pick<Store, 'listen'>, log: Log): void {
  listen(({ run, failure }) => log.error({ run, cause: errorOf(failure) }, 'A run is damaged.'), ['damaged']);
}

/** Work on the runs of a store that others share, and serve nothing. */
export async function openWorker(settings: FolderSettings): Promise<Pick<OpenFolder, 'notices' | 'close'>> {
  expectShared(settings, 'work without serving');
  return openFolder({ ...settings, takes: 'everything' });
}

/**
 * To serve and to work in two processes takes a store that both have. A data folder has one process at a time, so what one
 * half began the other would never see.
 */
function expectShared({ store, data }: Pick<FolderSettings, 'store' | 'data'>, wish: string): void {
  if (store) return;
  throw new RunError(
    'malformed',
    `To ${wish} takes a store that processes share, and the data folder ${resolve(data)} is for one process at a time: use «vitrine serve», which does both.`,
  );
}

/** Whoever runs one thing waits for the servers of tools it may need; whoever serves many does not wait for the slowest. */
async function settled({ servers }: OpenedTools, takes: Takes): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  const long = takes === 'asked' ? servers.tried : delay(serveWait, undefined, { signal }).catch(() => {});
  await Promise.race([servers.tried, long]);
  enough.abort();
}

/** Milliseconds. */
const serveWait = 2_000;

interface Opened {
  readonly folder: string;
  readonly config: Config;
  readonly known: ReturnType<typeof secretsOf>;
  readonly store: OpenedStore;
  /** Absent where nobody works. */
  readonly opened: OpenedTools | undefined;
  readonly uploads: Uploads;
}

async function holding(settings: FolderSettings, parts: Opened): Promise<OpenFolder> {
  const { takes = 'everything' } = settings;
  const { folder, config, known, store, opened, uploads } = parts;
  const apps = appsNow(store, () => means);
  const workflow = workflowsIn(() => means);
  const means: FlowMeans = { agents: Object.keys(config.agents), tools: opened, apps, workflow, uploads };
  const configured = configuredApps(config, 'The configuration', means);
  const isUnread = settings.config === undefined;
  const flows = isUnread ? [] : flowsOf(configured, means);
  const clean = known.secrets.cleanAll;
  const world = worldOf(settings, parts, { flows, isUnread, agents: await agentsOf(config) });
  const { catalog } = world;
  const hasTools = opened !== undefined;
  const { definitions, nameable } = definitionsIn({ config, store, catalog, flows, hasTools, clean });
  const published = await publishedApps(definitions, configured, takes === 'everything');
  if (!isUnread) await publishWorkflows(definitions, config.workflows, takes === 'everything');
  const stranded = takes === 'everything' ? await strandedIn(store, flows) : [];
  return workInFolder({
    world,
    folder,
    apps: published,
    definable: { definitions, nameable, limits: config.limits },
    uploads,
    worker: `${hostname()}-${process.pid}`,
    takes,
    grace: config.server.grace * 1_000,
    ...(opened ? { toolServers: opened.servers } : {}),
    notices: [
      ...(config.notice === undefined ? [] : [config.notice]),
      ...store.notices,
      ...(opened?.servers.news() ?? []),
      ...tellStranded(stranded, world.log),
      ...known.notices,
      ...keepSecretNames(folder, known.names),
    ],
    async onClose() {
      uploads.close();
      await opened?.close();
      await config.close?.();
    },
  });
}

function worldOf(
  { log = stderrLog, meter, system = {} }: FolderSettings,
  { config, known: { secrets }, store, opened }: Opened,
  code: Pick<World['catalog'], 'flows' | 'isUnread' | 'agents'>,
): World {
  const connections = opened ? openConnections(config.connections) : [];
  return {
    store,
    clock: system.clock ?? systemClock,
    catalog: {
      ...code,
      get tools() {
        return opened ? [...opened.all, ...connections] : [];
      },
      absence: (tool) => opened?.servers.absence(tool),
    },
    policies: [budget, duplicate, taint, approval, ...Object.values(config.policies)],
    log: cleanLog(log, secrets.clean),
    newId: system.newId ?? newId,
    hash: sha256,
    bytesPerTenant: config.server.quotas.bytes,
    secrets,
    meter,
  };
}
