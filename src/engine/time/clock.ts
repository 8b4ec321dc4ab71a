/** Time as the engine knows it. Simulations pass their own. */
export interface Clock {
  /** What this machine's clock says, in milliseconds since 1970. It can be set, and need not agree with anyone's. */
  now(): number;
  /**
   * Milliseconds this process has been able to work, since any moment. Nobody can set it, and it stands still while the
   * machine sleeps or the process is stopped, as far as that can be told.
   */
  worked(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Resolves when everything that could go on by itself has done so. */
  settle(): Promise<void>;
  /** Gives what long work awaits between its parts, so that others are served. */
  breather(): () => Promise<void>;
}

/** Two clocks drift apart a little all the time; beyond this one of them was set, or slept. Milliseconds. */
export const drift = 1_000;
