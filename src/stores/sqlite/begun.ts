import type { Operation, Reply } from '../batch.ts';
import type { Page } from '../rules/journal.ts';
import type { Append, Chunk } from '../store.ts';
import { isCreated } from './unsent.ts';

/** The beginnings of runs that were created here, as long as they are short: whoever starts a run looks at it at once. */
export interface BegunRuns {
  committed(operations: readonly Operation[], reply: Reply): void;
  /** What follows an entry; undefined where only the store can tell. */
  after(run: string, seq: number): Page | undefined;
  forget(): void;
}

/** Runs, and characters of each: one that streams is forgotten within a second. */
const mostRuns = 500;
const longest = 4_096;

export function begunRuns(): BegunRuns {
  const begun = new Map<string, readonly Chunk[]>();
  const keep = (run: string, chunks: readonly Chunk[]): void => {
    begun.set(run, chunks);
    const [oldest] = begun.keys();
    if (begun.size > mostRuns && oldest !== undefined) begun.delete(oldest);
  };
  const grow = (append: Append): void => {
    const { run } = append.fence;
    const chunks = begun.get(run);
    if (!chunks) return;
    const longer = grown(chunks, append);
    if (longer) begun.set(run, longer);
    else begun.delete(run);
  };
  return {
    committed(operations, { results, refusals }) {
      const refused = new Set(refusals.map(({ index }) => index));
      operations.forEach(({ name, argument }, index) => {
        if (refused.has(index)) return;
        if (name === 'append') grow(argument);
        else if (name === 'erase') begun.delete(argument);
        else if (name === 'create' && isCreated(results[index])) {
          const { run, last, frames } = argument;
          if (last > 0 && frames.length <= longest) keep(run, [{ run, first: 1, last, frames }]);
        }
      });
    },
    after(run, seq) {
      const chunks = begun.get(run);
      const end = chunks?.at(-1)?.last ?? 0;
      if (!chunks || seq > end) return undefined;
      return { chunks: chunks.filter(({ last }) => last > seq), isAll: true, ended: false };
    },
    forget: () => begun.clear(),
  };
}

/** Undefined where it has ended, is long, or where something is missing. */
function grown(chunks: readonly Chunk[], append: Append): readonly Chunk[] | undefined {
  const { fence, head, last, frames, ends } = append;
  const size = chunks.reduce((sum, chunk) => sum + chunk.frames.length, frames.length);
  if (ends || head !== chunks.at(-1)?.last || size > longest) return undefined;
  return last === head ? chunks : [...chunks, { run: fence.run, first: head + 1, last, frames }];
}
