import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../src/engine/time/clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Time that passes when a test says so. */
export class VirtualClock implements Clock {
  #now = 1_700_000_000_000;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now;
  }

  worked(): number {
    return this.#now;
  }

  /** The same time on another clock, which can be set and whose machine can sleep. */
  elsewhere(offset = 0): OtherClock {
    return new OtherClock(this, offset);
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = { at: this.#now + milliseconds, wake: () => resolve() };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  async settle(): Promise<void> {
    await turn();
  }

  breather(): () => Promise<void> {
    return async () => {};
  }

  /** Let so much time pass: whoever sleeps is woken in order, and everything that follows from it happens. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await calm();
    for (;;) {
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      next.wake();
      await calm();
    }
    this.#now = until;
    await calm();
  }
}

/** A clock that goes with another, as far as nobody sets it. */
export class OtherClock implements Clock {
  readonly #clock: VirtualClock;
  #offset: number;
  #slept = 0;
  #asleep: { readonly since: number; readonly awake: PromiseWithResolvers<void> } | undefined;

  constructor(clock: VirtualClock, offset: number) {
    this.#clock = clock;
    this.#offset = offset;
  }

  now(): number {
    return this.#clock.now() + this.#offset;
  }

  worked(): number {
    return this.#clock.worked() - this.#slept;
  }

  /** Somebody sets it. */
  set(by: number): void {
    this.#offset += by;
  }

  /** The machine is off, or the process is stopped: no timer fires. */
  fallAsleep(): void {
    this.#asleep = { since: this.#clock.now(), awake: Promise.withResolvers() };
  }

  get awake(): Promise<void> | undefined {
    return this.#asleep?.awake.promise;
  }

  /** Not every machine can tell how long it slept: then that time counts. */
  wakeUp({ isCounted }: { readonly isCounted: boolean }): void {
    if (this.#asleep && !isCounted) this.#slept += this.#clock.now() - this.#asleep.since;
    this.#asleep?.awake.resolve();
    this.#asleep = undefined;
  }

  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const until = this.worked() + milliseconds;
    do {
      await this.#clock.sleep(until - this.worked(), signal);
      await this.awake;
    } while (!signal.aborted && this.worked() < until);
  }

  breather(): () => Promise<void> {
    return this.#clock.breather();
  }

  settle(): Promise<void> {
    return this.#clock.settle();
  }
}

/** Everything that can happen without time passing has happened. The memory store answers without the event loop. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 12; i += 1) await turn();
}
