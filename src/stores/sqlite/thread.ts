import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorOf, RunError, type Failure } from '../../run/failure.ts';
import { busyWords, patience } from './busy.ts';
import type { Argument, Read, Result } from '../rules/rules.ts';
import type { CheckPlace } from './check.ts';
import type { Committed, Operation, Reply } from '../batch.ts';
import type { Hint, Chunk, Append, Mailbox } from '../store.ts';
import type { Page } from '../rules/journal.ts';
import type { Clock } from '../sqlite.ts';

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
    else if (performance.now() > until) failed(new RunError('unavailable', busyWords, { retryable: true }));
    // Between two tries the thread answers those who read.
    else setTimeout(attempt, pause);
  };
  attempt();
}

/** How often to try while another process has the database. Milliseconds. */
const pause = 10;

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

/** The beginnings of runs that were created here, as long as they are short: whoever starts a run looks at it at once. */
export interface BegunRuns {
  committed(operations: readonly Operation[], reply: Reply): void;
  /** What follows an entry; undefined where only the store can tell. */
  after(run: string, seq: number): Page | undefined;
  forget(): void;
}

/** Runs, and characters of each: one that streams is forgotten within a second. */
const mostRuns = 500;
const longest = 4_096;

export function begunRuns(): BegunRuns {
  const begun = new Map<string, Beginning>();
  const keep = (chunk: Chunk): void => {
    begun.set(chunk.run, { chunks: [chunk], last: chunk.last, size: chunk.frames.length });
    const [oldest = ''] = begun.size > mostRuns ? begun.keys() : [];
    begun.delete(oldest);
  };
  const grow = (append: Append): void => {
    const { run } = append.fence;
    const beginning = begun.get(run);
    if (beginning && !hasGrown(beginning, append)) begun.delete(run);
  };
  return {
    committed(operations, { results, refusals }) {
      const refused = new Set(refusals.map(({ index }) => index));
      operations.forEach(({ name, argument }, index) => {
        if (refused.has(index)) return;
        if (name === 'append') grow(argument);
        else if (name === 'erase') begun.delete(argument);
        else if (name === 'create' && isCreated(results[index])) {
          const { run, last, frames } = argument;
          if (last > 0 && frames.length <= longest) keep({ run, first: 1, last, frames });
        }
      });
    },
    after(run, seq) {
      const { chunks, last: end } = begun.get(run) ?? noBeginning;
      if (seq > end || end === 0) return undefined;
      return { chunks: chunks.filter(({ last }) => last > seq), isAll: true, ended: false };
    },
    forget: () => begun.clear(),
  };
}

interface Beginning {
  readonly chunks: Chunk[];
  last: number;
  size: number;
}

const noBeginning: Readonly<Beginning> = { chunks: [], last: 0, size: 0 };

/** False where it has ended, is long, or where something is missing. */
function hasGrown(beginning: Beginning, { fence, head, last, frames, ends }: Append): boolean {
  beginning.size += frames.length;
  if (ends || head !== beginning.last || beginning.size > longest) return false;
  if (last > head) beginning.chunks.push({ run: fence.run, first: head + 1, last, frames });
  beginning.last = last;
  return true;
}

/** Runs that were created here and have been sent nothing: nobody else writes the folder, so their mailboxes are empty. */
export interface UnsentRuns {
  committed(operations: readonly Operation[], reply: Reply): void;
  /** The same mailboxes; of these runs the thread is not asked. */
  over(mailbox: Mailbox): Mailbox;
  forget(): void;
}

export function unsentRuns(): UnsentRuns {
  const runs = new Set<string>();
  return {
    committed: (operations, { results }) =>
      operations.forEach(({ name, argument }, index) => {
        if (name === 'create' && isCreated(results[index])) runs.add(argument.run);
        else if (name === 'append' && argument.ends) runs.delete(argument.fence.run);
        else if (name === 'erase') runs.delete(argument);
      }),
    over: (mailbox) => ({
      send(sent) {
        // Whatever becomes of it: an answer that gets lost may have been a yes.
        runs.delete(sent.run);
        return mailbox.send(sent);
      },
      pending: async (run) => (runs.has(run) ? [] : mailbox.pending(run)),
    }),
    forget: () => runs.clear(),
  };
}

/** Whether this is what a `create` gave that made a run. */
function isCreated(result: unknown): boolean {
  return (result as { readonly created: boolean } | undefined)?.created === true;
}

/** What a thread opens a folder for. `patient`: to write, and to read until its disk has space for that. */
export type Mode = 'read' | 'write' | 'patient';

export type ToThread =
  | readonly ['batch', now: number, jump: number, cells: readonly unknown[]]
  | readonly ['read', id: number, name: Read, argument: unknown]
  | readonly ['health', id: number]
  | readonly ['check', id: number, from: CheckPlace]
  | readonly ['close'];

export type FromThread =
  | readonly ['opened', notices: readonly string[]]
  | readonly ['refused', failure: Failure]
  | readonly ['committed', reply: Reply]
  /** What nobody waits for. */
  | readonly ['hints', hints: readonly Hint[]]
  /** Another process has the database for the moment: nothing was applied. */
  | readonly ['busy']
  /** Nothing of the batch was applied, as far as can be known. */
  | readonly ['failed', failure: Failure]
  | readonly ['result', id: number, result: unknown]
  | readonly ['unread', id: number, failure: Failure];

/** Handing over objects costs twice as much as handing over their fields, and appends are nearly all there is. */
function flatten(operations: readonly Operation[]): unknown[] {
  const cells: unknown[] = [];
  for (const { name, argument } of operations) {
    if (name !== 'append') cells.push(name, argument);
    else {
      const { fence, head, last, frames, summary, uses, blobs, ends, indexed } = argument;
      cells.push(
        name,
        fence.run,
        fence.epoch,
        head,
        last,
        frames,
        summary.status,
        summary.approvals,
        uses,
        blobs,
        ends,
        indexed,
      );
    }
  }
  return cells;
}

export function unflatten(cells: readonly unknown[]): Operation[] {
  const operations: Operation[] = [];
  for (let i = 0; i < cells.length;) {
    if (cells[i] !== 'append') {
      operations.push({ name: cells[i], argument: cells[i + 1] } as Operation);
      i += 2;
    } else {
      const [run, epoch, head, last, frames, status, approvals, uses, blobs, ends, indexed] = cells.slice(
        i + 1,
        i + 12,
      );
      const argument = {
        fence: { run, epoch },
        head,
        last,
        frames,
        summary: { status, approvals },
        uses,
        blobs,
        ends,
        indexed,
      };
      operations.push({ name: 'append', argument } as Operation);
      i += 12;
    }
  }
  return operations;
}
