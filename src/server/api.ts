import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../catalog/config.ts';
import type { Log } from '../engine/world.ts';
import { failureOf } from '../run/failure.ts';
import type { Door, DoorSettings } from './access/door.ts';
import type { WaysIn } from './access/way-in.ts';
import { appOf } from './app.ts';
import { showing } from './compose/showing.ts';
import type { ServerContext } from './context.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import { defaultAppOf } from './folder/home.ts';
import { heavyWork } from './http/heavy.ts';
import { withoutPaths } from './http/refusal.ts';
import { openStreams } from './http/answer.ts';
import { followed, logTailOf, requestLogOf } from './observe/log-tail.ts';
import { type Gauges, metricsOf, readinessOf } from './observe/metrics.ts';
import { strandedIn } from './observe/stranded.ts';
import type { Route } from './routes/route.ts';
import { quotasOf } from './runs/quotas.ts';
import { treesOf } from './runs/trees.ts';
import { Channels, peopleOf, protocolsOf, type Protocol } from './viewers/channels.ts';
import { feedViewers, type FeedViewers } from './viewers/feed-viewers.ts';
import { alarmOf } from './workflows/alarm.ts';
import { present } from '../run/tree.ts';

export interface ApiSettings {
  readonly config: Config;
  readonly folder: string;
  readonly log: Log;
  readonly registry: Registry;
  readonly protocols: readonly Protocol[];
  /** How long a viewer may take nothing before it is cut off, in milliseconds. */
  readonly patience: number;
  /** Where whoever started the process is told what cannot wait. */
  readonly warn?: (line: string) => void;
  readonly doorOf: (settings: DoorSettings) => Door | Promise<Door>;
}

interface Serving extends ApiSettings {
  readonly routes: readonly Route[];
  readonly address: () => string | undefined;
  readonly closing: AbortSignal;
}

/** The HTTP API over a folder that is open, whoever can reach it and whatever else its process does. */
export interface Api {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  /** How requests have come, where that says who asks. */
  readonly ways: WaysIn;
  /** What is being answered to its owner. */
  readonly answering: ReadonlySet<Promise<unknown>>;
}

export async function apiOver(home: OpenFolder, serving: Serving): Promise<Api> {
  const context = await contextOf(home, serving);
  forgetErased(context);
  const ways: WaysIn = new WeakMap();
  const answering = new Set<Promise<unknown>>();
  const app = await appOf({
    context,
    routes: serving.routes,
    clean: home.secrets.clean,
    hidden: hiddenIn(serving.folder),
    ways,
    answering,
    patience: serving.patience,
  });
  await app.ready();
  return { app, context, ways, answering };
}

function forgetErased({ home, trees, channels }: ServerContext): void {
  home.store.listen(
    ({ run }) => {
      trees.forget(run);
      channels.forget(run);
    },
    ['erased'],
  );
}

/** What must not stand in an answer: paths of this machine. */
function hiddenIn(folder: string): readonly string[] {
  return [folder, process.cwd()];
}

async function contextOf(
  home: OpenFolder,
  { config, folder, log, closing, ...settings }: Serving,
): Promise<ServerContext> {
  const requestLog = requestLogOf(config.server.log, log);
  const logTail = logTailOf();
  const door = await settings.doorOf({
    folder,
    store: home.store,
    auth: config.auth,
    server: config.server,
    now: Date.now,
    problem: (...told) => requestLog.problem(...told),
    seen: (credential) => home.secrets.addPassing(credential),
    ...present({ warn: settings.warn }),
  });
  const readiness = readinessOf(home.store, log, settings.warn);
  const metrics = metricsOf(settings.registry, {
    ...gaugesOf(home),
    viewers: () => channels.count(),
    isReady: async () => (await readiness.now()) === undefined,
  });
  const channels = channelsOf(home, { log, ...settings }, metrics.delivered);
  return {
    home,
    door,
    people: await peopleOf(home.store),
    metrics,
    channels,
    heavy: heavyWork(),
    quotas: quotasOf(config.server.quotas, !door.isLocked),
    streams: openStreams(),
    trees: treesOf(home.journal, showing),
    readiness,
    hide: (text) => withoutPaths(text, hiddenIn(folder)),
    address: settings.address,
    protocols: protocolsOf(settings.protocols),
    now: Date.now,
    newId: home.newId,
    closing,
    log: followed(requestLog, logTail, Date.now),
    logTail,
    feedViewers: feedOf(home, log),
    alarm: alarmOf(),
    ...present({ defaultApp: defaultAppOf(config) }),
  };
}

function channelsOf(
  { journal, secrets }: OpenFolder,
  { log, patience }: Pick<Serving, 'log' | 'patience'>,
  delivered: (characters: number) => void,
): Channels {
  return new Channels({
    journal,
    clean: secrets.clean,
    now: Date.now,
    problem(run, cause) {
      // A run that was erased, or a store that was closed, is no bug.
      if (failureOf(cause).code === 'internal') log.error({ run, cause }, 'A run could not be shown.');
    },
    delivered,
    patience,
  });
}

function feedOf({ store, secrets, catalog }: OpenFolder, log: Log): FeedViewers {
  return feedViewers({
    feed: store.feed,
    catalog,
    clean: secrets.clean,
    failed(cause) {
      if (failureOf(cause).code === 'internal') log.error({ cause }, 'The feed could not be told.');
    },
  });
}

function gaugesOf(home: OpenFolder): Omit<Gauges, 'viewers' | 'isReady'> {
  const { dispatch } = home.store;
  return {
    runs: () => home.inHand().length,
    questions: () => dispatch.questions(),
    away: () => home.toolServers?.away.length ?? 0,
    stranded: async () =>
      (await strandedIn(home.store, home.catalog.flows)).reduce((sum, { runs }) => sum + runs, 0),
    damaged: async () => (await dispatch.count({ damaged: true })).reduce((sum, { runs }) => sum + runs, 0),
  };
}
