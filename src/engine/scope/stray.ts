import { AsyncLocalStorage } from 'node:async_hooks';
import { errorOf, sentenceOf } from '../../run/failure.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { strayIn } from './broken.ts';

/** Whose code is running: it answers for what that code leaves behind. */
interface Owner {
  take(cause: unknown): void;
}

const owners = new AsyncLocalStorage<Owner | undefined>();

/**
 * Run code of somebody else as part of a step. A rejection it never awaits, or a throw in one of its timers, has no caller to go
 * to: it fails this step, and nobody else's work.
 */
export async function owned<T>(
  execution: Execution,
  step: Step,
  { name, work }: { readonly name: string; readonly work: () => Promise<T> },
): Promise<T> {
  const stray = Promise.withResolvers<never>();
  const owner: Owner = {
    take(cause) {
      execution.world.log.error({ run: execution.run, cause }, `«${name}» left an error that nobody caught.`);
      const failure = strayIn(name, cause);
      if (isOpen(step) && !isOver) return stray.reject(errorOf(failure));
      const message = sentenceOf(failure);
      execution.emit({ type: 'notice.posted', step: step.id, code: 'STRAY_ERROR', message });
    },
  };
  let isOver = false;
  const working = owners.run(owner, work);
  try {
    return await Promise.race([working, stray.promise]);
  } finally {
    isOver = true;
    // What it does from here on is nobody's result any more.
    working.catch(() => {});
  }
}

/** To run without an owner makes a context for each piece of text; this one is made once, where there is none. */
const nobodys = AsyncLocalStorage.snapshot();

/** Work of our own that somebody else's code has only set off: what goes wrong in it is not theirs. */
export function unowned(work: () => void): void {
  nobodys(work);
}

/** An error nobody caught reached the process: hand it to the step whose code left it. False if it is nobody's. */
export function takeStray(cause: unknown): boolean {
  const owner = owners.getStore();
  owner?.take(cause);
  return owner !== undefined;
}
