import { RunError } from '../../run/failure.ts';
import type { Dispatch } from '../../stores/store.ts';
import { type Clock, drift } from './clock.ts';
import { type Moment, momentOf } from './lease.ts';
import type { Entry } from '../../run/events.ts';

/**
 * The store's clock, as far as a worker has learned it: what was said last, and the time worked since. Whatever is
 * compared with what others wrote down (when a question is over, when a run is to be woken) goes by it; two clocks that
 * disagree would park and wake a run for ever.
 */
export class StoreTime {
  readonly #clock: Clock;
  readonly #ask: () => Promise<number>;
  #said: { readonly time: number; readonly at: Moment } | undefined;

  constructor(clock: Clock, dispatch: Pick<Dispatch, 'time'>) {
    this.#clock = clock;
    this.#ask = () => dispatch.time();
  }

  now(): number {
    if (!this.#said) return this.#clock.now();
    return Math.floor(this.#said.time + this.#clock.worked() - this.#said.at.worked);
  }

  /**
   * Ask the store. One that does not answer is believed to go on as before. What it said counts from its arrival: an
   * answer that took its time makes this clock late, which only delays, and never early.
   */
  async learn(): Promise<void> {
    const time = await this.#ask().catch(() => undefined);
    if (time !== undefined) this.#said = { time, at: momentOf(this.#clock) };
  }

  /**
   * Ask the store, unless what it said last still holds as far as this machine can tell. One that never said anything is
   * away: times of a clock that may be a year ahead must not get into a journal.
   */
  async beSure(): Promise<void> {
    if (!this.#said) await this.learn();
    if (!this.#said) throw new RunError('unavailable', 'The store does not say what time it is.');
    const { now, worked } = momentOf(this.#clock);
    const { at } = this.#said;
    const isStale =
      worked - at.worked > longestTrust || Math.abs(now - at.now - (worked - at.worked)) > drift;
    if (isStale) await this.learn();
  }
}

/** Clocks that nobody sets come apart as well. Milliseconds. */
const longestTrust = 60_000;

/**
 * The time of one run in the hands of a worker. It is the store's, but moves on only as the worker works and never goes
 * back; where the store's is found to be ahead, because a clock was set or the machine slept, the next entry says by how
 * much, so that it is not taken for work.
 */
export class RunTime {
  readonly #clock: Clock;
  readonly #store: StoreTime;
  #base: number;
  #since: number;

  /** `last` is the time of the last entry. */
  constructor(clock: Clock, store: StoreTime, last: number) {
    this.#clock = clock;
    this.#store = store;
    this.#base = Math.max(store.now(), last);
    this.#since = clock.worked();
  }

  /** The time of an entry written now, if the worker has worked all the while. */
  now(): number {
    return Math.floor(this.#base + this.#clock.worked() - this.#since);
  }

  stamp(): Pick<Entry, 'at' | 'jump'> {
    const at = this.now();
    const jump = this.#store.now() - at;
    if (jump <= drift) return { at };
    this.#base += jump;
    return { at: at + jump, jump };
  }
}
