import { createHash, randomBytes } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '../engine/time/clock.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  worked: workedTime({ elapsed: () => performance.now() }),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      // An already aborted signal never fires again, so it must be looked at, not only listened to.
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, longestTimer));
      signal.addEventListener('abort', end);
    }),
  settle: () => immediate(),
};

const tick = 1_000;
/** A loop that is busy looks late; one that was silent for longer than this stood still. Milliseconds. */
const longestSilence = 5_000;

/**
 * Milliseconds in which this process could work. The machine's steady time goes on while the process is stopped and, on
 * some systems, while the machine sleeps; a timer that comes late tells.
 */
export function workedTime({ elapsed }: { readonly elapsed: () => number }): () => number {
  let seen = elapsed();
  let worked = 0;
  let isTicking = false;
  const look = (): number => {
    const now = elapsed();
    const silence = now - seen;
    worked += silence > longestSilence ? tick : silence;
    seen = now;
    return worked;
  };
  return () => {
    if (!isTicking) {
      isTicking = true;
      seen = elapsed();
      setInterval(look, tick).unref();
    }
    return look();
  };
}

/** Longer timers fire at once in Node, so that an approval due next month would expire today. */
const longestTimer = 2 ** 31 - 1;

/** Ids that sort by the time they were made. */
export function newId(kind: string): string {
  return `${kind}_${Date.now().toString(36)}${randomBytes(6).toString('hex')}`;
}

/** What a store calls a text that it keeps: half a surrogate pair has no bytes of its own. */
export function blobName(text: string): string {
  return sha256(text.toWellFormed());
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
