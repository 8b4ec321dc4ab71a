import type { Headers } from './http-exchange.ts';

const first = 500;
const most = 20_000;
const mostAsked = 60_000;

/** Milliseconds before another try: what upstream asked for, up to a minute, or longer each time, with jitter. */
export function delayBefore(tries: number, asked: number | undefined, random: () => number): number {
  if (asked !== undefined) return Math.min(asked, mostAsked);
  // Without jitter all who were refused together come back together.
  return Math.round(Math.min(first * 2 ** (tries - 1), most) * (0.5 + random() / 2));
}

/** `Retry-After` in milliseconds. A date is counted from upstream's own clock, which need not agree with ours. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(String(headers['date']));
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
