import type { Append, Appender, Haste } from '../store.ts';

export interface Offers {
  offer(appender: Appender, haste: Haste): void;
  /** Something else is asked of this run: what it has offered goes first. */
  first(run: string | undefined): void;
}

/** Writes what runs have offered: before anything else where somebody waits, else when this turn of the loop is over. */
export function offersTo(write: (append: Append) => void): Offers {
  let offered: Appender[] = [];
  let isDue = false;
  const writeOne = (appender: Appender): void => {
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
    const all = offered;
    offered = [];
    for (const appender of all) writeOne(appender);
  };
  const roundSoon = (): void => {
    isDue = false;
    round();
  };
  return {
    offer(appender, haste) {
      offered.push(appender);
      if (haste !== 'none') return queueMicrotask(round);
      if (isDue) return;
      isDue = true;
      setImmediate(roundSoon);
    },
    first(run) {
      const place = offered.findIndex((appender) => appender.run === run);
      for (const appender of place < 0 ? [] : offered.splice(place, 1)) writeOne(appender);
    },
  };
}
