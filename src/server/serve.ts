import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { readConfig, type Config, type ConfigInput } from '../catalog/config.ts';
import type { Log } from '../engine/world.ts';
import { RunError } from '../run/failure.ts';
import type { Store } from '../stores/store.ts';
import { doorOf } from './access/door.ts';
import { openFolder } from './compose/compose.ts';
import { protocols } from './compose/protocols.ts';
import type { ServerContext } from './context.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import { hostOpened, type Hosted } from './host.ts';
import { cleanLog, stderrLog } from './observe/log.ts';
import { runMetrics } from './observe/metrics.ts';
import type { Protocol } from './viewers/channels.ts';
import { present } from '../run/tree.ts';

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
  readonly hosted: Hosted;
  /** What whoever started it should know. */
  readonly notices: readonly string[];
  /** Where the key of whoever owns the folder is, if the server had to make one or was asked to. */
  readonly keyFile?: string;
  /** Signs one browser in, once, where «auth.local» asks for a key. */
  readonly link?: string;
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. */
  close(): Promise<void>;
}

const patience = 30_000;
/** Thousands may come back at once. */
const backlog = 4_096;

/** Open a data folder, work on its runs, and let people in. */
export async function serve(settings: ServeSettings): Promise<RunningServer> {
  const config = configOf(settings);
  const folder = resolve(settings.data);
  const given = settings.log ?? stderrLog;
  const registry = new Registry();
  const home = await openFolder({
    data: folder,
    meter: runMetrics(registry),
    config,
    takes: settings.works === false ? 'nothing' : 'everything',
    log: given,
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

async function open(home: OpenFolder, opening: Opening): Promise<RunningServer> {
  const { host, port } = opening.config.server;
  const hosted = await hostOpened(home, {
    ...opening,
    protocols: protocolsIn(opening),
    patience: opening.patience ?? patience,
    doorOf,
  });
  const { app, context } = hosted;
  await app.listen({ host, port, backlog }).catch(async (cause: unknown) => {
    context.readiness.close();
    await hosted.hush();
    throw unheard(cause, { host, port });
  });
  const { address, port: bound } = app.server.address() as AddressInfo;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${bound}`;
  hosted.announce(url);
  await context.readiness.now();
  const { keyFile, ticket } = context.door;
  return {
    url,
    context,
    hosted,
    notices: hosted.notices,
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(ticket === undefined ? {} : { link: `${url}/#sign-in=${ticket}` }),
    close: () => hosted.close(),
  };
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

function configOf({ config = {}, host, port, grace, isPrivate = false }: ServeSettings): Config {
  const parsed = readConfig(config, 'The configuration');
  const server = {
    ...parsed.server,
    ...present({ host, port, grace }),
  };
  return { ...parsed, server, auth: { ...parsed.auth, ...(isPrivate ? { local: 'key' } : {}) } };
}
