import type { DatabaseSync } from 'node:sqlite';
import { addFacts, indexedAll, joinIndexed, noFacts, type Facts, type Indexed } from '../../run/facts.ts';
import { emptyTree } from '../../run/tree.ts';
import type { Chunk, RunRow } from '../store.ts';
import { query } from './rows.ts';
import { termRows } from './tables.ts';
import { decodeAll } from '../../run/entries.ts';

/** Adds up what the journal of one run says, a page at a time, and then tells what of the index is otherwise. */
export interface IndexCheck {
  add(chunks: readonly Chunk[]): void;
  differences(row: RunRow, number: number): readonly string[];
}

/** How what lists find is compared with what journals say. */
export function indexChecks(database: DatabaseSync): () => IndexCheck {
  const terms = termRows(database);
  const fresh = query<{ readonly there: number }>(
    database,
    'SELECT 1 AS there FROM freshTerm WHERE holder = ?',
  );
  const placed = query<{ readonly there: number }>(
    database,
    'SELECT 1 AS there FROM term WHERE owner = ? AND term = ? AND holder = ?',
  );
  return () => {
    const tree = emptyTree();
    let said: Indexed | undefined;
    return {
      add(chunks) {
        for (const { frames } of chunks) said = joinIndexed(said, indexedAll(decodeAll(frames), tree));
      },
      differences({ tenant, facts }, number) {
        const wanted = said ?? { facts: noFacts, terms: [] };
        const found = new Set(terms.of(number));
        const isLed = (term: string): boolean =>
          found.has(term) &&
          (fresh.one(number) !== undefined || placed.one(tenant, term, number) !== undefined);
        const isFound = found.size === new Set(wanted.terms).size && wanted.terms.every(isLed);
        return [...differing(facts, addFacts(noFacts, wanted)), ...(isFound ? [] : ['terms'])];
      },
    };
  };
}

function differing(kept: Facts, said: Facts): readonly string[] {
  const names = new Set([...Object.keys(kept), ...Object.keys(said)]) as ReadonlySet<keyof Facts>;
  return [...names].filter((name) => canonical(kept[name]) !== canonical(said[name]));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
