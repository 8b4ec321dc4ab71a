import type { IncomingHttpHeaders } from 'node:http';
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
  const name = isTls ? `${bound}=` : `${plain}=`;
  const secure = isTls ? '; Secure' : '';
  return `${name}${badge}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  for (const part of cookie.split(';')) {
    const [key = '', value] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
