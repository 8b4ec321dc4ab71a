import { indexedAll, joinIndexed, noFacts, type Indexed } from '../../run/facts.ts';
import { emptyTree } from '../../run/tree.ts';
import { failureOf } from '../../run/failure.ts';
import type { Dispatch, Journal } from '../../stores/store.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import { decodeAll } from '../../run/entries.ts';

export interface Reindexing {
  readonly dispatch: Pick<Dispatch, 'count' | 'list' | 'reindex'>;
  readonly journal: Pick<Journal, 'read'>;
}

const page = 200;

/** Make the index of all runs anew from their journals; of a damaged one, from what is good. Gives how many there are. */
export async function reindexAll({ dispatch, journal }: Reindexing): Promise<number> {
  let runs = 0;
  for (const { tenant } of await dispatch.count({ damaged: false })) {
    for (let after: string | undefined; ;) {
      const rows = await dispatch.list({ tenant, limit: page, after });
      for (const { run } of rows) {
        await dispatch.reindex({ run, indexed: await indexedIn(journal, run) }).catch(unlessGone);
        runs += 1;
      }
      after = rows.at(-1)?.run;
      if (rows.length < page) break;
    }
  }
  return runs;
}

async function indexedIn(journal: Pick<Journal, 'read'>, run: string): Promise<Indexed> {
  let found: Indexed | undefined;
  const tree = emptyTree();
  for (let after: number | undefined = 0; after !== undefined;) {
    const chunks = await goodChunks(journal, run, after);
    for (const { frames } of chunks) found = joinIndexed(found, indexedAll(decodeAll(frames), tree));
    after = chunks.at(-1)?.last;
  }
  return found ?? { facts: noFacts, terms: [] };
}

/** It was erased meanwhile, or nothing of it can be believed. */
function unlessGone(thrown: unknown): void {
  const { code } = failureOf(thrown);
  if (code !== 'unknown' && code !== 'damaged') throw thrown;
}
