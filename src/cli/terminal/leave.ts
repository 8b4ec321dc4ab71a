const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Leaving {
  /** Aborts when the process is told to end. */
  readonly signal: AbortSignal;
  /** Resolves when the process is told to end. */
  told(): Promise<void>;
  done(): void;
}

/** End in order when told to: the run is handed back and can be resumed. Told twice, end at once. */
export function leaveWhenTold(): Leaving {
  const told = new AbortController();
  const leave = (): void => {
    if (told.signal.aborted) process.exit(130);
    told.abort();
  };
  for (const signal of signals) process.on(signal, leave);
  return {
    signal: told.signal,
    told: () =>
      new Promise((resolve) => {
        if (told.signal.aborted) return resolve();
        told.signal.addEventListener('abort', () => resolve());
      }),
    done() {
      for (const signal of signals) process.off(signal, leave);
    },
  };
}
