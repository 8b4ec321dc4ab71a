import { RunError } from '../run/failure.ts';
import type { Door } from './access/door.ts';
import type { HeavyWork } from './http/heavy.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import type { RequestLog, LogTail } from './observe/log-tail.ts';
import type { Metrics, Readiness } from './observe/metrics.ts';
import type { Quotas } from './runs/quotas.ts';
import type { Streams } from './http/answer.ts';
import type { Trees } from './runs/trees.ts';
import type { Channels, People, Protocols } from './viewers/channels.ts';
import type { FeedViewers } from './viewers/feed-viewers.ts';
import type { Alarm } from './workflows/alarm.ts';
import type { Clock } from '../engine/time/clock.ts';
import { setImmediate as immediate } from 'node:timers/promises';
import { breather } from '../loop/loop-turn.ts';
import { randomUUID, hash } from 'node:crypto';

/** What every route stands on. */
export interface ServerContext {
  readonly home: OpenFolder;
  readonly door: Door;
  readonly people: People;
  readonly quotas: Quotas;
  readonly channels: Channels;
  readonly heavy: HeavyWork;
  readonly streams: Streams;
  readonly trees: Trees;
  readonly metrics: Metrics;
  readonly protocols: Protocols;
  /** The app of those who name none; absent where they must. */
  readonly defaultApp?: string;
  readonly readiness: Readiness;
  /** A text without the paths of this machine. */
  hide(text: string): string;
  /** Where it serves, once it does. */
  readonly address: () => string | undefined;
  now(): number;
  newId(kind: string): string;
  /** Aborts when the server begins to go away. */
  readonly closing: AbortSignal;
  /** What whoever operates the server reads: requests, and bugs, which no client hears of. */
  readonly log: RequestLog;
  /** What of it callers may follow. */
  readonly logTail: LogTail;
  readonly feedViewers: FeedViewers;
  /** Told when what is started by itself may be otherwise. */
  readonly alarm: Alarm;
}

/** Fails once the server has begun to go away. */
export function expectOpen(context: ServerContext): void {
  if (!context.closing.aborted) return;
  const message = 'The server is going away: try again in a moment.';
  throw new RunError('unavailable', message, { retryable: true });
}

/** What a process takes from the machine it runs on. */
export interface System {
  readonly clock: Clock;
  /** A new id that nobody else has: `run_…`. Later ones sort behind earlier ones. */
  readonly newId: (kind: string) => string;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  worked: workedTime({ elapsed: () => performance.now(), busy }),
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
  breather: () => breather(),
};

const tick = 1_000;
/** A loop that is busy looks late; one that was silent for longer than this stood still. Milliseconds. */
const longestSilence = 5_000;

/**
 * Milliseconds in which this process could work. The machine's steady time goes on while the process is stopped and, on
 * some systems, while the machine sleeps; a timer that comes late tells.
 */
export function workedTime({ elapsed, busy: used }: Watches): () => number {
  let seen = elapsed();
  let usedBefore = used();
  let worked = 0;
  let isTicking = false;
  const look = (): number => {
    const now = elapsed();
    const silence = now - seen;
    // A loop that one function has kept all the while was on the processor: that is work.
    worked += silence > longestSilence ? Math.min(silence, Math.max(tick, used() - usedBefore)) : silence;
    seen = now;
    return worked;
  };
  const onTick = (): void => {
    look();
    usedBefore = used();
  };
  return () => {
    if (!isTicking) {
      isTicking = true;
      seen = elapsed();
      setInterval(onTick, tick).unref();
    }
    return look();
  };
}

interface Watches {
  /** Steady milliseconds, since any moment. */
  readonly elapsed: () => number;
  /** Milliseconds in which this thread was on the processor, since any moment. */
  readonly busy: () => number;
}

function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Longer timers fire at once in Node, so that an approval due next month would expire today. */
const longestTimer = 2 ** 31 - 1;

/** Ids that sort by the time they were made. The first 48 bits of a UUID are random, and Node draws many of them at once. */
export function newId(kind: string): string {
  const random = randomUUID();
  return `${kind}_${Date.now().toString(36)}${random.slice(0, 8)}${random.slice(9, 13)}`;
}

export function sha256(text: string): string {
  return hash('sha256', text);
}
