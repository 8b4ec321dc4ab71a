import { parentPort, workerData } from 'node:worker_threads';
import { RunError, type Failure, failureOf } from '../../run/failure.ts';
import { busyWords, isBusy, patience } from './busy.ts';
import { isCorrupt } from './damage.ts';
import { namingFullDisk } from '../folder/disk-trouble.ts';
import { onceThereIsSpace, type Opened } from './once-there-is-space.ts';
import { perform, type Read, type Argument } from '../rules/rules.ts';
import { checker, glances } from './check.ts';
import { committer, takeOver, type Committer, fullDisk } from './commit.ts';
import { openForReading, openForWriting, type WriterFolder } from '../folder/folder.ts';
import { unflatten, type FromThread, type Mode, type ToThread } from './thread.ts';
import { sqliteTables } from './tables.ts';
import type { Tables } from '../rules/tables.ts';
import type { RunRow, FeedPage } from '../store.ts';

function write(folder: string): Opened {
  const opened = openForWriting(folder);
  const tables = sqliteTables(opened.database, { remember: true, isSound: opened.isSound });
  try {
    takeOver(opened, tables);
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
  const health = healthOf(opened);
  const commit = health.watching(committer(opened, tables));
  const found = foundDamage((run, failure) => {
    say(['hints', [{ type: 'damaged', run, failure }]]);
    if (failure.after !== undefined) keep(run, failure.after);
  });
  // Kept with the run, so that lists show it and no worker is given it again.
  const keep = (run: string, after: number): void => {
    try {
      const { hints } = commit({ now: Date.now(), jump: 0 }, [{ name: 'damage', argument: { run, after } }]);
      say(['hints', hints]);
    } catch (thrown) {
      // Where there is no space this process knows it all the same; what failed is what `health` tells.
      if (!(thrown instanceof RunError) && !isBusy(thrown)) throw thrown;
    }
  };
  const read = found.watching((name, argument) => {
    try {
      return perform({ tables, now: 0, hints: [] }, name, argument as never);
    } catch (thrown) {
      if (isCorrupt(thrown)) health.broken(thrown);
      throw thrown;
    }
  });
  const check = checker(opened.database, (run, thrown) => found.note(run, thrown));
  const asker = askerIn(tables);
  return { commit, read, asker, health, check, notices: opened.notices, close: () => opened.close() };
}

function read(folder: string): Opened {
  const { database, close } = openForReading(folder);
  const tables = sqliteTables(database, { remember: false });
  const found = foundDamage(() => {});
  const glance = glances(tables, found);
  const commit = (): never => {
    throw new RunError('disabled', `The folder ${folder} was opened for reading only.`);
  };
  return {
    commit,
    read: found.watching(
      // In one transaction: what a writer erases between two questions must not look like damage.
      (name, argument) => {
        database.exec('BEGIN');
        try {
          const result = perform({ tables, now: 0, hints: [] }, name, argument as never);
          for (const row of rowsIn(name, result)) glance(row);
          return result;
        } finally {
          if (database.isTransaction) database.exec('COMMIT');
        }
      },
    ),
    // A terminal reads for itself alone.
    asker: () => '',
    check: () => undefined,
    health: { now: () => undefined },
    notices: [],
    close,
  };
}

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

function toldFailure(thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'unavailable', message: `The database could not be used: ${message}.`, retryable: true };
}

/**
 * Commits are made as they come. What is read waits its turn, one piece in a turn of the loop and tenants by turns: nobody's
 * commit waits for more than one of them, and nobody's question for more than one of each other tenant.
 */
function listen({ commit, read: reading, asker, health, check, close }: Opened): void {
  const reads = byTurns();
  const answer = (id: number, whose: string, work: () => unknown): void => {
    reads.add(whose, () => {
      try {
        say(['result', id, work()]);
      } catch (thrown) {
        say(['unread', id, toldFailure(thrown)]);
      }
    });
  };
  parentPort?.on('message', (message: ToThread) => {
    switch (message[0]) {
      case 'batch':
        try {
          say(['committed', commit({ now: message[1], jump: message[2] }, unflatten(message[3]))]);
        } catch (thrown) {
          say(isBusy(thrown) ? ['busy'] : ['failed', toldFailure(thrown)]);
        }
        return;
      case 'read':
        return answer(message[1], asker(message[2], message[3]), () => reading(message[2], message[3]));
      case 'health':
        return answer(message[1], 'health', () => health.now());
      case 'check':
        return answer(message[1], 'check', () => check(message[2]));
      case 'close':
        reads.finish();
        close();
        parentPort?.close();
        return;
    }
  });
}

function openedFor(folder: string, mode: Mode): Opened {
  const ways = {
    write: () => namingFullDisk(folder, () => write(folder)),
    read: () => namingFullDisk(folder, () => read(folder)),
    full: () => fullDisk(folder),
  };
  return mode === 'patient' ? onceThereIsSpace(ways) : ways[mode]();
}

try {
  const { folder, mode } = workerData as { readonly folder: string; readonly mode: Mode };
  const opened = openedFor(folder, mode);
  listen(opened);
  say(['opened', opened.notices]);
} catch (thrown) {
  say(['refused', toldFailure(thrown)]);
}

/** Work that many ask for, done one piece in a turn of the loop. */
export interface ByTurns {
  /** Of all who wait each gets one piece done before anybody gets another, its own in the order they came. */
  add(whose: string, work: () => void): void;
  /** Does all that waits, now. */
  finish(): void;
}

/** Whoever asks for much holds up nothing but the rest of it, and what comes meanwhile waits for one piece. */
export function byTurns(): ByTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isServing = false;
  const take = (): (() => void) | undefined => {
    for (const [whose, own] of waiting) {
      const next = own.shift();
      // Behind all others, if there is more.
      waiting.delete(whose);
      if (own.length > 0) waiting.set(whose, own);
      return next;
    }
    return undefined;
  };
  const serve = (): void => {
    const work = take();
    isServing = work !== undefined;
    if (!work) return;
    setImmediate(serve);
    work();
  };
  return {
    add(whose, work) {
      const own = waiting.get(whose);
      if (own) own.push(work);
      else waiting.set(whose, [work]);
      if (isServing) return;
      isServing = true;
      setImmediate(serve);
    },
    finish() {
      for (let work = take(); work; work = take()) work();
    },
  };
}

/** For whom something is read: a tenant, or nobody in particular. */
export type Asker = (name: Read, argument: unknown) => string;

const nobody = '';

export function askerIn(tables: Pick<Tables, 'run'>): Asker {
  const ownerOf = (run: string): string => {
    try {
      return tables.run(run)?.tenant ?? nobody;
    } catch {
      // That it is damaged is told by the reading itself.
      return nobody;
    }
  };
  return (name, argument) => {
    switch (name) {
      case 'read':
        return ownerOf((argument as Argument<'read'>).run);
      case 'get':
      case 'pending':
        return ownerOf(argument as Argument<'get'>);
      case 'find':
      case 'list':
      case 'feed':
      case 'blob':
      case 'blobUsers':
      case 'definitionsOf':
      case 'listDefinitions':
        return (argument as { readonly tenant: string }).tenant;
      case 'held':
      case 'unfinished':
        return argument as Argument<'held'>;
      case 'shared':
        return (argument as Argument<'shared'>).tenant ?? nobody;
      case 'questions':
      case 'count':
      case 'flows':
        return nobody;
    }
  };
}

/** Whether what is asked of a folder now would be kept. */
export interface Health {
  /** Why not; undefined while it would. */
  now(): string | undefined;
  /** The same commits, with an eye on how they go. */
  watching(commit: Committer): Committer;
  /** A page of the database makes no sense. */
  broken(cause: unknown): void;
}

/** After a commit that failed the next one tells, or an empty one made for the purpose: nobody else may come. */
export function healthOf({ place, problems }: Pick<WriterFolder, 'place' | 'problems'>): Health {
  let damage = problems.length === 0 ? undefined : `The database is damaged: ${problems.join('; ')}.`;
  let trouble: string | undefined;
  let busySince: number | undefined;
  let probe = (): void => {};
  const broken = (cause: unknown): void => {
    damage ??= `The database is damaged: ${cause instanceof Error ? cause.message : String(cause)}.`;
  };
  return {
    broken,
    watching(commit) {
      const watched: Committer = (time, operations) => {
        try {
          const reply = commit(time, operations);
          trouble = busySince = undefined;
          return reply;
        } catch (thrown) {
          if (!isBusy(thrown)) trouble = failureOf(thrown).message;
          else if (performance.now() - (busySince ??= performance.now()) >= patience) trouble = busyWords;
          throw thrown;
        }
      };
      probe = () => {
        try {
          watched({ now: Date.now(), jump: 0 }, []);
        } catch {
          // How it went is in `trouble`.
        }
      };
      return watched;
    },
    now() {
      const lost = place.lost();
      if (lost !== undefined) return lost;
      if (trouble !== undefined) probe();
      return damage ?? place.full() ?? trouble;
    },
  };
}

export type Reading = (name: Read, argument: unknown) => unknown;

/**
 * What was found damaged since a folder was opened. A copy, or a full disk, cannot be told to remember it; and whoever
 * asks for a run or lists it is to see it all the same.
 */
export interface FoundDamage {
  /** What was thrown when a run was looked at. */
  note(run: string, thrown: unknown): void;
  /** The same reading, which notes what it meets and shows what is known. */
  watching(reading: Reading): Reading;
}

/** The runs that an answer shows. */
export function rowsIn(name: Read, result: unknown): readonly RunRow[] {
  if (name === 'list') return result as readonly RunRow[];
  return (name === 'get' || name === 'find') && result !== undefined ? [result as RunRow] : [];
}

/** `tell` hears once of each run, and again where less of it is good than was thought. */
export function foundDamage(tell: (run: string, failure: Failure) => void): FoundDamage {
  const found = new Map<string, number>();
  const note = (run: string, thrown: unknown): void => {
    const failure = failureOf(thrown);
    const { code, after = 0 } = failure;
    if (code !== 'damaged' || (found.get(run) ?? Infinity) <= after) return;
    found.set(run, after);
    tell(run, failure);
  };
  const shown = (row: RunRow): RunRow => {
    const after = found.get(row.run);
    return after === undefined ? row : { ...row, damaged: Math.min(row.damaged ?? after, after) };
  };
  return {
    note,
    watching: (reading) => (name, argument) => {
      try {
        const result = reading(name, argument);
        if (name === 'list') return (result as readonly RunRow[]).map(shown);
        if (name === 'feed') return fedRows(result as FeedPage, shown);
        return name === 'get' || name === 'find' ? result && shown(result as RunRow) : result;
      } catch (thrown) {
        if (name === 'read') note((argument as Argument<'read'>).run, thrown);
        if (name === 'get') note(argument as Argument<'get'>, thrown);
        throw thrown;
      }
    },
  };
}

function fedRows({ items, last }: FeedPage, shown: (row: RunRow) => RunRow): FeedPage {
  return { items: items.map((item) => ({ ...item, row: item.row && shown(item.row) })), last };
}
