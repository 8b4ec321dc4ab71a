import { createHash, randomBytes } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '../engine/clock.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
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

/** Longer timers fire at once in Node, so that an approval due next month would expire today. */
const longestTimer = 2 ** 31 - 1;

/** Ids that sort by the time they were made. */
export function newId(kind: string): string {
  return `${kind}_${Date.now().toString(36)}${randomBytes(6).toString('hex')}`;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
