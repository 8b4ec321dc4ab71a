import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from './honest.ts';

/** A way to the server that says by itself who comes: the socket of a folder, a call in this process, a program's server. */
export interface WayIn {
  /** Whether no browser and no proxy can come this way. */
  readonly isDirect: boolean;
  /** What stands before all addresses for those who come this way. */
  readonly prefix?: string;
  callerOf(headers: IncomingHttpHeaders): Caller | undefined | Promise<Caller | undefined>;
}

/** Which way requests have come, by their connection or by themselves; others have come through the server's own port. */
export type WaysIn = WeakMap<object, WayIn>;
