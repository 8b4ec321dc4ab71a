import type { IncomingHttpHeaders } from 'node:http';
import { RunError } from '../../run/failure.ts';
import type { WayIn } from './way-in.ts';
import { atThisMachine } from './owners-way.ts';
import type { Door } from './door.ts';
import { BlockList, isIP } from 'node:net';
import { stringifySetCookie, parseCookie } from 'cookie';
import type { ServerSettings, AuthSettings } from '../../catalog/server-settings.ts';
import { createHash } from 'node:crypto';
import { Role } from '../../wire/native/endpoint.ts';
import type { ServerContext } from '../context.ts';
import type { FastifyRequest, FastifyReply } from 'fastify';
import { headHeader } from '../../wire/native/runs.ts';

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
  /** Whether a host is a name of this server. */
  readonly isKnown: (host: string) => boolean;
}

/** What is looked at of every request, before anything of it is read. */
export interface LooksAtRequests {
  /** Fails with `refused` for a request that another site has made a browser send, or that somebody forwarded. */
  expectHonest(visit: Visit): void;
  /** Whether it comes from a page of another site that may not use this server. */
  isStranger(visit: Visit): boolean;
  /** Where a request comes from. */
  sourceOf(arrival: Arrival): Source;
  /** The site a browser's request came from, if it is one of the others that may use this server. */
  guestOrigin(headers: IncomingHttpHeaders): string | undefined;
}

export function looksAtRequests(server: Surroundings, lock: Lock): LooksAtRequests {
  const sourceOf = sourceReader(server.proxies);
  let known: string | undefined;
  // Nearly all requests name the same host as the one before.
  const isKnown = (host: string): boolean => {
    if (host === known) return true;
    if (!isOurName(host, server, lock)) return false;
    known = host;
    return true;
  };
  return {
    sourceOf,
    isStranger: (visit) => !visit.way?.isDirect && isStranger(visit, { server, source: sourceOf(visit) }),
    expectHonest: (visit) => expectHonest(visit, { server, lock, source: sourceOf(visit), isKnown }),
    guestOrigin: ({ origin }) => server.origins.find((known) => known === origin),
  };
}

/**
 * A page of another site can make a browser send us things, and a name that is not ours can be made to mean this machine.
 * Without a key these are all that stands between such a page and what is here.
 */
function expectHonest(visit: Visit, place: Place): void {
  expectOnce(visit);
  // No browser and no proxy gets to a socket in a folder.
  if (visit.way?.isDirect) return;
  if (!place.lock.isLocked) expectDirect(visit.headers);
  expectName(visit, place);
  expectOrigin(visit, place);
}

function expectName({ headers: { host } }: Visit, { isKnown }: Place): void {
  if (host === undefined) throw new RunError('malformed', 'A request must say its host.');
  if (isKnown(host)) return;
  throw new RunError('refused', 'This server has another name than the request’s Host: see server.hosts.');
}

function isOurName(given: string, server: Surroundings, lock: Lock): boolean {
  const name = hostName(given);
  if (name === undefined || isLocal(name)) return name !== undefined;
  // A name that means this machine can be anybody's: a page of theirs would be of our own origin.
  const isAnyName = lock.isLocked && server.hosts.length === 0 && !isLocal(server.host);
  return (
    isAnyName ||
    [server.host, `[${server.host}]`, ...server.hosts].some((host) => host.toLowerCase() === name)
  );
}

/** Whether it comes from a page of a site that may not use this server. */
function isStranger(
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
  const once: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!single.has(name)) continue;
    if (once.includes(name))
      throw new RunError('malformed', `The header «${name}» stands twice: send it once.`);
    once.push(name);
  }
}

const single: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'origin',
  'content-type',
  'last-event-id',
  'idempotency-key',
]);

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

/** Where a request comes from. */
export interface Source {
  /** Of the nearest one that is not a proxy of ours. */
  readonly address: string;
  /** Whether whoever sent it spoke TLS with our proxy. */
  readonly isTls: boolean;
  /** What stands before all addresses for whoever comes that way. */
  readonly prefix: string;
}

export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The other end of the connection. */
  readonly peer: string | undefined;
  readonly way?: Pick<WayIn, 'prefix'> | undefined;
}

/** Anybody can write «X-Forwarded-…»: it is believed of those alone who are named, each for the one before it. */
export function sourceReader(proxies: readonly string[]): (arrival: Arrival) => Source {
  const known = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/', 2);
    if (bits === undefined) known.addAddress(address, familyOf(address));
    else known.addSubnet(address, Number(bits), familyOf(address));
  }
  const isOurs = (address: string): boolean => isIP(address) !== 0 && known.check(address, familyOf(address));
  return ({ headers, peer = '', way: { prefix = '' } = {} }) => {
    let address = plain(peer);
    if (proxies.length === 0) return { address, isTls: false, prefix };
    const isTls = isOurs(address) && headers['x-forwarded-proto'] === 'https';
    for (const hop of hopsIn(headers).toReversed()) {
      if (!isOurs(address) || isIP(hop) === 0) break;
      address = plain(hop);
    }
    return { address, isTls, prefix };
  };
}

function hopsIn({ 'x-forwarded-for': chain = '' }: IncomingHttpHeaders): readonly string[] {
  return String(chain)
    .split(',')
    .map((hop) => hop.trim());
}

/** A socket for both families tells addresses of the older one in the dress of the newer. */
function plain(address: string): string {
  if (!address.startsWith('::')) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Fails with `refused` for a request that came through something else: whoever sent it is not at this machine. */
function expectDirect(headers: IncomingHttpHeaders): void {
  const sign = Object.keys(headers).find(isSign);
  if (sign === undefined) return;
  throw new RunError(
    'refused',
    `This request was forwarded («${sign.slice(0, 100)}»), and nobody is asked for a key here: name the host people use in server.hosts and the proxy in server.proxies, then come with a key.`,
  );
}

/** Clients send the same few names again and again; others may send any number of them. */
const seen = new Map<string, boolean>();
const mostSeen = 1_000;
const longestSeen = 100;

function isSign(name: string): boolean {
  const known = seen.get(name);
  if (known !== undefined) return known;
  const found = signs.some((family) => family.test(name));
  if (seen.size < mostSeen && name.length <= longestSeen) seen.set(name, found);
  return found;
}

/**
 * Headers that clients do not write and those between them and a server do, by what all of a family have in common: a
 * list of names would never be complete.
 */
const signs: readonly RegExp[] = [
  // On which way it came, and from where.
  /(?:^|-)(?:forwarded|forwards|proxy|proxied|proxyuser|via|loop)(?:-|$)/,
  /(?:^|-|client|socket)(?:ip|ipv6|addr|address)$/,
  /^(?:x-)?(?:original|rewrite|real|remote|ssl|surrogate|front-end)-/,
  /^x-(?:host|port|scheme|url-scheme|request-start)$/,
  // Who somebody is, in the words of those who sign people in before an application.
  /^(?:x-)?(?:tailscale|ngrok|authentik|authelia|pomerium|teleport|webauth|auth-request)-/,
  /^(?:x-)?(?:goog-iap|goog-authenticated|ms-client-principal|client-(?:cert|verify|dn))(?:-|$)/,
  // What networks, clouds and servers put in.
  /^(?:x-)?(?:cf|cdn|fly|fastly|akamai|incap|sucuri|envoy|amzn|amz-cf|azure|arr|fd|appengine|gfe|cloud-trace)-/,
  /^(?:x-)?(?:vercel|nf|render|koyeb|railway|replit|heroku|haproxy|nginx|traefik|kong|istio|varnish|lb)(?:-|$)/,
];

const unbound = 'vitrine';
/** A browser takes a cookie of this name over TLS alone, for this host alone: no neighbour can plant one. */
const bound = '__Host-vitrine';

const badgeCookies: readonly string[] = [unbound, bound];

/** The badge that a browser carries. Over TLS only the name counts that nobody else can set. */
function badgeIn(headers: IncomingHttpHeaders, { isTls }: Source): string | undefined {
  return cookieIn(headers, isTls ? bound : unbound);
}

/** What gives a browser its badge, or takes it back. */
export function badgeCookie({ isTls }: Source, badge: string, seconds: number): string {
  return stringifySetCookie({
    name: isTls ? bound : unbound,
    value: badge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    maxAge: seconds,
    secure: isTls,
  });
}

function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  return parseCookie(cookie)[name];
}

interface Ways extends Pick<Door, 'isLocked' | 'badges' | 'sourceOf' | 'holderOf' | 'mayStay'> {
  readonly seen: (credential: string) => void;
}

/** Reads who it is off a request. */
export function callerReader(ways: Ways): Door['callerOf'] {
  const { isLocked, badges, seen } = ways;
  return async (visit) => {
    if (visit.way) return visit.way.callerOf(visit.headers);
    const { headers } = visit;
    const [, credential] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (credential !== undefined) return ways.holderOf(credential);
    if (headers.authorization !== undefined && isLocked) return undefined;
    const badge = badgeIn(headers, ways.sourceOf(visit));
    const known = badge === undefined ? undefined : await badges.read(badge);
    if (badge !== undefined && known) seen(badge);
    if (known && ways.mayStay(known)) return known;
    if (isLocked) return undefined;
    for (const name of keyHeaders)
      if (headers[name] !== undefined) seen(String(headers[name]).replace(/^\w+ /, ''));
    return atThisMachine;
  };
}

/** Where clients of other systems put their keys. */
const keyHeaders = ['authorization', 'api-key', 'x-api-key'] as const;

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

export { Role };

/** Who asks, as the door has let them in. */
export interface Caller {
  readonly tenant: string;
  readonly who: string;
  readonly role: Role;
  /** The key they came in with: when it is revoked, what they have open is closed. */
  readonly key?: string;
  /** Milliseconds since 1970, where what they came in with ends by itself. */
  readonly expiresAt?: number | undefined;
  /** Whether they came through the socket of the data folder, which only its owner can reach. */
  readonly isOwner?: boolean;
  /** The badge of their browser: when it signs out, what it has open is closed. */
  readonly badge?: { readonly id: string; readonly at: number };
}

export function mayAct(has: Role, needs: Role): boolean {
  return Role.options.indexOf(has) >= Role.options.indexOf(needs);
}

// What pages of other sites may ask, and what they are told.
/** Other sites may use this server only if the configuration names them. */
export function welcomeGuest(
  { door }: ServerContext,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('vary', 'Origin');
  const origin = door.guestOrigin(headers);
  if (origin === undefined) return;
  reply.headers({
    ...asking(headers),
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** What pages need to go on: clients of MCP have their session there, and every client its run. */
const exposed = [headHeader, 'location', 'x-run-id', 'mcp-session-id', 'retry-after'].join(', ');

/**
 * Each official client has headers of its own (`x-stainless-os`, `mcp-protocol-version`, `api-key`), and more with each version: a
 * page may send what it asks for. Who it is, is what counts.
 */
function asking({
  'access-control-request-headers': asked = '',
}: FastifyRequest['headers']): Record<string, string> {
  const names = /^[\w, -]{1,2000}$/.test(asked) ? asked : 'authorization, content-type';
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': names,
  };
}

/**
 * A browser shows a page nothing of what another site answers: the people of a page that is not named would read that the
 * server cannot be reached. So they may ask, and read that they may not. They get nothing else: whatever has such an
 * origin is refused before any of it is read.
 */
export function strangerHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  return { ...asking(headers), 'access-control-allow-origin': '*' };
}
