import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../catalog/config.ts';
import type { Log } from '../engine/world.ts';
import { failureOf, type Failure } from '../run/failure.ts';
import { present } from '../run/present.ts';
import { ownersWay, type Door, type DoorSettings } from './access/door.ts';
import type { WaysIn } from './access/way-in.ts';
import { appOf } from './app.ts';
import { showing } from './compose/showing.ts';
import type { ServerContext } from './context.ts';
import { listenInFolder } from './folder/folder-socket.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import { defaultAppOf } from './folder/home.ts';
import { heavyWork } from './http/heavy.ts';
import { withoutPaths } from './http/refusal.ts';
import { openStreams } from './http/streams.ts';
import { followed, logTailOf } from './observe/log-tail.ts';
import { type Gauges, metricsOf } from './observe/metrics.ts';
import { readinessOf } from './observe/readiness.ts';
import { requestLogOf } from './observe/request-log.ts';
import { strandedIn } from './observe/stranded.ts';
import { doorRoutes } from './doors/door-routes.ts';
import { routeTable } from './routes/table.ts';
import { quotasOf } from './runs/quotas.ts';
import { treesOf } from './runs/trees.ts';
import { alarmOf, keepSchedules } from './workflows/keep-schedules.ts';
import { lookingAgain } from './shared/watched-kind.ts';
import { Channels } from './viewers/channels.ts';
import { feedViewers, type FeedViewers } from './viewers/feed-viewers.ts';
import { peopleOf } from './viewers/preferring.ts';
import { protocolsOf, type Protocol } from './viewers/protocols.ts';

export interface Hosting {
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

/** A data folder with its HTTP API, for its owner at the socket in it; whoever serves it also listens elsewhere. */
export interface Hosted {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  /** How requests have come, where that says who asks. */
  readonly ways: WaysIn;
  /** What whoever started it should know. */
  readonly notices: readonly string[];
  /** Tell other terminals of this folder where it is served. */
  announce(url: string): void;
  /** Hear of nothing more at the socket. */
  readonly hush: () => Promise<void>;
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. */
  readonly close: () => Promise<void>;
}

/** How soon whoever may not stay is gone. Milliseconds. */
const sweepEvery = 1_000;

/** How long open requests get to end when the process goes away. Milliseconds. */
const farewell = 2_000;

export async function hostOpened(home: OpenFolder, hosting: Hosting): Promise<Hosted> {
  const { folder } = hosting;
  const closing = new AbortController();
  const at: { url?: string } = {};
  const context = await contextOf(home, { ...hosting, address: () => at.url, closing: closing.signal });
  forgetErased(context);
  lookAfter(context, closing.signal);
  const schedules = keepSchedules(context, closing.signal);
  const ways: WaysIn = new WeakMap();
  const answering = new Set<Promise<unknown>>();
  const app = await appOf({
    context,
    routes: [...routeTable, ...doorRoutes(hosting.protocols)],
    clean: home.secrets.clean,
    hidden: hiddenIn(folder),
    ways,
    answering,
    patience: hosting.patience,
  });
  await app.ready();
  const listening = await listenInFolder(folder, (socket) => {
    ways.set(socket, ownersWay);
    app.server.emit('connection', socket);
  }).catch((thrown: unknown) => failureOf(thrown));
  const hush = typeof listening === 'function' ? listening : async (): Promise<void> => {};
  return {
    app,
    context,
    ways,
    notices: [...home.notices, ...(typeof listening === 'function' ? [] : [unheard(listening)])],
    announce: (url) => void (at.url = url),
    hush,
    close: async () => {
      closing.abort();
      context.readiness.close();
      await schedules;
      // Whoever asked to stop the last run here must still hear that it was stopped.
      await atMost(farewell, Promise.allSettled(answering));
      // Whoever asks while what has begun comes to its end is told that this server is going away.
      await home.rest();
      await dismiss(context, () => Promise.all([app.close(), hush()]), app.server);
      await home.close();
    },
  };
}

/** Viewers are told to come back, and whoever does not go by themselves is cut off. */
async function dismiss(
  context: ServerContext,
  close: () => Promise<unknown>,
  server: Pick<Server, 'closeAllConnections' | 'closeIdleConnections'>,
): Promise<void> {
  const closed = close();
  context.logTail.close();
  context.feedViewers.close();
  await context.channels.close();
  // A connection whose stream came to its end waits for another request; none will be answered.
  server.closeIdleConnections();
  const enough = setTimeout(() => {
    server.closeAllConnections();
    // A socket is no longer the server's to close, and waits half a minute for a peer that says nothing.
    context.streams.sweep(() => false);
  }, farewell);
  await closed;
  clearTimeout(enough);
}

/** Whoever may not stay goes, and what nobody told is looked for. */
function lookAfter({ door, people, streams }: ServerContext, closing: AbortSignal): void {
  const sweeping = setInterval(() => streams.sweep((caller) => door.mayStay(caller)), sweepEvery).unref();
  const rest = lookingAgain(door, people);
  closing.addEventListener('abort', () => {
    clearInterval(sweeping);
    rest();
  });
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const enough = setTimeout(resolve, milliseconds);
  await Promise.race([work, promise]);
  clearTimeout(enough);
}

function forgetErased({ home, trees, channels }: ServerContext): void {
  home.store.listen((hint) => {
    if (hint.type !== 'erased') return;
    trees.forget(hint.run);
    channels.forget(hint.run);
  });
}

/** What must not stand in an answer: paths of this machine. */
function hiddenIn(folder: string): readonly string[] {
  return [folder, process.cwd()];
}

/** A folder whose disk knows no sockets can be worked in all the same. */
function unheard({ message }: Failure): string {
  return `Other terminals can read this folder, but their commands do not arrive: ${message}`;
}

interface Serving extends Hosting {
  readonly address: () => string | undefined;
  readonly closing: AbortSignal;
}

async function contextOf(
  home: OpenFolder,
  { config, folder, log, closing, ...settings }: Serving,
): Promise<ServerContext> {
  const now = (): number => Date.now();
  const requestLog = requestLogOf(config.server.log, log);
  const logTail = logTailOf();
  const door = await settings.doorOf({
    folder,
    store: home.store,
    auth: config.auth,
    server: config.server,
    now,
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
  const channels = channelsOf(home, { log, ...settings }, (characters) => metrics.delivered(characters));
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
    now,
    newId: home.newId,
    isClosing: () => closing.aborted,
    log: followed(requestLog, logTail, now),
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
    now: () => Date.now(),
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
