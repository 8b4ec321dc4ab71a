import { asBefore } from '../run/snapshots.ts';

/** Something to be looked at that may change, as React's `useSyncExternalStore` wants it. */
export interface Source<T> {
  /** Be told of every change, until the returned function is called. */
  readonly subscribe: (changed: () => void) => () => void;
  /** What it is now: the same value as long as nothing in it has changed. */
  readonly getSnapshot: () => T;
}

interface Part {
  readonly source: Source<unknown>;
  readonly listeners: Set<() => void>;
  /** What whoever subscribed was shown last. */
  seen: unknown;
  readonly now: () => unknown;
}

/** The parts of something that somebody looks at. What nobody looks at costs nothing, and what many look at is made once. */
export class Parts {
  readonly #parts = new Map<string, Part>();
  /** Those that somebody looks at. A viewer who goes through a long run leaves thousands behind, which are not gone through again. */
  readonly #watched = new Set<Part>();
  /** How often something has changed. */
  #changes = 0;

  /** A part by its name. The same name is the same source, so that nobody subscribes anew whenever they are drawn. */
  source<T>(name: string, make: () => T): Source<T> {
    const known = this.#parts.get(name);
    if (known) return known.source as Source<T>;
    let last: { readonly value: T; readonly changes: number } | undefined;
    const now = (): T => {
      const changes = this.#changes;
      if (last?.changes !== changes) last = { value: asBefore(last?.value, make()), changes };
      return last.value;
    };
    const listeners = new Set<() => void>();
    const source: Source<T> = {
      getSnapshot: now,
      subscribe: (changed) => {
        if (listeners.size === 0) part.seen = now();
        const listener = (): void => changed();
        listeners.add(listener);
        this.#watched.add(part);
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0) this.#watched.delete(part);
        };
      },
    };
    const part: Part = { source, listeners, now, seen: undefined };
    this.#parts.set(name, part);
    return source;
  }

  /** Something has changed: tell those whose part is another than they saw. */
  look(): void {
    this.#changes += 1;
    for (const part of this.#watched) {
      const now = part.now();
      if (Object.is(now, part.seen)) continue;
      part.seen = now;
      for (const changed of part.listeners) tell(changed);
    }
  }
}

/** What a listener throws is its own, and none of the others' business. */
function tell(changed: () => void): void {
  try {
    changed();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
