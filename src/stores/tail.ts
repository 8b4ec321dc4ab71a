import type { Chunk } from './store.ts';
import type { Page } from './rules/journal.ts';

/** How much of a followed run is kept at hand for those who are nearly at its head. */
const windowSize = 256 * 1024;

/** The newest chunks of one run, shared by all who follow it. */
export interface Tail {
  /** What the window has after a position; undefined when only the store can tell. */
  after(position: number): Page | undefined;
  publish(chunk: Chunk, ends: boolean): void;
  /** The window no longer says how the run stands: everyone asks the store. */
  forget(): void;
  /** Moves with everything that happens, so that nobody waits for what came while they were reading. */
  version(): number;
  /** Resolves at the next thing that happens, or when the signal aborts. */
  change(signal: AbortSignal): Promise<void>;
}

export function tailOfRun(): Tail {
  const { ring, version, change } = bell();
  let chunks: Chunk[] = [];
  let size = 0;
  let last = 0;
  let ended = false;
  const empty = (): void => {
    chunks = [];
    size = 0;
    last = 0;
  };
  return {
    version,
    change,
    after(position) {
      if (last === 0 || last < position) return undefined;
      if (last === position) return { chunks: [], isAll: true, ended };
      const oldest = chunks[0];
      if (!oldest || oldest.first > position + 1) return undefined;
      const from = chunks.findLastIndex((chunk) => chunk.last <= position) + 1;
      return { chunks: chunks.slice(from), isAll: true, ended };
    },
    publish(chunk, ends) {
      // A hole would be given to followers as if nothing were missing; starting afresh sends them to the store.
      if (chunk.first !== last + 1) empty();
      chunks.push(chunk);
      size += chunk.frames.length;
      last = chunk.last;
      ended = ends;
      while (size > windowSize && chunks.length > 1) size -= chunks.shift()?.frames.length ?? 0;
      ring();
    },
    forget() {
      empty();
      ring();
    },
  };
}

function bell(): Pick<Tail, 'version' | 'change'> & { readonly ring: () => void } {
  let version = 0;
  let waiting = new Set<() => void>();
  return {
    version: () => version,
    ring: () => {
      version += 1;
      const woken = waiting;
      waiting = new Set();
      for (const resume of woken) resume();
    },
    change: (signal) =>
      new Promise((resolve) => {
        const resume = (): void => {
          waiting.delete(resume);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        waiting.add(resume);
        signal.addEventListener('abort', resume);
      }),
  };
}
