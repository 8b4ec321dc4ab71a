import { domainToASCII } from 'node:url';
import { RunError } from '../../run/failure.ts';

export interface HostRules {
  /** Only these hosts, if given: `example.com`, or `*.example.com` for every name below it. */
  readonly allow?: readonly string[];
  /** Never these hosts, whatever `allow` says. */
  readonly deny?: readonly string[];
  /** Only these ports, if given. */
  readonly ports?: readonly number[];
}

/** The address to fetch, if it is one that may be asked for at all. Where its host lies is checked when connecting. */
export function checkUrl(given: string, rules: HostRules, base?: URL): URL {
  const url = URL.parse(given, base?.href);
  if (url === null) throw new RunError('malformed', '`url` is not a web address.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RunError(
      'refused',
      `\`url\` must begin with http:// or https://, not ${url.protocol.slice(0, 50)}.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new RunError('refused', '`url` must not contain a user name or a password.');
  }
  const host = url.hostname.replace(/\.$/, '');
  const shown = host.slice(0, 200);
  if (
    rules.deny?.some((pattern) => fits(pattern, host)) ||
    rules.allow?.some((pattern) => fits(pattern, host)) === false
  ) {
    throw new RunError(
      'refused',
      `${shown} is not among the hosts that may be reached; choose another \`url\`.`,
    );
  }
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  if (rules.ports?.includes(port) === false) {
    throw new RunError('refused', `Port ${port} of ${shown} may not be reached; choose another \`url\`.`);
  }
  return url;
}

function fits(pattern: string, host: string): boolean {
  if (pattern.startsWith('*.')) return host.endsWith(`.${domainToASCII(pattern.slice(2))}`);
  return host === pattern || host === domainToASCII(pattern);
}
