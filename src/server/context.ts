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

/** What a process takes from the machine it runs on. */
export interface System {
  readonly clock: Clock;
  /** A new id that nobody else has: `run_…`. Later ones sort behind earlier ones. */
  readonly newId: (kind: string) => string;
}
