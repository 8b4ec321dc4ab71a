import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { WayIn } from './way-in.ts';
import { RunError } from '../../run/failure.ts';

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
export function expectDirect(headers: IncomingHttpHeaders): void {
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
