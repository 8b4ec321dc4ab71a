import type { IncomingHttpHeaders } from 'node:http';
import { RunError } from '../../run/failure.ts';
import { cookieIn, badgeCookies } from './cookie.ts';
import { expectDirect, type Source } from './source.ts';
import { isLocal, type Lock, type Surroundings } from './lock.ts';
import type { WayIn } from './way-in.ts';

export interface Visit {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came: of what stands twice Node keeps the first and says nothing. */
  readonly rawHeaders: readonly string[];
  readonly isSocket: boolean;
  /** The other end of the connection. */
  readonly peer: string | undefined;
  /** How it came, where that says who it is. */
  readonly way?: WayIn | undefined;
}

interface Place {
  readonly server: Surroundings;
  readonly lock: Lock;
  readonly source: Source;
}

/**
 * A page of another site can make a browser send us things, and a name that is not ours can be made to mean this machine.
 * Without a key these are all that stands between such a page and what is here.
 */
export function expectHonest(visit: Visit, place: Place): void {
  expectOnce(visit);
  // No browser and no proxy gets to a socket in a folder.
  if (visit.way?.isDirect) return;
  if (!place.lock.isLocked) expectDirect(visit.headers);
  expectName(visit, place);
  expectOrigin(visit, place);
}

function expectName({ headers }: Visit, { server, lock }: Place): void {
  if (headers.host === undefined) throw new RunError('malformed', 'A request must say its host.');
  const name = hostName(headers.host);
  const isKnown = (): boolean =>
    [server.host, `[${server.host}]`, ...server.hosts].some((host) => host.toLowerCase() === name);
  // A name that means this machine can be anybody's: a page of theirs would be of our own origin.
  const isAnyName = lock.isLocked && server.hosts.length === 0 && !isLocal(server.host);
  if (name !== undefined && (isAnyName || isLocal(name) || isKnown())) return;
  throw new RunError('refused', 'This server has another name than the request’s Host: see server.hosts.');
}

/** Whether it comes from a page of a site that may not use this server. */
export function isStranger(
  { headers: { origin, host } }: Pick<Visit, 'headers'>,
  { server, source }: Pick<Place, 'server' | 'source'>,
): boolean {
  return origin !== undefined && !isOwn(origin, host, source) && !server.origins.includes(origin);
}

function expectOrigin({ method, headers, isSocket }: Visit, { server, source }: Place): void {
  const { origin } = headers;
  if (origin !== undefined) {
    // Who asks whether they may ask has asked nothing yet.
    if (method === 'OPTIONS' || !isStranger({ headers }, { server, source })) return;
    throw new RunError(
      'refused',
      `The site «${origin.slice(0, 100)}» may not use this server: name it in «server.origins».`,
    );
  }
  const site = headers['sec-fetch-site'];
  const isVisit = method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isSocket;
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit)
    throw new RunError('refused', 'Another site made this request: name it in «server.origins».');
  // Browsers say where a socket comes from. A badge without that is not from one that has it by right.
  if (isSocket && badgeCookies.some((name) => cookieIn(headers, name) !== undefined))
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

/** Whoever can change what comes without TLS could make a page of this name that is not ours. */
function isOwn(origin: string, host: string | undefined, { isTls }: Source): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  return named === host?.toLowerCase() && (!isTls || protocol === 'https:');
}

function hostName(host: string): string | undefined {
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)) return undefined;
  return host.replace(/:\d+$/, '').toLowerCase();
}
