import { RunError } from '../../run/failure.ts';

/** An address below `baseUrl`, whose own path and query stay. */
export function urlBelow(baseUrl: string, path: string, example: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RunError('malformed', `baseUrl "${baseUrl}" is no address; give one like ${example}.`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** What stands after the origin, as a request names it. */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}
