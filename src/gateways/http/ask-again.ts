import type { RunError } from '../../run/failure.ts';
import { type EventChannel, signalOf } from './event-channel.ts';
import { delayBefore } from './retry.ts';
import { realSleep, type Sleep } from './sleep.ts';

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
