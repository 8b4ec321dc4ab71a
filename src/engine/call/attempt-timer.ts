import { aborted } from '../aborted.ts';
import type { Clock } from '../time/clock.ts';
import { Within } from '../time/deadlines.ts';

/** The time of one attempt. It stands still while a person is asked. */
export class AttemptTimer {
  /** Resolves when the time is up; never, once the signal has aborted. */
  readonly over: Promise<void>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #tell: () => void;
  #left: number;
  #since = 0;
  #asking = 0;
  #running: Within | undefined;

  constructor(clock: Clock, milliseconds: number, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#tell = resolve;
    this.#clock = clock;
    this.#signal = signal;
    this.#left = milliseconds;
    this.#run();
  }

  /** Let a person take their time. */
  async exempt<T>(question: Promise<T>): Promise<T> {
    if (this.#asking === 0) {
      this.#left -= this.#clock.worked() - this.#since;
      this.#running?.abort(aborted);
    }
    this.#asking += 1;
    try {
      return await question;
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#run();
    }
  }

  #run(): void {
    const running = new Within(this.#signal);
    this.#running = running;
    this.#since = this.#clock.worked();
    const { signal } = running;
    void this.#clock.sleep(Math.max(0, this.#left), signal).then(() => {
      if (!signal.aborted) this.#tell();
    });
  }
}
