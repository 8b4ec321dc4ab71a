import type { IncomingHttpHeaders } from 'node:http';
import { RunError } from '../../run/failure.ts';

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
