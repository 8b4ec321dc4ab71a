import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { AuthSettings, ServerSettings } from '../../catalog/server-settings.ts';
import { RunError } from '../../run/failure.ts';
import type { Caller } from './caller.ts';
import { localTenant } from '../home.ts';
import { keyringOf, type Keyring } from './keyring.ts';
import type { KeyRecord } from './keys.ts';
import { badgesOf, jwtReader, type Badges } from './tokens.ts';

export interface Visit {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came: of what stands twice Node keeps the first and says nothing. */
  readonly rawHeaders: readonly string[];
  readonly isSocket: boolean;
}

/** Decides who comes in. Nothing is read of a request before it has been here. */
export interface Door {
  /** Whether a key is asked for. */
  readonly isLocked: boolean;
  readonly badges: Badges;
  /** Fails with `refused` for a request that another site has made a browser send. */
  expectHonest(visit: Visit): void;
  /** Who it is; undefined if they have not said, or not so that it counts. */
  callerOf(visit: Visit): Promise<Caller | undefined>;
  /** Who has a key or a token; undefined if it is not good. */
  holderOf(credential: string): Promise<Caller | undefined>;
  /** Whether somebody who came in earlier may stay. */
  mayStay(caller: Caller): boolean;
  /** Look for keys that were made or revoked meanwhile. */
  lookForKeys(): void;
  /** The site a browser's request came from, if it is one of the others that may use this server. */
  guestOrigin(headers: IncomingHttpHeaders): string | undefined;
}

export const badgeCookie = 'vitrine';

export interface DoorSettings {
  readonly folder: string;
  readonly auth: AuthSettings;
  readonly server: Pick<ServerSettings, 'host' | 'hosts' | 'origins'>;
  readonly now: () => number;
  readonly problem: (message: string, cause: unknown) => void;
  /** Called with every key and token that somebody came in with: it is recorded nowhere. */
  readonly seen?: (credential: string) => void;
}

export function doorOf({ folder, auth, server, now, problem, seen = () => {} }: DoorSettings): Door {
  const keyring = keyringOf(folder, (cause) =>
    problem('Keys that were made or revoked are not seen.', cause),
  );
  const badges = badgesOf(folder);
  const readJwt = auth.jwt ? jwtReader(auth.jwt) : undefined;
  const isLocked = auth.required === true || auth.jwt !== undefined || !isLoopback(server.host);
  expectLock({ server, auth, keyring });

  const holderOf = async (credential: string): Promise<Caller | undefined> => {
    const record = keyring.find(credential);
    const known = record ? callerWith(record) : await readJwt?.(credential);
    // On this machine, for this machine: nobody needs a key, so any will do.
    const holder = known ?? (isLocked ? undefined : atThisMachine);
    // Only what is good: else anybody could make words of others disappear.
    if (holder) seen(credential);
    return holder;
  };
  const mayStay = ({ key, expiresAt }: Caller): boolean =>
    (key === undefined || keyring.isGood(key)) && (expiresAt === undefined || expiresAt > now());

  return {
    isLocked,
    badges,
    holderOf,
    mayStay,
    expectHonest: (visit) => expectHonest(visit, { server, isLocked }),
    async callerOf({ headers }) {
      const [, credential] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
      if (credential !== undefined) return holderOf(credential);
      if (headers.authorization !== undefined && isLocked) return undefined;
      const badge = cookieIn(headers, badgeCookie);
      const known = badge === undefined ? undefined : await badges.read(badge);
      if (badge !== undefined && known) seen(badge);
      if (known && mayStay(known)) return known;
      if (isLocked) return undefined;
      for (const name of keyHeaders) seen(String(headers[name] ?? '').replace(/^\w+ /, ''));
      return atThisMachine;
    },
    lookForKeys: () => keyring.reload(),
    guestOrigin: ({ origin }) => server.origins.find((known) => known === origin),
  };
}

/** Where clients of other systems put their keys. */
const keyHeaders = ['authorization', 'api-key', 'x-api-key'] as const;

const atThisMachine: Caller = { tenant: localTenant, who: 'local', role: 'operator' };

function callerWith({ id, tenant, name, role }: KeyRecord): Caller {
  return { tenant, who: name, role, key: id };
}

function expectLock({
  server,
  auth,
  keyring,
}: Pick<DoorSettings, 'server' | 'auth'> & { readonly keyring: Keyring }): void {
  if (isLoopback(server.host) && auth.required !== true) return;
  if (auth.jwt !== undefined || !keyring.isEmpty) return;
  const where = isLoopback(server.host) ? 'auth.required is set' : `others can reach ${server.host}`;
  throw new RunError(
    'refused',
    `Nobody could enter: ${where}, and there is no key. Make one with «vitrine keys create <name>», or set auth.jwt.`,
  );
}

interface House {
  readonly server: DoorSettings['server'];
  readonly isLocked: boolean;
}

/**
 * A page of another site can make a browser send us things, and a name that is not ours can be made to mean this machine.
 * Without a key these are all that stands between such a page and what is here.
 */
function expectHonest(visit: Visit, { server, isLocked }: House): void {
  const { method, headers, isSocket } = visit;
  expectOnce(visit);
  if (headers.host === undefined) throw new RunError('malformed', 'A request must say its host.');
  const name = hostName(headers.host);
  const known = ['localhost', '127.0.0.1', '[::1]', server.host, `[${server.host}]`, ...server.hosts];
  const isAnyName = isLocked && server.hosts.length === 0;
  if (name === undefined || !(isAnyName || known.includes(name) || isLoopback(name)))
    throw new RunError(
      'refused',
      `This server is not called «${(name ?? '').slice(0, 100)}»: see server.hosts.`,
    );
  const { origin } = headers;
  if (origin !== undefined) {
    if (isOwn(origin, headers.host) || server.origins.includes(origin)) return;
    throw new RunError(
      'refused',
      `The site «${origin.slice(0, 100)}» may not use this server: see server.origins.`,
    );
  }
  const site = headers['sec-fetch-site'];
  const isVisit = method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isSocket;
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit)
    throw new RunError('refused', 'Another site made this request: see server.origins.');
  // Browsers say where a socket comes from. A badge without that is not from one that has it by right.
  if (isSocket && cookieIn(headers, badgeCookie) !== undefined)
    throw new RunError('refused', 'A socket with a cookie must say its origin.');
}

/** What stands between us and the client may have believed the other one. */
function expectOnce({ rawHeaders }: Visit): void {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const twice = single.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined)
    throw new RunError('malformed', `The header «${twice}» stands twice: send it once.`);
}

const single = ['host', 'authorization', 'origin', 'content-type', 'last-event-id', 'idempotency-key'];

function isOwn(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined || !/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)) return undefined;
  return host.replace(/:\d+$/, '').toLowerCase();
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  for (const part of cookie.split(';')) {
    const [key = '', value] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
