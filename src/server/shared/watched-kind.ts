import { failureOf } from '../../run/failure.ts';
import type { Store } from '../../stores/store.ts';
import { changeShared, listShared, type Kind, type Known } from './kind.ts';

/** What is shared, and who tells that it changed. */
export type SharedStore = Pick<Store, 'shared' | 'listen'>;

/** All values of a kind as this process knows them: at hand, and read again when it hears that one has changed. */
export interface WatchedKind<T> {
  /** By tenant, and by name. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, T>>;
  /** The same list for as long as nothing was read again. */
  all(): readonly Known<T>[];
  /** As `changeShared`; what is at hand afterwards has the change in it. */
  change(tenant: string, name: string, next: (known: T | undefined) => T): Promise<T>;
  /** Read them again: a hint may have been lost. Never fails; what cannot be read stays as it was known. */
  lookAgain(): Promise<void>;
  /** Resolves when nothing is being read that somebody has heard of. */
  settled(): Promise<void>;
  /** Why they cannot be read; undefined while they can. */
  trouble(): string | undefined;
}

/** How long what was changed elsewhere may stay unknown where its hint was lost. Milliseconds. */
const lookEvery = 10_000;

/** Look again every now and then, whoever has no hints or lost one. Returns what ends it. */
export function lookingAgain(...watched: readonly Pick<WatchedKind<unknown>, 'lookAgain'>[]): () => void {
  if (watched.length === 0) return () => {};
  const looking = setInterval(() => {
    for (const each of watched) void each.lookAgain();
  }, lookEvery).unref();
  return () => clearInterval(looking);
}

export interface Watching {
  /** Hears that they cannot be read any more. */
  readonly problem?: (cause: unknown) => void;
  /** Hears that they can again. */
  readonly restored?: () => void;
}

export async function watchedKind<T>(
  { shared, listen }: SharedStore,
  kind: Kind<T>,
  watching: Watching = {},
): Promise<WatchedKind<T>> {
  let all = await listShared(shared, kind);
  let trouble: string | undefined;
  const load = async (): Promise<void> => {
    try {
      all = await listShared(shared, kind);
      watched.values = byTenant(all);
      if (trouble !== undefined) watching.restored?.();
      trouble = undefined;
    } catch (thrown) {
      const isNew = trouble === undefined;
      trouble = failureOf(thrown).message;
      if (isNew) watching.problem?.(thrown);
    }
  };
  const { look: lookAgain, settled } = oneAtATime(load);
  listen(
    ({ key }) => {
      if (key.kind === kind.kind) void lookAgain();
    },
    ['shared'],
  );
  const watched = {
    values: byTenant(all),
    all: () => all,
    async change(tenant: string, name: string, next: (known: T | undefined) => T) {
      const changed = await changeShared(shared, { kind, tenant, name }, next);
      await lookAgain();
      return changed;
    },
    lookAgain,
    settled,
    trouble: () => trouble,
  };
  return watched;
}

/** Whoever asks while one is under way waits for the next: that one may have begun too early for them. */
function oneAtATime(work: () => Promise<void>): {
  readonly look: () => Promise<void>;
  readonly settled: () => Promise<void>;
} {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    running = work().finally(() => (running = undefined));
    return running;
  };
  return {
    settled: async () => next ?? running,
    look() {
      if (!running) return run();
      next ??= running.then(() => {
        next = undefined;
        return run();
      });
      return next;
    },
  };
}

function byTenant<T>(all: readonly Known<T>[]): WatchedKind<T>['values'] {
  const values = new Map<string, Map<string, T>>();
  for (const { tenant, name, value } of all) {
    const own = values.get(tenant) ?? new Map<string, T>();
    values.set(tenant, own.set(name, value));
  }
  return values;
}
