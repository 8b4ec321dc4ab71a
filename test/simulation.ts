// A world in which every await is a scheduling point. Processes share what a store keeps; a seeded scheduler decides what
// happens next, which process dies, which one freezes, and what becomes of a commit nobody heard of.
import { setImmediate as drain } from 'node:timers/promises';
import type { Clock } from '../src/engine/time/clock.ts';
import type { Append, Store } from '../src/stores/store.ts';

export interface Odds {
  /** Per scheduled task: that its process dies, or stands still for a while. */
  readonly crash: number;
  readonly freeze: number;
  /** Per store operation: that it is lost before, or unknown after, it took effect. */
  readonly lost: number;
  readonly ambiguous: number;
  /** Per statement to a database: that the connection breaks. */
  readonly cut: number;
  /** Per hint: that nobody hears it. */
  readonly deaf: number;
  /** Per scheduled task: that somebody sets the clock of its process. */
  readonly clock: number;
}

export const calm: Odds = { crash: 0, freeze: 0, lost: 0, ambiguous: 0, cut: 0, deaf: 0, clock: 0 };

/** What the processes of a simulation share: as somebody outside sees it, and as one of them reaches it. */
export interface Shared {
  readonly store: Store;
  storeOf(process: SimProcess): Store;
  /** How often it met what it is made for. */
  met(): Readonly<Record<string, number>>;
  /** What must never be and was seen. */
  wrongs(): readonly string[];
}

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
  readonly shared: Shared;
  readonly appends: AppliedAppend[] = [];
  readonly seen = { crash: 0, freeze: 0, lost: 0, ambiguous: 0, cut: 0, deaf: 0, clock: 0 };
  now = 1_000_000;
  odds: Odds;
  readonly #onCrash: ((process: SimProcess) => void)[] = [];
  #tasks: Task[] = [];
  #state: number;

  constructor(seed: number, odds: Odds, share: (sim: Simulation) => Shared) {
    this.#state = seed >>> 0 || 1;
    this.odds = odds;
    this.shared = share(this);
  }

  get store(): Store {
    return this.shared.store;
  }

  storeOf(process: SimProcess): Store {
    return this.shared.storeOf(process);
  }

  /** Part of the world, not of what is tested: it never dies nor stands still. */
  immortal(name: string): SimProcess {
    return { name, isImmortal: true, isDead: false, frozenUntil: 0, offset: 0, slept: 0 };
  }

  onCrash(hear: (process: SimProcess) => void): void {
    this.#onCrash.push(hear);
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

  /** Calls it after so many milliseconds, unless it is cancelled. */
  later(owner: SimProcess, delay: number, run: () => void): () => void {
    const task = { owner, at: this.now + delay, run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
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
      // A store may gather what is asked within a turn of the loop: time passes only when that is on its way.
      if (!this.#isAnythingDue()) await drain();
      if (i % 8 === 0 && (await isDone())) return true;
      if (!this.#step() && (await isDone())) return true;
    }
    return isDone();
  }

  kill(process: SimProcess): void {
    process.isDead = true;
    this.#tasks = this.#tasks.filter(({ owner }) => owner !== process);
    for (const hear of this.#onCrash) hear(process);
  }

  /** Does what can be done without time passing, once: false if there is nothing. */
  step(): boolean {
    return this.#isAnythingDue() && this.#step();
  }

  #isAnythingDue(): boolean {
    return this.#tasks.some(
      ({ at, owner }) => at <= this.now && !owner.isDead && owner.frozenUntil <= this.now,
    );
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
}
