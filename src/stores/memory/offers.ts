import type { Append, Appender } from '../store.ts';

export interface Offers {
  offer(appender: Appender, isAwaited: boolean): void;
  /** Something else is asked of this run: what it has offered goes first. */
  first(run: string | undefined): void;
}

/** Writes what runs have offered: before anything else where somebody waits, else when this turn of the loop is over. */
export function offersTo(write: (append: Append) => void): Offers {
  const offered = new Map<string, Appender>();
  let isDue = false;
  const writeOne = (appender: Appender): void => {
    offered.delete(appender.run);
    const append = appender.next();
    if (!append) return;
    try {
      write(append);
    } catch (thrown) {
      return appender.failed(thrown);
    }
    appender.durable();
  };
  const round = (): void => {
    for (const appender of Array.from(offered.values())) writeOne(appender);
  };
  return {
    offer(appender, isAwaited) {
      offered.set(appender.run, appender);
      if (isAwaited) return queueMicrotask(round);
      if (isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        round();
      });
    },
    first(run) {
      const appender = run === undefined ? undefined : offered.get(run);
      if (appender) writeOne(appender);
    },
  };
}
