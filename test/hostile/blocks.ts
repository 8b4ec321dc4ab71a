// For how long the main loop serves nobody else.

/** Milliseconds, at the most, since it was last asked. */
export interface Blocks {
  /** Until a timer of a millisecond came: also when the machine gave the process no processor. */
  readonly wall: number;
  /** Of the main thread's own work between two such timers: what the server itself did. */
  readonly worked: number;
}

export function blocks(): { take(): Blocks } {
  let most = { wall: 0, worked: 0 };
  let at = performance.now();
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(before);
    most = {
      wall: Math.max(most.wall, now - at),
      worked: Math.max(most.worked, (user + system) / 1_000),
    };
    at = now;
    before = process.threadCpuUsage();
  }, 1);
  return {
    take() {
      const taken = most;
      most = { wall: 0, worked: 0 };
      return taken;
    },
  };
}
