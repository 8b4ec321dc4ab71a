import type { z } from 'zod';
import { RunError, type Failure } from '../../run/failure.ts';
import type { Framing } from '../../wire/framing.ts';
import type { Address, Endpoint, Role } from '../../wire/native/endpoint.ts';
import { mayAct, type Caller } from '../access/caller.ts';
import type { Source } from '../access/source.ts';
import type { ServerContext } from '../context.ts';
import { finders, tenantOf, type Subjects } from '../runs/owner.ts';
import type { JsonParts } from '../http/json-parts.ts';
import { parsed } from '../../run/parsed.ts';
import type { Poured } from '../http/pour.ts';
import type { Sink } from '../viewers/viewer.ts';

/** Whoever waits for an answer. */
export interface Asker {
  /** Waits until there is room for an answer that needs so many bytes to be read, and keeps it until it is sent. */
  readonly heavy: (bytes: number) => Promise<void>;
  /** Aborts when they leave: what is read only for them ends. */
  readonly signal: AbortSignal;
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
  readonly errorBody?: (failure: Failure) => unknown;
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
  admit(caller: Caller | undefined): void;
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
    admit(caller) {
      if (addresses !== 'anyone') expectRole({ caller }, spec.role);
    },
    async answer(asked) {
      const { context, caller, source, params, query, body, header, heavy } = asked;
      this.admit(caller);
      const subject = await find({ context, caller, params, heavy });
      return spec.handle({
        context,
        caller: caller as CallerOn<A>,
        source,
        subject,
        params,
        query: querySchema ? parsed(querySchema, query, 'The query') : (undefined as Query),
        body: bodyOf(bodySchema, body),
        header,
        heavy,
        get signal() {
          return asked.signal;
        },
      });
    },
  };
}

function bodyOf<Body>(schema: z.ZodType<Body> | 'bytes' | undefined, body: unknown): Body {
  if (schema === undefined || schema === 'bytes') return body as Body;
  return parsed(schema, body ?? {}, 'The body');
}

function expectRole(asked: { readonly caller: Caller | undefined }, needs: Role): void {
  tenantOf(asked);
  if (asked.caller && mayAct(asked.caller.role, needs)) return;
  throw new RunError('refused', `A key of role «${needs}» is needed for this.`);
}
