import type { RunError } from '../../run/failure.ts';
import { type EventChannel, signalOf } from './event-channel.ts';
import type { Headers } from './http-exchange.ts';
import { setTimeout } from 'node:timers/promises';

/** Why a try brought no answer, and whether asking again would show nothing twice. */
export interface Refusal {
  readonly error: RunError;
  readonly isBeforeAnswer: boolean;
  /** Whether the request was on its way, so that it may have been acted on. */
  readonly isSent: boolean;
  /** What upstream answered with, if it answered. */
  readonly status: number | undefined;
  /** Milliseconds upstream asked us to wait. */
  readonly wait: number | undefined;
}

/** What a test replaces. */
export interface Surroundings {
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

interface Asking extends Surroundings {
  readonly channel: EventChannel;
  readonly mayAskAgain: (refusal: Refusal) => boolean;
}

const mostTries = 3;

/** Asks up to three times, with growing waits, as long as the refusal allows it; each time is told. */
export async function askAgain(
  { channel, mayAskAgain, random = Math.random, sleep = realSleep }: Asking,
  ask: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  for (let tries = 1; !channel.isOver; tries += 1) {
    const refusal = await ask();
    if (refusal === undefined) return undefined;
    if (!mayAskAgain(refusal) || tries === mostTries) return refusal;
    const wait = delayBefore(tries, refusal.wait, random);
    channel.push([{ type: 'turn.retried', reason: `${refusal.error.message} Asked again in ${wait} ms.` }]);
    const left = signalOf(channel);
    await sleep(wait, left).catch((error: unknown) => {
      if (!left.aborted) throw error;
    });
  }
  return undefined;
}

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

/** Waits, and rejects as soon as the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal });
