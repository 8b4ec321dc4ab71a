import { z } from 'zod';
import { Failure } from '../run/failure-schema.ts';
import { RunError } from '../run/failure.ts';

/** How to reach a server. */
export interface ServerAddress {
  /** As `http://127.0.0.1:4177`; in a browser, `location.origin`. */
  readonly url: string;
  /** A key or a token; a browser that has signed in needs none. */
  readonly key?: string;
  /** Another way to send requests than the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | readonly string[] | undefined>>;
  readonly json?: unknown;
  readonly bytes?: { readonly type: string; readonly content: Uint8Array<ArrayBuffer> };
  readonly headers?: Readonly<Record<string, string>>;
}

type QueryValue = string | number | boolean;

const Refusal = z.object({ error: Failure });

/** Send a request. What the server refuses is thrown as the failure it names. */
export async function ask(server: ServerAddress, asking: Asking, signal?: AbortSignal): Promise<Response> {
  const { method = 'GET', json, bytes, headers } = asking;
  const body = json === undefined ? bytes?.content : JSON.stringify(json);
  const type = json === undefined ? bytes?.type : 'application/json';
  const response = await sent(server, addressOf(server, asking), {
    method,
    headers: {
      ...(server.key === undefined ? {} : { authorization: `Bearer ${server.key}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
  if (response.ok) return response;
  throw await refusalIn(response);
}

async function sent({ url, fetch = globalThis.fetch }: ServerAddress, address: string, request: RequestInit) {
  try {
    return await fetch(address, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new RunError('unavailable', `${url} cannot be reached.`, { retryable: true, cause });
  }
}

/** Ask for JSON of a known form. */
export async function askFor<T>(server: ServerAddress, schema: z.ZodType<T>, asking: Asking): Promise<T> {
  const response = await ask(server, asking);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new RunError('unavailable', `${asking.path} answered something else than this client knows.`);
}

function addressOf({ url }: ServerAddress, { path, query = {} }: Asking): string {
  // A server behind a proxy may have a path of its own in front of all others.
  const address = new URL(`${url.replace(/\/+$/, '')}${path}`);
  for (const [name, given] of Object.entries(query))
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
  const { code, message, retryable = isBusy } = told.data.error;
  return new RunError(code, message, { retryable });
}
