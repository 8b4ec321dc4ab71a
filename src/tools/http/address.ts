import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public internet: not this machine, not its networks, not the metadata service of a
 * cloud, not a tunnel that could lead back to any of these. What cannot be read is not public.
 */
export function isPublicAddress(address: string): boolean {
  // Not `ipaddr.isValid`: it also takes forms such as `1.2.3`, which others read differently.
  if (isIP(address) === 0) return false;
  // `process` turns an IPv4 address in IPv6 clothes back into what it is.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !elsewherePrivate.includes(parsed.toString());
  // Everything else that counts as unicast is not given out, or is an IPv4 address of old (`::127.0.0.1`).
  return parsed.match(globalUnicast);
}

// The only public address that a cloud (Azure) answers with its metadata service.
const elsewherePrivate = ['168.63.129.16'];
const globalUnicast = ipaddr.parseCIDR('2000::/3');
