import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorOf, RunError } from '../../run/failure.ts';
import type { Clock } from './clock.ts';
import type { Argument, Read, Result } from '../rules/rules.ts';
import type { CheckPlace } from './check.ts';
import type { Operation, Reply } from '../batch.ts';
import type { Committed } from '../group-commit.ts';
import { flatten, type FromThread, type Mode, type ToThread } from './messages.ts';
import type { Hint } from '../store.ts';

// tsc rewrites `.ts` in imports only, so the worker's own extension follows that of this file.
const script = new URL(`./sqlite.worker${extname(import.meta.url)}`, import.meta.url);

// Node 22 calls node:sqlite experimental on every start. The flags of the process itself are not handed on: a program
// given by `node -e` would be run again as the thread.
const flags = ['--disable-warning=ExperimentalWarning'];

/** A cache of what is compiled is for the main thread alone unless a thread is told of it, and saves most of its start. */
function surroundings(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}

/** The thread that holds the database, so that neither fsync nor a long read ever holds up the main loop. */
export interface SqliteThread {
  readonly notices: readonly string[];
  /** One batch at a time. */
  commit(time: ReturnType<Clock>, operations: readonly Operation[], committed: Committed): void;
  read<Name extends Read>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /** Look at a piece of all journals; gives where to go on. */
  check(from: CheckPlace): Promise<CheckPlace | undefined>;
  /** Why nothing should be asked of it now; undefined while all is well. */
  health(): Promise<string | undefined>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: RunError): void;
}

export async function sqliteThread(
  folder: string,
  mode: Mode,
  hear: (hints: readonly Hint[]) => void = () => {},
): Promise<SqliteThread> {
  const thread = new Worker(script, { workerData: { folder, mode }, execArgv: flags, env: surroundings() });
  const waiting = new Map<number, Waiting>();
  const gone = lifetime(thread, waiting);
  const send = (id: number, message: ToThread, asking: Waiting): void => {
    const over = gone();
    if (over) return asking.reject(over);
    waiting.set(id, asking);
    thread.postMessage(message);
  };
  const ask = (id: number, message: ToThread): Promise<unknown> =>
    new Promise((resolve, reject) => send(id, message, { resolve, reject }));
  const notices = await opening(thread);
  thread.on('message', (message: FromThread) =>
    message[0] === 'hints' ? hear(message[1]) : answer(waiting, message),
  );
  let reads = 0;
  return {
    notices,
    commit: ({ now, jump }, operations, committed) =>
      commitWith(send, ['batch', now, jump, flatten(operations)], committed),
    read: (name, argument) => {
      reads += 1;
      return ask(reads, ['read', reads, name, argument]) as Promise<never>;
    },
    check: (from) => ask((reads += 1), ['check', reads, from]) as Promise<CheckPlace | undefined>,
    health() {
      reads += 1;
      return ask(reads, ['health', reads]) as Promise<string | undefined>;
    },
    async close() {
      if (gone()) return;
      const exit = once(thread, 'exit');
      thread.postMessage(['close'] satisfies ToThread);
      await exit;
    },
  };
}

function commitWith(
  send: (id: number, message: ToThread, asking: Waiting) => void,
  message: ToThread,
  { done, failed }: Committed,
): void {
  const until = performance.now() + patience;
  const attempt = (): void => send(batch, message, { resolve, reject: failed });
  const resolve = (reply: unknown): void => {
    if (reply !== undefined) done(reply as Reply);
    else if (performance.now() > until) failed(busy());
    // Between two tries the thread answers those who read.
    else setTimeout(attempt, pause);
  };
  attempt();
}

/** How long another process may have the database before commits fail, and how often to try meanwhile. Milliseconds. */
const patience = 10_000;
const pause = 10;

function busy(): RunError {
  const message = 'Another process has the database: end it, then try again.';
  return new RunError('unavailable', message, { retryable: true });
}

/** Only one batch is under way, so it needs no number of its own. */
const batch = 0;

type Answer = Exclude<FromThread, readonly ['hints', ...unknown[]]>;

function answer(waiting: Map<number, Waiting>, message: Answer): void {
  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  switch (message[0]) {
    case 'committed':
      return take(batch)?.resolve(message[1]);
    case 'busy':
      return take(batch)?.resolve(undefined);
    case 'failed':
      return take(batch)?.reject(errorOf(message[1]));
    case 'result':
      return take(message[1])?.resolve(message[2]);
    case 'unread':
      return take(message[1])?.reject(errorOf(message[2]));
    case 'opened':
    case 'refused':
      return;
  }
}

async function opening(thread: Worker): Promise<readonly string[]> {
  const [message] = (await once(thread, 'message')) as [FromThread];
  if (message[0] === 'opened') return message[1];
  await thread.terminate();
  if (message[0] === 'refused') throw errorOf(message[1]);
  throw new RunError('internal', `The SQLite thread began with ${message[0]}.`);
}

/** Tells whether the thread is gone, and lets nobody wait for an answer it can no longer give. */
function lifetime(thread: Worker, waiting: Map<number, Waiting>): () => RunError | undefined {
  let over: RunError | undefined;
  const end = (message: string, cause?: unknown): void => {
    over ??= new RunError('unavailable', message, { cause });
    for (const asked of waiting.values()) asked.reject(over);
    waiting.clear();
  };
  thread.on('error', (cause) => end('The SQLite thread has failed: open the store again.', cause));
  thread.on('exit', () => end('The store is closed.'));
  return () => over;
}
