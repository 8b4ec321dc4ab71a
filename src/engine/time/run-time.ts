import type { Entry } from '../../run/events.ts';
import { drift, type Clock } from './clock.ts';
import type { StoreTime } from './store-time.ts';

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
