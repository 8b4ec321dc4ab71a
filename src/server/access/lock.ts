import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthSettings, ServerSettings } from '../../catalog/server-settings.ts';

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

/** Names and addresses that nobody but this machine can mean. */
export function isLocal(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
