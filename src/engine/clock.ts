/** Time as the engine knows it. Simulations pass their own. */
export interface Clock {
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Resolves when everything that could go on by itself has done so. */
  settle(): Promise<void>;
}
