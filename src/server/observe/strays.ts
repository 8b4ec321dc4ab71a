import { isForeign } from '../../engine/scope/broken.ts';
import type { Log } from '../../engine/world.ts';
import { takeStray } from '../../engine/scope/composite.ts';

/**
 * Keep one careless tool or flow from ending the process for all: what it leaves behind fails its own step. What nobody's step
 * left is logged; if it came from code of ours it ends the process, since nobody knows what is broken then.
 */
export function containStrays(log: Log): () => void {
  const take = (cause: unknown): void => {
    if (takeStray(cause)) return;
    if (isForeign(cause))
      return log.error({ cause }, 'An error outside of any step was caught by nobody; work goes on.');
    log.error({ cause }, 'Something broke inside Vitrine, and the process ends.');
    process.exit(1);
  };
  process.on('unhandledRejection', take);
  process.on('uncaughtException', take);
  return () => {
    process.off('unhandledRejection', take);
    process.off('uncaughtException', take);
  };
}
