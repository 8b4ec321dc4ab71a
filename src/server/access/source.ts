import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { WayIn } from './way-in.ts';

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
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
