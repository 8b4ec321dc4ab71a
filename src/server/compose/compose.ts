import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig, type AppSettings, type Config, type ConfigInput } from '../../catalog/config.ts';
import { flowId } from '../../engine/flow-id.ts';
import type { Meter } from '../../engine/meter.ts';
import type { Flow } from '../../engine/scope.ts';
import type { Log, World } from '../../engine/world.ts';
import { approval } from '../../policies/approval.ts';
import { budget } from '../../policies/budget.ts';
import { duplicate } from '../../policies/duplicate.ts';
import { taint } from '../../policies/taint.ts';
import { agUiProtocol } from '../../projections/ag-ui/protocol.ts';
import { ownProtocols } from '../../projections/own-protocols.ts';
import { shower } from '../../projections/preferences/preferences.ts';
import { errorOf, RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { Store } from '../../stores/store.ts';
import type { Takes } from '../../worker/worker.ts';
import { sqliteReader } from '../../stores/sqlite/reader.ts';
import { holderOf } from '../../stores/folder/lock.ts';
import { verify, type Verified } from '../../stores/folder/verify.ts';
import { agentsOf } from './agents.ts';
import { keptPreferences } from './app-preferences.ts';
import { makeDataFolder } from '../folder/data-folder.ts';
import { openStore, type OpenedStore } from './open-store.ts';
import { expectDistinct } from './distinct-flows.ts';
import { storePins } from './store-pins.ts';
import type { Uploads } from '../runs/uploads.ts';
import { openUploads } from './uploads.ts';
import { withOldFiles } from '../folder/old-files.ts';
import { workInFolder, type OpenFolder } from '../folder/open-folder.ts';
import { followerOf, type App, type FolderReader } from '../folder/home.ts';
import { cleanLog, stderrLog } from '../observe/log.ts';
import { strandedIn, tellStranded } from '../observe/stranded.ts';
import { publishedApps, type ConfiguredApp } from './app-definitions.ts';
import { appsNow } from './apps-now.ts';
import { definitionsIn } from './definitions-in.ts';
import type { FlowMeans } from './named-flow.ts';
import { publishWorkflows } from './workflow-definitions.ts';
import { namedFlow, namedFlows, workflowFlow, workflowsIn } from './named-flows.ts';
import { readSettings } from './read-settings.ts';
import { expectFolders, openConnections, openTools, type OpenedTools } from './tools.ts';
import { agUiProtobuf } from '../doors/ag-ui-protobuf.ts';
import type { Protocol } from '../viewers/protocols.ts';
import { outgoingBlobs, outgoingJournal } from '../runs/outgoing.ts';
import { reindexAll } from '../runs/reindex.ts';
import { runFilter } from '../runs/run-filter.ts';
import { keepSecretNames, keptSecrets } from './secret-names.ts';
import { expectKeys, secretsOf } from './secrets.ts';
import type { Showing } from '../runs/shown-tree.ts';
import { newId, sha256, systemClock, type System } from '../system.ts';

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
  appsOf(config, 'The configuration');
  expectKeys(config);
  expectFolders(config.tools);
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
  listen((hint) => {
    if (hint.type === 'damaged')
      log.error({ run: hint.run, cause: errorOf(hint.failure) }, 'A run is damaged.');
  });
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
      ...(opened?.servers.notices ?? []),
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
        return opened ? [...opened.now(), ...connections] : [];
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

/** Read a data folder beside the process that holds it, or when none does. */
export async function readFolder({ data }: Pick<FolderSettings, 'data'>): Promise<FolderReader> {
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

/** How runs are told to those who watch, by the name they ask for. */
export const protocols: readonly Protocol[] = Object.values({
  ...ownProtocols,
  'ag-ui': agUiProtocol(agUiProtobuf()),
});

/** How the entries of a run look to those who prefer this. */
export const showing: Showing = shower;

export function appsOf(config: Config, where: string): readonly App[] {
  const means = { agents: Object.keys(config.agents), tools: undefined };
  return configuredApps(config, where, means).map(({ app }) => app);
}

/**
 * The apps of a configuration. `where` it is stands before what is wrong with it. Until its tools are opened it is known
 * what apps there are, and not what they can call.
 */
function configuredApps({ apps, limits }: Config, where: string, means: FlowMeans): readonly ConfiguredApp[] {
  const code = Object.entries(namedFlows).map(([name, flow]) => namedFlow(name, flow, means));
  const configured = Object.entries(apps).map(([name, app]): ConfiguredApp => {
    const { description, examples, preferences, approvals, trustsClientState, guards } = app;
    const { flow, former, settings } = codeOf(name, app, { means, code, where });
    const said = {
      limits: { ...limits, ...app.limits },
      ...present({ description, examples, approvals, trustsClientState, preferences }),
    };
    const { name: called, version } = flow;
    const named = typeof app.flow === 'string' ? namedFlows[app.flow] : undefined;
    const [access, greeting] = [named?.access?.(settings), named?.greeting?.(settings)];
    return {
      app: { name, flow, ...said, ...present({ access, greeting }) },
      former,
      body: { flow: { name: called, version }, settings, ...said, ...present({ guards }) },
    };
  });
  expectDistinct(
    configured.map(({ app }) => app),
    where,
  );
  return configured;
}

interface Coding {
  readonly means: FlowMeans;
  readonly code: readonly Flow[];
  readonly where: string;
}

/** The code that an app names, or brings, and its settings, whole. */
function codeOf(
  name: string,
  { flow: given, settings = {} }: AppSettings,
  { means, code, where }: Coding,
): { readonly flow: Flow; readonly former?: Flow; readonly settings: object } {
  if (typeof given !== 'string') {
    const own = given as Flow;
    return { flow: own, settings: own.settings ? readSettings(own.settings, name, settings) : settings };
  }
  const flow = code.find((known) => known.name === given);
  const named = Object.hasOwn(namedFlows, given) ? namedFlows[given] : undefined;
  if (flow && named) {
    const whole = named.read(name, settings, means);
    return { flow, former: { name, version: named.version, ...named.by(whole, means) }, settings: whole };
  }
  const known = Object.keys(namedFlows).join(', ');
  throw new RunError(
    'malformed',
    `${where}: apps.${name}.flow: there is no flow «${given}»; known: ${known}.`,
  );
}

/** All code there is: of the apps, what they may name, and that as it was called before runs recorded definitions. */
function flowsOf(apps: readonly ConfiguredApp[], means: FlowMeans): readonly Flow[] {
  const own = apps.map(({ app }) => app.flow);
  const named = Object.entries(namedFlows).map(([name, flow]) => namedFlow(name, flow, means));
  const former = apps.flatMap(({ former }) => former ?? []);
  const all = [...former, ...named, workflowFlow(means), ...own];
  const each = new Map(all.map((flow) => [flowId(flow), flow]));
  return [...each.values()];
}
