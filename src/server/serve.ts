import { resolve } from 'node:path';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { readConfig, type Config, type ConfigInput } from '../catalog/config.ts';
import type { Log } from '../engine/world.ts';
import { failureOf, RunError } from '../run/failure.ts';
import { present } from '../run/present.ts';
import type { Store } from '../stores/store.ts';
import { appOf } from './app.ts';
import { openHome, protocols, showing } from './compose/compose.ts';
import { doorOf } from './access/door.ts';
import type { HeldHome } from './folder/hold.ts';
import { heavyWork } from './http/heavy.ts';
import { defaultAppOf } from './folder/home.ts';
import { requestLogOf } from './observe/request-log.ts';
import type { ServerContext } from './context.ts';
import { cleanLog, stderrLog } from './observe/log.ts';
import { followed, logTailOf } from './observe/log-tail.ts';
import { metricsOf, type Gauges } from './observe/metrics.ts';
import { protocolsOf, type Protocol } from './viewers/protocols.ts';
import { quotasOf } from './runs/quotas.ts';
import { withoutPaths } from './http/refusal.ts';
import { readinessOf } from './observe/readiness.ts';
import { doorRoutes } from './routes/protocol-doors.ts';
import { routeTable } from './routes/table.ts';
import { runMetrics } from './observe/run-metrics.ts';
import { openStreams } from './http/streams.ts';
import { newId } from './system.ts';
import { treesOf } from './runs/trees.ts';
import { Channels } from './viewers/channels.ts';

export interface ServeSettings {
  /** The data folder. */
  readonly data: string;
  readonly config?: ConfigInput;
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port?: number;
  /** Ask for a key on this machine, too, as «auth.local: key» does. */
  readonly isPrivate?: boolean;
  readonly log?: Log;
  /** Where whoever started the server is told what cannot wait; a log may be where the trouble is. */
  readonly warn?: (line: string) => void;
  /** False for a process that only serves: others work on what is asked here. Needs a store that processes share. */
  readonly works?: boolean;
  /** Where runs are kept, if not in the folder: a store that other processes share. Whoever opened it closes it. */
  readonly store?: Store;
  /** Seconds that what has begun may take once the server is told to end. */
  readonly grace?: number | undefined;
  /** How long a viewer may take nothing before it is cut off, in milliseconds. */
  readonly patience?: number;
  /** Protocols beside its own. */
  readonly protocols?: readonly Protocol[];
}

function protocolsIn({ protocols: more = [] }: ServeSettings): readonly Protocol[] {
  return [...protocols, ...more];
}

export interface RunningServer {
  readonly url: string;
  readonly context: ServerContext;
  /** Where the key of whoever owns the folder is, if the server had to make one or was asked to. */
  readonly keyFile?: string;
  /** Signs one browser in, once, where «auth.local» asks for a key. */
  readonly link?: string;
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. */
  close(): Promise<void>;
}

/** How long open requests get to end when the server goes away. Milliseconds. */
const farewell = 2_000;
const lookForKeys = 1_000;
const patience = 30_000;
/** Thousands may come back at once. */
const backlog = 4_096;

/** Open a data folder, work on its runs, and let people in. */
export async function serve(settings: ServeSettings): Promise<RunningServer> {
  const config = configOf(settings);
  const folder = resolve(settings.data);
  const given = settings.log ?? stderrLog;
  const registry = new Registry();
  const home = await openHome({
    data: folder,
    meter: runMetrics(registry),
    config,
    takes: settings.works === false ? 'nothing' : 'everything',
    log: given,
    grace: settings.grace,
    ...present({ store: settings.store }),
  });
  try {
    const log = cleanLog(given, home.secrets.clean);
    return await open(home, { ...settings, config, folder, log, registry });
  } catch (thrown) {
    await home.close();
    throw thrown;
  }
}

interface Opening extends ServeSettings {
  readonly config: Config;
  readonly folder: string;
  readonly log: Log;
  readonly registry: Registry;
}

async function open(home: HeldHome, opening: Opening): Promise<RunningServer> {
  const { config, folder } = opening;
  const closing = new AbortController();
  const context = contextOf(home, { ...opening, closing: closing.signal });
  forgetErased(context);
  const app = await appOf({
    context,
    routes: [...routeTable, ...doorRoutes(protocolsIn(opening))],
    clean: home.secrets.clean,
    hidden: hiddenIn(folder),
    patience: opening.patience ?? patience,
  });
  const { host, port } = config.server;
  await app.listen({ host, port, backlog }).catch((cause: unknown) => {
    throw unheard(cause, { host, port });
  });
  const { address, port: bound } = app.server.address() as AddressInfo;
  const looking = setInterval(() => {
    context.door.lookForKeys();
    context.streams.sweep((caller) => context.door.mayStay(caller));
  }, lookForKeys);
  looking.unref();
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${bound}`;
  home.announce(url);
  await context.readiness.now();
  const { keyFile, ticket } = context.door;
  return {
    url,
    context,
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(ticket === undefined ? {} : { link: `${url}/#sign-in=${ticket}` }),
    async close() {
      closing.abort();
      clearInterval(looking);
      context.readiness.close();
      // Whoever asks while what has begun comes to its end is told that this server is going away.
      await home.rest();
      const closed = app.close();
      context.logTail.close();
      await context.channels.close();
      const enough = setTimeout(() => {
        app.server.closeAllConnections();
        // A socket is no longer the server's to close, and waits half a minute for a peer that says nothing.
        context.streams.sweep(() => false);
      }, farewell);
      await closed;
      clearTimeout(enough);
      await home.close();
    },
  };
}

function forgetErased({ home, trees, channels }: ServerContext): void {
  home.onErased((run) => {
    trees.forget(run);
    channels.forget(run);
  });
}

/** What must not stand in an answer: paths of this machine. */
function hiddenIn(folder: string): readonly string[] {
  return [folder, process.cwd()];
}

/** Why nothing can be heard at an address, and what to do. */
function unheard(cause: unknown, { host, port }: { readonly host: string; readonly port: number }): unknown {
  if (!(cause instanceof Error && 'code' in cause)) return cause;
  const fixes: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there; end it, or choose another with --port, or 0 for any',
    EACCES: 'this user may not listen there; choose a port from 1024 on with --port',
    EADDRNOTAVAIL: 'it is no address of this machine; choose another with --host',
    ENOTFOUND: 'there is no such name; choose another with --host',
  };
  const why = fixes[String(cause.code)];
  if (why === undefined) return cause;
  return new RunError('unavailable', `Cannot listen on ${host} port ${port}: ${why}.`, { cause });
}

interface Serving extends Opening {
  readonly closing: AbortSignal;
}

function contextOf(home: HeldHome, { config, folder, log, closing, ...settings }: Serving): ServerContext {
  const now = (): number => Date.now();
  const requestLog = requestLogOf(config.server.log, log);
  const logTail = logTailOf();
  const { auth, server } = config;
  const door = doorOf({
    folder,
    auth,
    server,
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
  const channels = new Channels({
    journal: home.journal,
    clean: home.secrets.clean,
    now,
    problem(run, cause) {
      // A run that was erased, or a store that was closed, is no bug.
      if (failureOf(cause).code === 'internal') log.error({ run, cause }, 'A run could not be shown.');
    },
    delivered: (characters) => metrics.delivered(characters),
    patience: settings.patience ?? patience,
  });
  return {
    home,
    door,
    metrics,
    channels,
    heavy: heavyWork(),
    quotas: quotasOf(config.server.quotas, !door.isLocked),
    streams: openStreams(),
    trees: treesOf(home.journal, showing),
    readiness,
    hide: (text) => withoutPaths(text, hiddenIn(folder)),
    protocols: protocolsOf(protocolsIn(settings)),
    now,
    newId,
    isClosing: () => closing.aborted,
    log: followed(requestLog, logTail, now),
    logTail,
    ...present({ defaultApp: defaultAppOf(config) }),
  };
}

function gaugesOf(home: HeldHome): Omit<Gauges, 'viewers' | 'isReady'> {
  const { dispatch } = home.store;
  return {
    runs: () => home.inHand.length,
    questions: () => dispatch.questions(),
    away: () => home.toolServers?.away.length ?? 0,
    damaged: async () => (await dispatch.count({ damaged: true })).reduce((sum, { runs }) => sum + runs, 0),
  };
}

function configOf({ config = {}, host, port, isPrivate = false }: ServeSettings): Config {
  const parsed = readConfig(config, 'The configuration');
  const server = {
    ...parsed.server,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  };
  return { ...parsed, server, auth: { ...parsed.auth, ...(isPrivate ? { local: 'key' } : {}) } };
}
