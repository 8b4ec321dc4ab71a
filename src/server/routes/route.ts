import type { z } from 'zod';
import { RunError, type Failure } from '../../run/failure.ts';
import type { Framing } from '../../wire/framing.ts';
import type { Address, Endpoint, Role } from '../../wire/native/endpoint.ts';
import { mayAct, type Caller, type Source } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { finders, tenantOf, type Subjects } from '../runs/quotas.ts';
import type { JsonParts } from '../http/json-parts.ts';
import { parsed } from '../../run/values.ts';
import type { Poured } from '../http/pour.ts';
import type { Sink } from '../viewers/viewer.ts';
import * as native from '../../wire/native/runs.ts';
import type { Watching, ListedRun } from '../../wire/native/runs.ts';
import type { RunRow } from '../../stores/store.ts';
import { nativeProtocol, shownTo } from '../viewers/channels.ts';
import type { Catalog } from '../../engine/world.ts';
import { strandedBy } from '../../engine/recovery/stranded.ts';
import { filled } from '../../run/tree.ts';

/** Whoever waits for an answer. */
export interface Asker {
  /** Waits until there is room for an answer that needs so many bytes to be read, and keeps it until it is sent. */
  readonly heavy: (bytes: number) => Promise<void>;
  /** Aborts when they leave: what is read only for them ends. Made for those who ask for it: most have their answer before they could leave. */
  readonly left: () => AbortSignal;
}

/** A request as it comes from the door: nothing of it has been believed yet. */
export interface RawAsked extends Asker {
  readonly context: ServerContext;
  readonly caller: Caller | undefined;
  readonly source: Source;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
}

type CallerOn<A extends Address> = A extends 'anyone' ? Caller | undefined : Caller;

/** A request as a route gets it: what it is about was found, and is the caller's. */
export interface Asked<A extends Address, Query, Body> extends Asker {
  readonly context: ServerContext;
  readonly caller: CallerOn<A>;
  readonly source: Source;
  readonly subject: Subjects[A];
  readonly params: RawAsked['params'];
  readonly query: Query;
  readonly body: Body;
  readonly header: (name: string) => string | undefined;
}

/** What a route answers: JSON, bytes, or a stream that goes on. */
export interface Reply {
  readonly status: number;
  readonly json?: unknown;
  /** JSON that may be long. */
  readonly parts?: JsonParts;
  /** Bytes, or texts that are made while they are sent: as they are, so whoever makes them has left out what is secret. */
  readonly bytes?: { readonly type: string; readonly content: Buffer | string | AsyncIterable<string> };
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection stays open; the sink is its other end. */
  readonly stream?: (sink: Sink) => void;
  /** What another library writes, as it comes. */
  readonly poured?: Poured;
  /** The place among the tenant's streams that it has already: called when it is over. */
  readonly giveBack?: () => void;
  /** What is sent into a silence, where a comment is not enough. */
  readonly beat?: string;
  /** How frames look on the stream, where they are no server-sent events. */
  readonly framing?: Framing;
  /** On a WebSocket: messages are the data of frames alone. */
  readonly bare?: boolean;
  /** On a WebSocket: its messages are what a response would be, its head and then its text. */
  readonly isEventStream?: boolean;
}

/** What a route that is no part of the native API may say besides. */
interface Foreign {
  /** The header in which clients carry their key here, where it is not `authorization`. */
  readonly keyHeader?: string | undefined;
  /** A refusal as clients read it here. */
  readonly errorBody?: (failure: Failure, status?: number) => unknown;
}

export interface RouteSpec<A extends Address, Query, Body> extends Endpoint, Foreign {
  readonly addresses: A;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body> | 'bytes';
  readonly handle: (asked: Asked<A, Query, Body>) => Promise<Reply> | Reply;
}

/** One door of the server. There is no way to its handler but through the check of whose things it is about. */
export interface Route extends Endpoint, Foreign {
  /** Fails for whoever may not come here at all. */
  admit(asked: Pick<RawAsked, 'context' | 'caller'>): void;
  answer(asked: RawAsked): Promise<Reply>;
}

export function route<A extends Address, Query = unknown, Body = unknown>(
  spec: RouteSpec<A, Query, Body>,
): Route {
  const { addresses, query: querySchema, body: bodySchema, handle: _, ...about } = spec;
  const find: (typeof finders)[A] | undefined = finders[addresses];
  // Types are gone when it runs: a route that does not say what it is about must not open to everybody.
  if (find === undefined) throw new TypeError(`${spec.method} ${spec.path} does not say what it addresses`);
  return {
    ...about,
    addresses,
    ...(querySchema ? { query: querySchema } : {}),
    ...(bodySchema ? { body: bodySchema } : {}),
    admit(asked) {
      if (addresses !== 'anyone') expectRole(asked, spec.role);
    },
    async answer(asked) {
      const { context, caller, source, params, query, body, header, heavy, left } = asked;
      this.admit(asked);
      const subject = await find({ context, caller, params, heavy });
      return spec.handle({
        context,
        caller: caller as CallerOn<A>,
        source,
        subject,
        params,
        query: querySchema ? parsed(querySchema, query, 'The query') : (undefined as Query),
        body: bodyOf(spec, body),
        header,
        heavy,
        left,
      });
    },
  };
}

function bodyOf<A extends Address, Query, Body>(
  { method, body: schema }: RouteSpec<A, Query, Body>,
  body: unknown,
): Body {
  if (schema === undefined || schema === 'bytes') return body as Body;
  // What is put takes the place of what was there: nothing must not.
  return parsed(schema, method === 'PUT' ? body : (body ?? {}), 'The body');
}

function expectRole(asked: Pick<RawAsked, 'context' | 'caller'>, needs: Role): void {
  tenantOf(asked);
  if (asked.caller && mayAct(asked.caller.role, needs)) return;
  throw new RunError('refused', `A key of role «${needs}» is needed for this.`);
}

export const eventRoutes = [
  route({
    ...native.watchRun,
    handle: ({ context, caller, subject, query, header }) =>
      watchRun({ context, caller }, subject, { ...query, after: header('last-event-id') || query.after }),
  }),
  route({
    ...native.watchRunOnSocket,
    handle: ({ context, caller, subject, query }) => watchRun({ context, caller }, subject, query),
  }),
  route({
    ...native.streamRunOnSocket,
    handle: ({ context, caller, subject, query }) => ({
      ...watchRun({ context, caller }, subject, query),
      isEventStream: true,
    }),
  }),
];

/** What of a run has to be known to watch it. */
export type Watched = Pick<RunRow, 'run' | 'app' | 'head' | 'state' | 'damaged'>;

/** The rest of a run after a cursor, in a protocol. */
export function watchRun(
  { context, caller }: { readonly context: ServerContext; readonly caller: Caller },
  row: Watched,
  query: z.infer<typeof Watching>,
): Reply {
  const { as = nativeProtocol, after = '0', ...asked } = query;
  const { run, head, state } = row;
  const told = context.protocols.telling(as, {
    run,
    preferences: shownTo({ context, caller }, row.app, asked),
  });
  const cursor = cursorIn(after, row);
  if (state === 'ended' && cursor === head) return { status: 204 };
  // Nobody can be told what comes after it: whoever has it would come back for ever.
  if (row.damaged !== null && cursor >= row.damaged) return { status: 204 };
  return {
    status: 200,
    headers: { [native.headHeader]: String(head) },
    stream: (sink) => void context.channels.watch({ run, head, ...told }, sink, cursor),
  };
}

function cursorIn(given: string, { run, head }: Watched): number {
  const [, other, number = ''] = /^(?:(.+):)?(\d{1,15})$/.exec(given) ?? [];
  if (number === '')
    throw new RunError('malformed', `The cursor «${given.slice(0, 100)}» is not a number from 0 on.`);
  if (other !== undefined && other !== run)
    throw new RunError('rejected', 'The cursor is of another run: begin this one without a cursor.');
  const cursor = Number(number);
  if (cursor <= head) return cursor;
  throw new RunError(
    'rejected',
    `The cursor ${cursor} is in the future of run ${run}, which has come to ${head}.`,
  );
}

/** Whose place it took, and who took its own. */
export function placeIn({ replaces, replacedBy }: RunRow): Pick<ListedRun, 'again' | 'replacedBy'> {
  return { again: replaces ?? undefined, replacedBy: replacedBy ?? undefined };
}

export function listedRun(row: RunRow, catalog: Catalog): ListedRun {
  const { run, conversation, app, title, status, approvals, head: seq, bytes, createdAt, updatedAt } = row;
  const listed = { run, conversation, app, title, status, approvals, seq, bytes, createdAt, updatedAt };
  return { ...listed, ...factsIn(row), ...whyStill(row, catalog), ...placeIn(row) };
}

/** What keeps a run from going on that nobody can mend by waiting. */
function whyStill(row: RunRow, catalog: Catalog): Pick<ListedRun, 'damaged' | 'stranded'> {
  return { damaged: row.damaged ?? undefined, stranded: strandedBy(catalog, row) };
}

/**
 * Which runs go on only when somebody takes them up. Whoever works on one renews its lease; where nobody has the folder,
 * nobody works on any.
 */
export function leftIn({
  home,
  now,
}: Pick<ServerContext, 'home' | 'now'>): (row: RunRow) => true | undefined {
  return ({ state, status, leaseUntil }) => {
    if (status === 'waiting' || status === 'paused') return undefined;
    if (state !== 'running' && state !== 'ready') return undefined;
    return !home.isHolder || (state === 'running' && leaseUntil < now()) ? true : undefined;
  };
}

function factsIn({ facts }: RunRow): Partial<ListedRun> {
  const { labels, agents, tools, asked, tokens, startedAt, endedAt } = facts;
  return {
    labels: Object.keys(labels).length > 0 ? { ...labels } : undefined,
    agents: filled([...agents]),
    tools: filled([...tools]),
    asked: asked || undefined,
    tokens,
    duration: startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt,
  };
}

/** A run with more is read and told while it is sent. Bytes. */
export const smallRun = 1 << 20;

/** The caller's own name for a request: the same again is the same request. */
export function idempotencyKeyIn(header: (name: string) => string | undefined): string | undefined {
  const key = header('idempotency-key');
  if (key === undefined || /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new RunError('malformed', 'An idempotency key has up to 200 visible characters.');
}

/** A page has no more bytes than this, unless its first thing has more. */
export const pageBytes = 1 << 20;

/** As many things, made one after the other, as one answer holds. */
export async function pageWithin<From, To>(
  wanted: readonly From[],
  make: (one: From) => Promise<To>,
): Promise<To[]> {
  const page: To[] = [];
  let size = 0;
  for (const one of wanted) {
    const made = await make(one);
    size += JSON.stringify(made).length;
    if (page.length > 0 && size > pageBytes) break;
    page.push(made);
  }
  return page;
}

/** Deeper than this nothing that is meant for us goes, and a parser that follows it can be made to fall. */
const deepest = 64;

/**
 * A body as JSON. What could mean one thing to one reader and another to the next is refused: a name that stands twice,
 * and names that reach the prototype of an object.
 */
export function strictJson(bytes: Buffer): unknown {
  expectShallow(bytes, 'The body');
  const text = bytes.toString();
  expectPlain(text, 'The body');
  try {
    return halfCharacter.test(text) ? JSON.parse(text, whole) : JSON.parse(text);
  } catch {
    throw new RunError('malformed', 'The body is not JSON.');
  }
}

/** Half a character can be written with an escape alone. What has one is kept by nobody as it came. */
const halfCharacter = /\\ud[89a-f]/i;

function whole(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

const [quote, backslash] = [0x22, 0x5c];

const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How deep it is shows in its bytes: of megabytes that nest without end no text is made, which would only be garbage. */
function expectShallow(bytes: Buffer, what: string): void {
  let [depth, isText] = [0, false];
  for (let i = 0; i < bytes.length; i += 1) {
    const sign = bytes[i] ?? 0;
    if (isText && sign === backslash) i += 1;
    else if (sign === quote) isText = !isText;
    else if (isText) continue;
    else if (sign === openObject || sign === openArray) depth += 1;
    else if (sign === closeObject || sign === closeArray) depth -= 1;
    if (depth > deepest) throw tooDeep(what);
  }
}

function tooDeep(what: string): RunError {
  return new RunError('malformed', `${what} is nested more than ${deepest} levels deep.`);
}

interface Open {
  /** The names an object has so far; an array has none. */
  readonly names: Set<string> | undefined;
  /** The name it stands under itself. */
  readonly under: string;
  /** The name that was read last. */
  name: string;
}

/** One pass over the text, before anything is made of it. Whether it is JSON at all is for the parser to say. */
export function expectPlain(text: string, what: string): void {
  const open: Open[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (sign === '{' || sign === '[') {
      open.push({ names: sign === '{' ? new Set() : undefined, under: open.at(-1)?.name ?? '', name: '' });
      if (open.length > deepest) throw tooDeep(what);
    } else if (sign === '}' || sign === ']') open.pop();
    else if (sign === '"') {
      const end = endOfString(text, i);
      if (isName(text, end)) expectFresh(open.at(-1), plain(text.slice(i, end)), what);
      i = end - 1;
    }
  }
}

/** The place after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let i = end;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\t' || text[i] === '\r') i += 1;
  return text[i] === ':';
}

function expectFresh(open: Open | undefined, name: string, what: string): void {
  if (name === '__proto__' || (name === 'prototype' && open?.under === 'constructor'))
    throw new RunError('malformed', `${what} has a field «${name}», which is not allowed anywhere.`);
  if (open?.names?.has(name))
    throw new RunError('malformed', `${what} has the field «${name.slice(0, 60)}» twice: give each once.`);
  open?.names?.add(name);
  if (open) open.name = name;
}

function plain(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    // The parser will refuse the whole.
    return quoted;
  }
}
