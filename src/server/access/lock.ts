import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { AuthSettings, ServerSettings } from '../../catalog/server-settings.ts';
import { RunError } from '../../run/failure.ts';

/** Whether a key is asked for. */
export interface Lock {
  readonly isLocked: boolean;
  /** What it stands on. A badge that was given out under another lock is not good under this one. */
  readonly id: string;
}

export type Surroundings = Pick<ServerSettings, 'host' | 'hosts' | 'origins' | 'proxies'>;

/** Whoever names anything but this machine expects somebody from there: from then on people say who they are. */
export function lockOf(auth: AuthSettings, { host, hosts, origins, proxies }: Surroundings): Lock {
  const names = [host, ...hosts, ...origins.map((origin) => new URL(origin).hostname)];
  const isReached = proxies.length > 0 || !names.every(isLocal);
  const isAsked = auth.required === true || auth.local === 'key' || auth.jwt !== undefined;
  const isLocked = isReached || isAsked;
  const standing = JSON.stringify([isLocked, auth.jwt ?? null]);
  return { isLocked, id: createHash('sha256').update(standing).digest('base64url').slice(0, 22) };
}

/** Fails with `refused` for a request that came through something else: whoever sent it is not at this machine. */
export function expectDirect(headers: IncomingHttpHeaders): void {
  const sign = Object.keys(headers).find((name) => name.startsWith('x-forwarded-') || signs.has(name));
  if (sign === undefined) return;
  throw new RunError(
    'refused',
    `This request was forwarded («${sign.slice(0, 100)}»), and nobody is asked for a key here: name the host people use in server.hosts and the proxy in server.proxies, then come with a key.`,
  );
}

const signs: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-envoy-external-address',
  'x-amzn-trace-id',
  'x-azure-clientip',
  'true-client-ip',
  'fastly-client-ip',
  'cf-connecting-ip',
  'cf-ray',
]);

/** Names and addresses that nobody but this machine can mean. */
export function isLocal(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
