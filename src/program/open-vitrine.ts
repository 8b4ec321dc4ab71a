import { z } from 'zod';
import { vitrineClient, type Client, type StartedRun, type StartRequest } from '../client/client.ts';
import type { Log } from '../engine/world.ts';
import type { FlatTree } from '../run/flat-tree.ts';
import { RunError } from '../run/failure.ts';
import { ownersWay } from '../server/access/owners-way.ts';
import type { WayIn } from '../server/access/way-in.ts';
import type { DefinedConfig } from '../server/compose/define-config.ts';
import { hostFolder } from '../server/host-folder.ts';
import type { Hosted } from '../server/host.ts';
import { fetchWithin } from '../server/http/in-process.ts';
import { mounted, withoutPrefix, type NodeHandler } from '../server/http/mounted.ts';
import type { System } from '../server/context.ts';
import { parsed } from '../run/values.ts';
import { callerOf, wayFor, type CallerOf, type ProgramCaller } from './caller.ts';
import { prefixOf } from './prefix.ts';
import { present } from '../run/tree.ts';

/** How a program has Vitrine in it. */
export interface VitrineSettings extends Partial<System> {
  /** The data folder: this process has it alone. */
  readonly data: string;
  readonly config?: DefinedConfig;
  /** Who asks, of a request to `handler` or `fetch`. Without it nobody comes in there. */
  readonly caller?: CallerOf;
  /** Where `handler` and `fetch` are mounted, as `/agents`. */
  readonly prefix?: string;
  /** Where bugs are told; on standard error unless said. */
  readonly log?: Log;
  /** Is told what whoever operates the program should know, as it turns out: a server of tools that is away, or back, a full disk. */
  readonly warn?: (line: string) => void;
}

const Settings = z.strictObject({
  data: z.string().min(1),
  config: z.unknown().optional(),
  caller: z
    .custom(isFunction, 'must be a function of the request that gives { tenant, who, role }')
    .optional(),
  prefix: z.string().optional(),
  log: having('error').optional(),
  warn: z.custom(isFunction, 'must be a function of a line').optional(),
  clock: having('now').optional(),
  newId: z.custom(isFunction, 'must be a function of a kind that gives an id').optional(),
});

/** A run that was started, to be watched. */
export interface BegunRun extends StartedRun {
  /** The tree after every change, until the run ends. What did not change is the same object as before. */
  follow(signal?: AbortSignal): AsyncIterable<FlatTree>;
}

/**
 * Vitrine in a program: it works on runs as a server does. What is asked here is asked as whoever owns the folder; `as`
 * asks for somebody else.
 */
export interface Vitrine extends Omit<Client, 'start'> {
  /** Start a run. It is durable when this resolves. */
  start(request: StartRequest): Promise<BegunRun>;
  /** The same for one of the program's own users, who see what is their tenant's. */
  as(caller: ProgramCaller): Client;
  /** Answers requests of Node's `http`: `app.use('/agents', vitrine.handler)`. */
  readonly handler: NodeHandler;
  /** Answers requests of `fetch`, for Hono, Next and others. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** What whoever started the program should know, as far as it was known when this was opened. */
  readonly notices: readonly string[];
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. */
  close(): Promise<void>;
}

/** Open a data folder in this process, and work on its runs. */
export async function openVitrine(settings: VitrineSettings): Promise<Vitrine> {
  parsed(Settings, settings, 'What openVitrine is given');
  const { data, config = {}, log, warn = () => {}, caller, clock, newId } = settings;
  const prefix = prefixOf(settings.prefix);
  const system = present({ clock, newId });
  const hosted = await hostFolder({ data, config, system, warn, ...present({ log }) });
  const { app, ways, notices, context } = hosted;
  context.home.toolServers?.hear(warn);
  const gone = new AbortController();
  let closed: Promise<void> | undefined;
  const clientBy = (way: WayIn): Client => {
    const fetch = fetchWithin(app.server, ways, { ...way, prefix });
    const whileOpen: typeof fetch = (...asked) =>
      gone.signal.aborted ? Promise.reject(isClosed()) : fetch(...asked);
    return vitrineClient({ url: 'http://localhost', fetch: whileOpen, gone: gone.signal });
  };
  const owner = clientBy(ownersWay);
  return {
    ...owner,
    async start(request) {
      const begun = await owner.start(request);
      return { ...begun, follow: (signal) => owner.follow(begun.run, signal) };
    },
    as: (given) => {
      const known = callerOf(given);
      return clientBy({ isDirect: true, callerOf: () => known });
    },
    handler: mounted({ app, ways, prefix, wayOf: (request) => wayFor(request, { caller, prefix }) }),
    fetch: (request) => answer(hosted, request, { caller, prefix }),
    notices,
    close() {
      gone.abort();
      return (closed ??= hosted.close(isClosed()));
    },
  };
}

function having(name: string): z.ZodType {
  const isOne = (value: unknown): boolean => isFunction(Reflect.get(Object(value) as object, name));
  return z.custom(isOne, `must be an object with the function «${name}»`);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Nobody comes back to it, so whoever follows a run hears of it. */
function isClosed(): RunError {
  return new RunError('unavailable', 'This Vitrine was closed: open the folder again.');
}

interface Answering {
  readonly caller: CallerOf | undefined;
  readonly prefix: string;
}

async function answer({ app, ways }: Hosted, request: Request, answering: Answering): Promise<Response> {
  const { caller, prefix } = answering;
  const address = new URL(request.url);
  address.pathname = withoutPrefix(prefix, address.pathname) ?? '/ ';
  const fetchBy = fetchWithin(app.server, ways, wayFor(request, { caller, prefix }));
  const { method, headers, body, signal } = request;
  return fetchBy(address, { method, headers, signal, ...(body ? { body } : {}) });
}
