import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { functionTool } from '../function.ts';
import type { Tool } from '../tool.ts';
import { isPublicAddress } from './address.ts';
import { addressesOf, type HttpGuard } from './guard.ts';
import { checkHeaders } from './headers.ts';
import { request, usualLimits, type HttpSettings } from './http.ts';

/** A place that workflows may send requests to. What it is sent with stays here: it is in no graph and in no journal. */
export interface Connection {
  readonly name: string;
  /** What every path stands below. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is ours and may lie in a network of our own: what it says is not foreign, and what it gets has not left. */
  readonly trusted?: boolean;
  readonly guard?: Partial<HttpGuard>;
}

const kinds = [
  { kind: 'get', methods: ['GET'], effect: 'pure' },
  { kind: 'put', methods: ['PUT', 'DELETE'], effect: 'idempotent' },
  { kind: 'send', methods: ['POST', 'PATCH'], effect: 'once' },
] as const;

/** Requests below one address: those that read, those that may be repeated, and those that happen once. */
export function connectionTools(connection: Connection): Tool[] {
  const { name, trusted = false, guard = {} } = connection;
  const { isAllowed = trusted ? () => true : isPublicAddress, lookup = addressesOf } = guard;
  const settings: HttpSettings = {
    rules: {},
    trusted,
    guard: { isAllowed, lookup },
    limits: { ...usualLimits, redirects: 0 },
  };
  return kinds.map(({ kind, methods, effect }) =>
    functionTool({
      name: `connection_${name}_${kind}`,
      description: `A request to ${name}.`,
      effect,
      sends: !trusted,
      untrusted: !trusted,
      timeout: settings.limits.seconds * 1_000 + 5_000,
      input: z.strictObject({
        method: z.enum(methods),
        path: z.string().max(8_192),
        body: z.json().optional(),
      }),
      async run({ method, path, body }, context) {
        const headers = checkHeaders(connection.headers ?? {});
        if (effect !== 'pure' && !headers.has('idempotency-key'))
          headers.set('idempotency-key', context.idempotencyKey);
        if (body !== undefined && !headers.has('content-type'))
          headers.set('content-type', 'application/json');
        const sent = body === undefined ? undefined : JSON.stringify(body);
        const url = below(connection, path).href;
        const asked = { url, method, headers, body: sent, hops: 0 };
        return answered(name, await request(settings, asked, context).catch(unnamed(connection)));
      },
    }),
  );
}

/** What a graph says is a path: it leads nowhere but below the address of the connection. */
function below({ name, url }: Connection, path: string): URL {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const target = URL.parse(path.replace(/^\/+/, ''), base.href);
  if (target?.origin !== base.origin || !target.pathname.startsWith(base.pathname)) {
    const message = `«path» leads out of the connection «${name}»: begin with what stands below its address.`;
    throw new RunError('refused', message);
  }
  if (!mayClimb(path)) return target;
  const message = `«path» may lead elsewhere in «${name}»: no part of it can be «.» or «..», or have a slash or a backslash in it, encoded or not.`;
  throw new RunError('refused', message);
}

/** Servers differ in what they decode, and in what they take for a parameter of a part: what some would go up by is not sent. */
function mayClimb(path: string): boolean {
  // As a reader of addresses does, which leaves these out.
  const [parts = ''] = path.replace(/[\t\n\r]/g, '').split(/[?#]/, 1);
  return parts
    .split(/[\\/]/)
    .some((part) => /%(?:2f|5c)/i.test(part) || /^(?:\.|%2e){1,2}(?:;|%3b|$)/i.test(part));
}

/** Where a connection leads is the configuration's: graphs and runs know its name. */
function unnamed({ name, url }: Connection): (thrown: unknown) => never {
  const { host, hostname } = new URL(url);
  return (thrown) => {
    if (!(thrown instanceof RunError)) throw thrown;
    const { code, message, ...more } = thrown.failure;
    const told = message.replaceAll(host, `«${name}»`).replaceAll(hostname, `«${name}»`);
    throw told === message
      ? thrown
      : new RunError(code, told, { ...more, isLost: thrown.isLost, cause: thrown });
  };
}

function answered(name: string, answer: Json): Json {
  const { url: _, ...told } = answer as { status: number; body?: Json; url?: string };
  const { status, body } = told;
  if (status < 400) return told;
  const said = JSON.stringify(body ?? null)
    .slice(0, 200)
    .toWellFormed();
  const message = `«${name}» answered ${status}: ${said}`;
  throw new RunError(status < 500 ? 'rejected' : 'unavailable', message, { retryable: status >= 500 });
}
