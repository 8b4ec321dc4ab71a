import { drift, type Clock } from './clock.ts';

/** A worker that is silent for a lease has lost its runs. Milliseconds. */
export const leaseLength = 15_000;

/** A moment on both clocks of a worker. */
export interface Moment {
  readonly now: number;
  readonly worked: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), worked: clock.worked() };
}

/**
 * How far a worker can be sure that a run is still its own. Only the store knows: a worker that slept, or whose clock
 * was set, cannot tell how much of its lease is left, and has to ask again before it acts.
 */
export class Lease {
  readonly #clock: Clock;
  #proven: Moment;

  constructor(clock: Clock, proven: Moment) {
    this.#clock = clock;
    this.#proven = proven;
  }

  /** The store said yes, to a question asked at that moment. */
  prove(asked: Moment): void {
    this.#proven = asked;
  }

  get isSure(): boolean {
    const passed = this.#clock.now() - this.#proven.now;
    return this.#worked < leaseLength && Math.abs(passed - this.#worked) < drift;
  }

  /** Whether another worker may take over soon. */
  get isNearlyOver(): boolean {
    return this.#worked > (leaseLength * 2) / 3;
  }

  get #worked(): number {
    return this.#clock.worked() - this.#proven.worked;
  }
}
