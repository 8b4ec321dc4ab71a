import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';

/** Timers know nothing of a clock that is set, or of a night the machine slept through. Milliseconds. */
const lookAgain = 15_000;

/** Resolves when the store's clock says so, and the run is not being parked; never, if this worker lets go of the run before. */
export async function atTime(execution: Execution, at: number): Promise<void> {
  const { world, dropped } = execution;
  for (;;) {
    const left = Math.max(0, at - world.time.now());
    await world.clock.sleep(Math.min(left, lookAgain), dropped);
    if (!execution.isLive) return forever();
    if (world.time.now() >= at) return execution.parking.over();
  }
}
