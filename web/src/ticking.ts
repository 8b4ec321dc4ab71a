import { useCallback, useSyncExternalStore } from 'react';

/** One clock for all that ticks, which stands still when nothing does. */
class Ticks {
  readonly #every: number;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #now = Date.now();

  constructor(every: number) {
    this.#every = every;
  }

  readonly now = (): number => {
    if (this.#timer === undefined) this.#now = Math.floor(Date.now() / this.#every) * this.#every;
    return this.#now;
  };

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    this.#timer ??= setInterval(() => {
      this.#now = Date.now();
      for (const listener of this.#listeners) listener();
    }, this.#every);
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };
}

const tenths = new Ticks(100);
const minutes = new Ticks(20_000);
const still = (): (() => void) => () => {};
const never = (): number => 0;

/** The time, as long as it is wanted: whoever does not want it any more is not drawn for it. */
export function useNow(isTicking = true): number {
  const subscribe = useCallback(
    (changed: () => void) => (isTicking ? tenths.subscribe(changed) : still()),
    [isTicking],
  );
  return useSyncExternalStore(subscribe, isTicking ? tenths.now : never);
}

/** The time for what is told in minutes. */
export function useMinute(): number {
  return useSyncExternalStore(minutes.subscribe, minutes.now);
}
