/** Work that many ask for, done one piece in a turn of the loop. */
export interface ByTurns {
  /** Of all who wait each gets one piece done before anybody gets another, its own in the order they came. */
  add(whose: string, work: () => void): void;
  /** Does all that waits, now. */
  finish(): void;
}

/** Whoever asks for much holds up nothing but the rest of it, and what comes meanwhile waits for one piece. */
export function byTurns(): ByTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isServing = false;
  const take = (): (() => void) | undefined => {
    for (const [whose, own] of waiting) {
      const next = own.shift();
      // Behind all others, if there is more.
      waiting.delete(whose);
      if (own.length > 0) waiting.set(whose, own);
      return next;
    }
    return undefined;
  };
  const serve = (): void => {
    const work = take();
    isServing = work !== undefined;
    if (!work) return;
    setImmediate(serve);
    work();
  };
  return {
    add(whose, work) {
      const own = waiting.get(whose);
      if (own) own.push(work);
      else waiting.set(whose, [work]);
      if (isServing) return;
      isServing = true;
      setImmediate(serve);
    },
    finish() {
      for (let work = take(); work; work = take()) work();
    },
  };
}
