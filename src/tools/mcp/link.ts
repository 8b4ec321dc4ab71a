import { setTimeout as delay } from 'node:timers/promises';
import { RunError } from '../../run/failure.ts';
import type { Connection, Dial } from './connection.ts';
import { neverArrived } from './failure.ts';

/** One server over time: at most one connection, opened when it is needed and again when it was lost. */
export interface Link {
  /** Do something with the connection. If it turns out to be dead and nothing was done yet, with a new one. */
  use<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Milliseconds before each attempt. A server that stays down costs a call this much, and no more. */
const waits = [0, 250, 500, 1000];

export function linkTo(server: string, dial: Dial): Link {
  const stop = new AbortController();
  let current: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let parting: Promise<unknown> = Promise.resolve();

  const drop = (connection: Connection): void => {
    if (current === connection) current = undefined;
    parting = Promise.allSettled([parting, connection.close()]);
  };
  const redial = async (): Promise<Connection> => {
    if (current !== undefined) drop(current);
    // The old process may hold a port or a lock that the new one needs.
    await parting;
    current = await persist(dial, stop.signal);
    return current;
  };
  const open = async (signal: AbortSignal): Promise<Connection> => {
    stop.signal.throwIfAborted();
    if (current?.isOpen() === true) return current;
    opening ??= redial().finally(() => (opening = undefined));
    return unlessAborted(opening, signal);
  };
  return {
    async use(signal, work) {
      for (let isLast = false; ; isLast = true) {
        const connection = await open(signal);
        try {
          return await work(connection);
        } catch (error) {
          if (isLast || signal.aborted || !neverArrived(error)) throw error;
          drop(connection);
        }
      }
    },
    async close() {
      stop.abort(new RunError('unavailable', `The MCP server ${server} was closed.`));
      await opening?.catch(() => undefined);
      if (current !== undefined) drop(current);
      await parting;
    },
  };
}

async function persist(dial: Dial, signal: AbortSignal): Promise<Connection> {
  let failure: unknown;
  for (const wait of waits) {
    await delay(wait, undefined, { signal });
    try {
      return await dial(signal);
    } catch (error) {
      failure = error;
      if (!(error instanceof RunError && error.failure.retryable === true)) break;
    }
  }
  throw failure;
}

/** The opening is shared: one caller who leaves must not spoil it for the others. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
