import { failureOf } from '../run/failure.ts';
import type { Chunk, Journal, RunRow } from '../stores/store.ts';

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

/** What to say of a run that is damaged: how far it is good, and how it stands, which the rest of its journal would say. */
export interface Damage {
  readonly status: RunRow['status'];
  readonly damaged: number;
}

/** `at`: of the run as it was when this entry was the last. Undefined where nothing is damaged up to there. */
export function damageOf(
  { head, status, damaged }: Pick<RunRow, 'head' | 'status' | 'damaged'>,
  tree: { readonly seq: number },
  at = head,
): Damage | undefined {
  const isWhole = tree.seq >= at && (damaged === null || at < head);
  return isWhole ? undefined : { status, damaged: Math.min(damaged ?? head, tree.seq) };
}
