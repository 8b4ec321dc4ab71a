import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Source } from './source.ts';

const plain = 'vitrine';
/** A browser takes a cookie of this name over TLS alone, for this host alone: no neighbour can plant one. */
const bound = '__Host-vitrine';

export const badgeCookies: readonly string[] = [plain, bound];

/** The badge that a browser carries. Over TLS only the name counts that nobody else can set. */
export function badgeIn(headers: IncomingHttpHeaders, { isTls }: Source): string | undefined {
  return cookieIn(headers, isTls ? bound : plain);
}

/** What gives a browser its badge, or takes it back. */
export function badgeCookie({ isTls }: Source, badge: string, seconds: number): string {
  return stringifySetCookie({
    name: isTls ? bound : plain,
    value: badge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    maxAge: seconds,
    secure: isTls,
  });
}

export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  return parseCookie(cookie)[name];
}
