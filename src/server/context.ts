import { RunError } from '../run/failure.ts';
import type { Door } from './access/door.ts';
import type { HeavyWork } from './http/heavy.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import type { RequestLog } from './observe/request-log.ts';
import type { LogTail } from './observe/log-tail.ts';
import type { Metrics } from './observe/metrics.ts';
import type { Readiness } from './observe/readiness.ts';
import type { Quotas } from './runs/quotas.ts';
import type { Streams } from './http/streams.ts';
import type { Trees } from './runs/trees.ts';
import type { Channels } from './viewers/channels.ts';
import type { People } from './viewers/preferring.ts';
import type { FeedViewers } from './viewers/feed-viewers.ts';
import type { Protocols } from './viewers/protocols.ts';
import type { Alarm } from './workflows/alarm.ts';

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
  /** True from the moment the server begins to go away. */
  isClosing(): boolean;
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
  if (!context.isClosing()) return;
  const message = 'The server is going away: try again in a moment.';
  throw new RunError('unavailable', message, { retryable: true });
}
