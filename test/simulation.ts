// A world in which every await is a scheduling point. Processes share one real memory store; a seeded scheduler decides
// what happens next, which process dies, which one freezes, and what becomes of a commit nobody heard of.
import { setImmediate as drain } from 'node:timers/promises';
import type { Clock } from '../src/engine/time/clock.ts';
import { RunError } from '../src/run/failure.ts';
import { memoryStore } from '../src/stores/memory.ts';
import type { Append, Hint, Store } from '../src/stores/store.ts';

export interface Odds {
  /** Per scheduled task: that its process dies, or stands still for a while. */
  readonly crash: number;
  readonly freeze: number;
  /** Per store operation: that it is lost before, or unknown after, it took effect. */
  readonly lost: number;
  readonly ambiguous: number;
  /** Per hint: that nobody hears it. */
  readonly deaf: number;
  /** Per scheduled task: that somebody sets the clock of its process. */
  readonly clock: number;
}

export const calm: Odds = { crash: 0, freeze: 0, lost: 0, ambiguous: 0, deaf: 0, clock: 0 };

export interface SimProcess {
  readonly name: string;
  /** Part of the world, not of what is tested. */
  readonly isImmortal?: boolean;
  isDead: boolean;
  frozenUntil: number;
  /** How far its clock is from the store's, and how much of the time it knows it did not work in. */
  offset: number;
  slept: number;
}

interface Task {
  readonly owner: SimProcess;
  readonly at: number;
  run(): void;
}

export interface AppliedAppend extends Append {
  readonly process: string;
  acknowledged: boolean;
}

export class Simulation {
  readonly store: Store;
  readonly appends: AppliedAppend[] = [];
  readonly seen = { crash: 0, freeze: 0, lost: 0, ambiguous: 0, deaf: 0, clock: 0 };
  now = 1_000_000;
  odds: Odds;
  onCrash: (process: SimProcess) => void = () => {};
  #tasks: Task[] = [];
  #state: number;

  constructor(seed: number, odds: Odds) {
    this.#state = seed >>> 0 || 1;
    this.odds = odds;
    this.store = memoryStore({ now: () => this.now });
  }

  /** mulberry32 */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(odds: number): boolean {
    return odds > 0 && this.random() < odds;
  }

  spawn(name: string): SimProcess {
    return { name, isDead: false, frozenUntil: 0, offset: this.#offset(), slept: 0 };
  }

  /** By how much clocks are wrong: not at all, by a minute, an hour or a year, ahead or behind. */
  #offset(): number {
    if (this.odds.clock === 0) return 0;
    const sizes = [0, 60_000, 3_600_000, 365 * 86_400_000];
    const size = sizes[Math.floor(this.random() * sizes.length)] ?? 0;
    return this.chance(0.5) ? size : -size;
  }

  schedule(owner: SimProcess, run: () => void, delay = 0): void {
    this.#tasks.push({ owner, at: this.now + delay, run });
  }

  /** Something that takes a moment, in the hands of the scheduler. */
  moment(owner: SimProcess, delay = 0): Promise<void> {
    return new Promise((resolve) => this.schedule(owner, resolve, delay));
  }

  clockOf(owner: SimProcess): Clock {
    return {
      now: () => this.now + owner.offset,
      worked: () => this.now - owner.slept,
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
          this.schedule(owner, resolve, milliseconds);
        }),
      settle: () => this.moment(owner),
      breather: () => async () => {},
    };
  }

  /** Run until the condition holds, or for so many steps. False if it never held. */
  async until(isDone: () => boolean | Promise<boolean>, steps: number): Promise<boolean> {
    for (let i = 0; i < steps; i += 1) {
      await drain();
      if (i % 8 === 0 && (await isDone())) return true;
      if (!this.#step() && (await isDone())) return true;
    }
    return isDone();
  }

  kill(process: SimProcess): void {
    process.isDead = true;
    this.#tasks = this.#tasks.filter(({ owner }) => owner !== process);
    this.onCrash(process);
  }

  #step(): boolean {
    const able = this.#tasks.filter(({ owner }) => !owner.isDead && owner.frozenUntil <= this.now);
    const due = able.filter(({ at }) => at <= this.now);
    if (due.length === 0) return this.#advance(able);
    const task = due[Math.floor(this.random() * due.length)];
    if (!task) return false;
    if (!task.owner.isImmortal && this.chance(this.odds.crash)) {
      this.seen.crash += 1;
      this.kill(task.owner);
      return true;
    }
    if (!task.owner.isImmortal && this.chance(this.odds.freeze)) {
      this.seen.freeze += 1;
      const length = Math.floor(this.random() * 40_000);
      task.owner.frozenUntil = this.now + length;
      // Some machines count the time they slept through as if they had worked.
      if (this.chance(0.5)) task.owner.slept += length;
      return true;
    }
    if (this.chance(this.odds.clock)) {
      this.seen.clock += 1;
      task.owner.offset = this.#offset();
    }
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    task.run();
    return true;
  }

  #advance(able: readonly Task[]): boolean {
    const thaws = this.#tasks.flatMap(({ owner }) => (owner.frozenUntil > this.now ? owner.frozenUntil : []));
    const next = Math.min(...able.map(({ at }) => at), ...thaws);
    if (!Number.isFinite(next)) return false;
    this.now = Math.max(this.now, next);
    return true;
  }

  /** The store as one process reaches it. */
  storeOf(owner: SimProcess): Store {
    const { journal, dispatch, mailbox, blobs } = this.store;
    const via = <R>(call: () => Promise<R>): Promise<R> => this.#carry(owner, call);
    return {
      journal: {
        append: (append) => this.#append(owner, append),
        read: (run, after) => via(() => journal.read(run, after)),
        follow: (run, after, signal) => journal.follow(run, after, signal),
      },
      dispatch: {
        create: (wanted) => via(() => dispatch.create(wanted)),
        claim: (request) => via(() => dispatch.claim(request)),
        renew: (fences, lease) => via(() => dispatch.renew(fences, lease)),
        release: (request) => via(() => dispatch.release(request)),
        handBack: (fence) => via(() => dispatch.handBack(fence)),
        get: (run) => via(() => dispatch.get(run)),
        find: (wanted) => via(() => dispatch.find(wanted)),
        list: (filter) => via(() => dispatch.list(filter)),
        unfinished: (tenant) => via(() => dispatch.unfinished(tenant)),
        questions: () => via(() => dispatch.questions()),
        count: (which) => via(() => dispatch.count(which)),
        hold: (fence, name) => via(() => dispatch.hold(fence, name)),
        letGo: (fence, name) => via(() => dispatch.letGo(fence, name)),
        time: () => via(() => dispatch.time()),
        erase: (run) => via(() => dispatch.erase(run)),
      },
      mailbox: {
        send: (command) => via(() => mailbox.send(command)),
        pending: (run) => via(() => mailbox.pending(run)),
      },
      blobs: {
        put: (place, text) => via(() => blobs.put(place, text)),
        get: (tenant, blob) => via(() => blobs.get(tenant, blob)),
        held: (tenant) => via(() => blobs.held(tenant)),
      },
      health: () => this.store.health(),
      listen: (hear) =>
        this.store.listen((hint: Hint) => {
          if (owner.isDead) return;
          if (this.chance(this.odds.deaf)) this.seen.deaf += 1;
          else this.schedule(owner, () => hear(hint));
        }),
      close: async () => {},
    };
  }

  async #append(owner: SimProcess, append: Append): Promise<void> {
    const applied: AppliedAppend = { ...append, process: owner.name, acknowledged: false };
    await this.#carry(owner, async () => {
      await this.store.journal.append(append);
      this.appends.push(applied);
    });
    applied.acknowledged = true;
  }

  /** On its way, taking effect, and on its way back: three moments, and a crash or a loss may fall between any two. */
  async #carry<R>(owner: SimProcess, call: () => Promise<R>): Promise<R> {
    await this.moment(owner);
    if (this.chance(this.odds.lost)) {
      this.seen.lost += 1;
      throw new RunError('unavailable', 'The store did not answer (lost).');
    }
    const result = await call();
    const isUnknown = this.chance(this.odds.ambiguous);
    await this.moment(owner);
    if (!isUnknown) return result;
    this.seen.ambiguous += 1;
    throw new RunError('unavailable', 'The store did not answer (unknown).');
  }
}
