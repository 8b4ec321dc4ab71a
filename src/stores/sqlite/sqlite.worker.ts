import { parentPort, workerData } from 'node:worker_threads';
import { RunError, type Failure } from '../../run/failure.ts';
import { isBusy } from './busy.ts';
import { isCorrupt } from './damage.ts';
import { namingFullDisk } from '../folder/disk-trouble.ts';
import { fullDisk } from '../folder/place.ts';
import { onceThereIsSpace, type Opened } from './once-there-is-space.ts';
import { foundDamage, rowsIn, healthOf } from './health.ts';
import { perform, type Read, type Argument } from '../rules/rules.ts';
import { checker, glances } from './check.ts';
import { committer, takeOver } from './commit.ts';
import { openForReading, openForWriting } from '../folder/folder.ts';
import { unflatten, type FromThread, type Mode, type ToThread } from './thread.ts';
import { sqliteTables } from './tables.ts';
import type { Tables } from '../rules/tables.ts';

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

/** The time of a store, and how far it was moved since it was last looked at. */
export type Clock = () => { readonly now: number; readonly jump: number };

export interface ClockSettings {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds that have really passed, since any moment. Without it, `now` is believed as it is. */
  readonly elapsed?: () => number;
}

/** Two clocks drift apart a little all the time. */
const drift = 1_000;

/**
 * The wall clock can be set, and goes on while a laptop sleeps; what people asked for by the clock follows it. A lease is
 * a length of time in which its worker can act, so leases must move along: else every run would be taken from a worker
 * that is well, and its effects would be in doubt.
 */
export function storeClock({ now, elapsed }: ClockSettings): Clock {
  const wall = now ?? Date.now;
  const steady = elapsed ?? (now === undefined ? () => performance.now() : wall);
  let offset = wall() - steady();
  return () => {
    const time = wall();
    const jump = time - steady() - offset;
    offset += jump;
    return { now: time, jump: Math.abs(jump) > drift ? Math.round(jump) : 0 };
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
