import { failureOf } from '../run/failure.ts';
import type { Chunk, Journal } from '../stores/store.ts';

/** What a journal has after a cursor, as far as it is good: what is damaged ends it, like its end. */
export async function goodChunks(
  journal: Pick<Journal, 'read'>,
  run: string,
  after: number,
): Promise<readonly Chunk[]> {
  try {
    return await journal.read(run, after);
  } catch (thrown) {
    if (failureOf(thrown).code === 'damaged') return [];
    throw thrown;
  }
}

/** To the end, or to where it is damaged: a store that finds that out by this gives the run to nobody any more. */
export async function readThrough(journal: Pick<Journal, 'read'>, run: string): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined;)
    last = (await goodChunks(journal, run, last)).at(-1)?.last;
}

/** The last good entry of a run whose tree could be folded only so far. */
export function damagedAt(tree: { readonly seq: number }, head: number): number | undefined {
  return tree.seq < head ? tree.seq : undefined;
}
