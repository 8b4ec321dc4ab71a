// A database as its clients know it: row locks, a snapshot for each statement, a moment for each, transactions that are
// undone when they wait in a circle, wait too long or are left alone, and connections that break at any moment.
import {
  DatabaseError,
  type Change,
  type GuardedChunk,
  type Lock,
  type Rows,
  type Wanted,
} from '../../src/stores/database/port.ts';
import type { Due } from '../../src/stores/rules/needs.ts';
import { Locks, type Mode } from './locks.ts';
import { StoredRows } from './rows.ts';

/** Where things take their time. */
export interface Moments {
  readonly now: number;
  /** A moment at the database. */
  moment(): Promise<void>;
  /** Calls it after so many milliseconds, unless it is cancelled. */
  later(milliseconds: number, call: () => void): () => void;
}

export interface Session {
  readonly name: string;
  /** It is one statement that compares and sets. */
  readonly isGuarded: boolean;
  isOver: boolean;
  /** Nobody hears it any more, nor does it hear anybody. */
  isBroken: boolean;
  busySince: number;
  /** When it last read, which runs it found not to be there, and whose the keys were: nobody can lock these. */
  now: number;
  absent: readonly string[];
  keys: ReadonlyMap<string, string | undefined>;
  /** Rejects whatever waits for a lock. */
  refuse?: ((error: DatabaseError) => void) | undefined;
  stopWatch?: (() => void) | undefined;
}

/** What became durable in one moment. */
export interface Applied {
  readonly session: Session;
  readonly now: number;
  readonly changes: readonly Change[];
}

export class Server {
  readonly rows = new StoredRows();
  readonly seen = {
    transactions: 0,
    guarded: 0,
    refused: 0,
    deadlocks: 0,
    waits: 0,
    busy: 0,
    idle: 0,
    conflicts: 0,
  };
  /** Milliseconds that a lock is waited for, and that a transaction may be left alone. */
  lockTimeout = 5_000;
  idleTimeout = 5_000;
  onOpen: (session: Session) => void = () => {};
  onApplied: (applied: Applied) => void = () => {};
  readonly #moments: Moments;
  readonly #locks = new Locks();
  readonly #sessions = new Set<Session>();

  constructor(moments: Moments) {
    this.#moments = moments;
  }

  open(name: string, isGuarded = false): Session {
    const { now } = this.#moments;
    const session: Session = {
      name,
      isGuarded,
      isOver: false,
      isBroken: false,
      busySince: Infinity,
      now,
      absent: [],
      keys: new Map(),
    };
    this.#sessions.add(session);
    this.onOpen(session);
    this.#watch(session);
    return session;
  }

  async lock(session: Session, locks: readonly Lock[]): Promise<readonly Lock[]> {
    const got: Lock[] = [];
    for (const lock of locks) {
      await this.#step(session);
      if (lock.kind === 'run' && !this.rows.runs.has(lock.name)) continue;
      await this.#take(session, `${lock.kind} ${lock.name}`, 'alone');
      got.push(lock);
    }
    return got;
  }

  async lockDue(session: Session, due: Due): Promise<readonly string[]> {
    await this.#step(session);
    const found: string[] = [];
    for (const run of this.rows.due(due, this.#moments.now)) {
      if (found.length < due.max && this.#locks.tryTake(session, `run ${run}`)) found.push(run);
    }
    return found;
  }

  async load(session: Session, wanted: Wanted): Promise<Rows> {
    await this.#step(session);
    session.now = this.#moments.now;
    session.absent = (wanted.runs ?? []).filter((run) => !this.rows.runs.has(run));
    const rows = this.rows.load(wanted, session.now);
    const ownerOf = (key: string): string | undefined => rows.keys.find((known) => known.key === key)?.run;
    session.keys = new Map((wanted.keys ?? []).map(({ key }) => [key, ownerOf(key)]));
    return rows;
  }

  async commit(session: Session, changes: readonly Change[]): Promise<void> {
    await this.#step(session);
    try {
      this.rows.apply(changes);
    } catch (thrown) {
      this.seen.conflicts += 1;
      this.end(session);
      throw thrown;
    }
    this.seen.transactions += 1;
    this.onApplied({ session, now: session.now, changes });
    this.end(session);
  }

  /** One statement: it shares the rows of its runs, sees their versions once it has them, and adds what still holds. */
  async compareAndSet(
    session: Session,
    chunks: readonly GuardedChunk[],
  ): Promise<readonly { run: string; at: number }[]> {
    for (const run of chunks.map(({ chunk }) => chunk.run).toSorted()) {
      await this.#step(session);
      if (this.rows.runs.has(run)) await this.#take(session, `run ${run}`, 'shared');
    }
    await this.#step(session);
    const at = this.#moments.now;
    const held = chunks.filter(({ chunk, version }) => {
      const stored = this.rows.runs.get(chunk.run);
      return stored?.version === version && !stored.chunks.some(({ first }) => first === chunk.first);
    });
    const changes = held.map(({ chunk }) => ({ type: 'chunk.added', run: chunk.run, chunk, at }) as const);
    this.rows.apply(changes);
    this.seen.guarded += held.length;
    this.seen.refused += chunks.length - held.length;
    this.onApplied({ session, now: at, changes });
    this.end(session);
    return changes.map(({ run }) => ({ run, at }));
  }

  /** The transaction is over: its locks are free. Whatever it has not committed never was. */
  end(session: Session, why = new DatabaseError('undone', 'the transaction is over')): void {
    if (session.isOver) return;
    session.isOver = true;
    this.#sessions.delete(session);
    session.stopWatch?.();
    session.refuse?.(why);
    this.#locks.release(session);
  }

  /** A process is gone, and its connections with it. */
  hangUp(name: string): void {
    for (const session of this.#sessions) if (session.name === name) this.end(session);
  }

  /** Every statement takes a moment, before which the transaction may have been ended. */
  async #step(session: Session): Promise<void> {
    session.busySince = this.#moments.now;
    await this.#moments.moment();
    if (session.isOver) throw new DatabaseError('undone', 'the database ended the transaction');
    session.busySince = this.#moments.now;
  }

  #take(session: Session, key: string, mode: Mode): Promise<void> {
    return new Promise((resolve, reject) => {
      let giveUp = (): void => {};
      const settle = (): void => {
        giveUp();
        session.refuse = undefined;
      };
      const grant = (): void => {
        settle();
        session.busySince = this.#moments.now;
        resolve();
      };
      const refuse = (error: DatabaseError): void => {
        settle();
        reject(error);
      };
      if (this.#locks.take(session, key, { mode, grant })) return resolve();
      this.seen.waits += 1;
      session.refuse = refuse;
      session.busySince = Infinity;
      if (this.#locks.isInCircle(session)) {
        this.seen.deadlocks += 1;
        return this.end(session, new DatabaseError('undone', 'deadlock'));
      }
      giveUp = this.#moments.later(this.lockTimeout, () => {
        this.seen.busy += 1;
        this.end(session, new DatabaseError('busy', `${key} was not free for ${this.lockTimeout} ms`));
      });
    });
  }

  /** Whoever begins and then stands still must not keep others for ever. */
  #watch(session: Session): void {
    session.stopWatch = this.#moments.later(this.idleTimeout, () => {
      if (this.#moments.now - session.busySince < this.idleTimeout) return this.#watch(session);
      this.seen.idle += 1;
      this.end(session);
    });
  }
}
