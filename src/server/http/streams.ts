import type { Caller } from '../access/caller.ts';

/** Everything that is open to somebody, so that it can be closed when they may no longer look. */
export interface Streams {
  /** Returns what to call when it is over. */
  add(caller: Caller, cut: () => void): () => void;
  /** Cut off everyone who may no longer look. */
  sweep(mayStay: (caller: Caller) => boolean): void;
  readonly size: number;
}

export function openStreams(): Streams {
  const open = new Set<{ readonly caller: Caller; readonly cut: () => void }>();
  return {
    get size() {
      return open.size;
    },
    add(caller, cut) {
      const stream = { caller, cut };
      open.add(stream);
      return () => void open.delete(stream);
    },
    sweep(mayStay) {
      for (const stream of open) if (!mayStay(stream.caller)) stream.cut();
    },
  };
}
