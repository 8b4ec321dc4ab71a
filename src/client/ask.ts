import type { z } from 'zod';
import { RunError } from '../run/failure.ts';
import {
  pathTo,
  type AnswerOf,
  type BodyOf,
  type Endpoint,
  type ParametersOf,
  type QueryOf,
} from '../wire/native/endpoint.ts';
import { Refusal } from '../wire/native/refusal.ts';

/** How to reach a server. */
export interface ServerAddress {
  /** As `http://127.0.0.1:4177`; in a browser, `location.origin`. */
  readonly url: string;
  /** A key or a token; a browser that has signed in needs none. */
  readonly key?: string;
  /** Another way to send requests than the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Aborts where the server will not be there again: whoever waits for it asks at once, and hears so. */
  readonly gone?: AbortSignal;
}

/** What is asked of one endpoint. */
export interface EndpointRequest<E extends Endpoint> {
  /** The names in its address. */
  readonly of?: ParametersOf<E>;
  readonly query?: Partial<QueryOf<E>>;
  readonly body?: BodyOf<E>;
  readonly bytes?: { readonly type: string; readonly content: Uint8Array<ArrayBuffer> };
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** Send a request. What the server refuses is thrown as the failure it names. */
export async function ask<E extends Endpoint>(
  server: ServerAddress,
  endpoint: E,
  asking: EndpointRequest<E>,
): Promise<Response> {
  const { body: json, bytes, signal } = asking;
  const body = json === undefined ? bytes?.content : JSON.stringify(json);
  const response = await sent(server, addressOf(server, endpoint, asking), {
    method: endpoint.method,
    headers: headersOf(server, asking),
    body,
    signal,
  });
  if (response.ok) return response;
  throw await refusalIn(response);
}

/** Ask for what an endpoint answers. */
export async function askFor<E extends Endpoint>(
  server: ServerAddress,
  endpoint: E,
  asking: EndpointRequest<E>,
): Promise<AnswerOf<E>> {
  const response = await ask(server, endpoint, asking);
  const schema = endpoint.answers[response.status]?.schema as z.ZodType<AnswerOf<E>> | undefined;
  const parsed = schema?.safeParse(jsonIn(await textOf(server, response)));
  if (parsed?.success) return parsed.data;
  const { pathname } = new URL(addressOf(server, endpoint, asking));
  throw new RunError('unavailable', `${pathname} answered something else than this client knows.`);
}

/** What broke off half-way may well be had whole when it is asked for again. */
export function brokenOff({ url }: ServerAddress, cause: unknown): RunError {
  return new RunError('unavailable', `The connection to ${url} broke.`, { retryable: true, cause });
}

async function textOf(server: ServerAddress, response: Response): Promise<string> {
  return response.text().catch((cause: unknown) => {
    throw brokenOff(server, cause);
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headersOf<E extends Endpoint>(
  { key }: ServerAddress,
  { body, bytes, headers }: EndpointRequest<E>,
): Record<string, string> {
  const type = body === undefined ? bytes?.type : 'application/json';
  const all = {
    authorization: key === undefined ? undefined : `Bearer ${key}`,
    'content-type': type,
    ...headers,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(given) as Record<string, string>;
}

async function sent({ url, fetch = globalThis.fetch }: ServerAddress, address: string, request: RequestInit) {
  try {
    return await fetch(address, request);
  } catch (cause) {
    // A way of somebody's own to send requests may know better what is wrong with it.
    if (request.signal?.aborted || cause instanceof RunError) throw cause;
    throw new RunError('unavailable', `${url} cannot be reached.`, { retryable: true, cause });
  }
}

function addressOf<E extends Endpoint>(
  { url }: ServerAddress,
  endpoint: E,
  asking: EndpointRequest<E>,
): string {
  const names = asking.of ?? ({} as ParametersOf<E>);
  // A server behind a proxy may have a path of its own in front of all others.
  const address = new URL(`${url.replace(/\/+$/, '')}${pathTo(endpoint, names)}`);
  for (const [name, given] of Object.entries(asking.query ?? {}))
    for (const value of [given].flat())
      if (value !== undefined) address.searchParams.append(name, String(value));
  return address.href;
}

async function refusalIn(response: Response): Promise<RunError> {
  const told = Refusal.safeParse(await response.json().catch(() => undefined));
  const isBusy = response.status === 429 || response.status >= 500;
  if (!told.success) {
    const message = `The server answered ${response.status}.`;
    return new RunError(isBusy ? 'unavailable' : 'refused', message, { retryable: isBusy });
  }
  const { code, message, retryable = isBusy, problems } = told.data.error;
  return new RunError(code, message, { retryable, problems });
}
