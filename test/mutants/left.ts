// What a test leaves in its process. One in which something is left is not used again: the next test might fail of that.
import { isDeepStrictEqual } from 'node:util';

/** What a process says of itself after a test. */
export interface Left {
  readonly isAsItWas: boolean;
}

export function isLeft(message: unknown): message is Left {
  return message instanceof Object && 'isAsItWas' in message;
}

/** Tells whether the process is as it was when this was called. */
export function leftovers(): () => boolean {
  const before = state();
  return () => isDeepStrictEqual(state(), before);
}

function state() {
  const { setTimeout, fetch, Date } = globalThis;
  return {
    functions: new Set([setTimeout, fetch, Date]),
    folder: process.cwd(),
    variables: { ...process.env, VITEST_WORKER_ID: '', VITEST_POOL_ID: '', SSR: '' },
    listeners: process
      .eventNames()
      // Whoever waits for the end of the process does nothing before.
      .filter((event) => event !== 'exit')
      .map((event) => [event, process.listenerCount(event)]),
    open: process.getActiveResourcesInfo().filter((name) => !harmless.has(name)),
  };
}

/** Vitest's own, and timers: one that is left calls code that nobody reads any more. */
const harmless = new Set(['PipeWrap', 'Timeout', 'Immediate']);
