import { failureOf } from '../run/failure.ts';
import type { Execution } from './execution.ts';

const retryPause = 100;

/** Ask the store until it answers; a refusal means that the run is another worker's. Undefined once it was let go of. */
export async function answered<T>(
  execution: Execution,
  question: () => Promise<T>,
): Promise<{ readonly answer: T } | undefined> {
  const { world, dropped } = execution;
  while (!dropped.aborted) {
    try {
      return { answer: await question() };
    } catch (thrown) {
      const { code } = failureOf(thrown);
      if (code === 'rejected' || code === 'unknown') execution.drop();
      else if (code !== 'unavailable' && code !== 'timed-out') throw thrown;
      else await world.clock.sleep(retryPause, dropped);
    }
  }
  return undefined;
}
