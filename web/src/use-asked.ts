import { useCallback, useEffect, useState } from 'react';
import { RunError, type Failure } from '../../src/client/client.ts';

/** What a server was asked for: not there yet, there, or why it is not. */
export interface Asked<T> {
  readonly value?: T;
  readonly failure?: Failure;
  readonly again: () => void;
}

/** Asks, and asks anew when one of `about` is another. What was there stays until the next is; what comes late is dropped. */
export function useAsked<T>(ask: () => Promise<T>, about: readonly unknown[]): Asked<T> {
  const [found, setFound] = useState<{ readonly value?: T; readonly failure?: Failure }>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    ask()
      .then((value) => isCurrent && setFound({ value }))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof RunError)) throw thrown;
        if (isCurrent) setFound({ failure: thrown.failure });
      });
    return () => {
      isCurrent = false;
    };
  }, [...about, times]);
  return { ...found, again: useCallback(() => setTimes((before) => before + 1), []) };
}
