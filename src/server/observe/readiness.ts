import type { Log } from '../../engine/world.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Store } from '../../stores/store.ts';

/** Whether what is asked for now would be kept. */
export interface Readiness {
  /** Why not; undefined while it would. */
  now(): Promise<string | undefined>;
  /** Fails where what is begun now would be lost. */
  expect(): Promise<void>;
  close(): void;
}

const isReady = 'The server is ready again.';
const isNotReady = 'The server is not ready: new runs are refused.';

/** How often to look without being asked, and how long a store may take to answer. Milliseconds. */
const lookEvery = 1_000;
const patience = 3_000;

/** Watches the store, and says on the log when it cannot be relied on, and when it can again: once for each change. */
export function readinessOf(
  store: Pick<Store, 'health'>,
  log: Log,
  warn?: (line: string) => void,
): Readiness {
  let last: string | undefined;
  const now = async (): Promise<string | undefined> => {
    const why = await healthOf(store);
    if (why !== last) {
      last = why;
      const message = why === undefined ? isReady : isNotReady;
      log.error({ cause: why ?? 'What was wrong is over.' }, message);
      warn?.(why === undefined ? message : `${message} ${why}`);
    }
    return why;
  };
  let isLooking = false;
  const looking = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void now().finally(() => (isLooking = false));
  }, lookEvery);
  looking.unref();
  return {
    now,
    expect: async () => refuse(await now()),
    close: () => clearInterval(looking),
  };
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw new RunError('unready', why, { retryable: true });
}

function healthOf(store: Pick<Store, 'health'>): Promise<string | undefined> {
  return withinPatience(store.health().catch((thrown: unknown) => failureOf(thrown).message));
}

async function withinPatience(answer: Promise<string | undefined>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve('The store does not answer.'), patience);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
