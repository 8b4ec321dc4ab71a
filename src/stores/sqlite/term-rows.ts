import type { DatabaseSync } from 'node:sqlite';
import { freshTerms, separator } from './fresh-terms.ts';
import { change, query } from './rows.ts';

/** What runs are found by. */
export interface TermRows {
  add(tenant: string, number: number, terms: readonly string[]): void;
  drop(tenant: string, number: number): void;
  /** All terms of a run, by its number. */
  of(number: number): readonly string[];
  readonly ofRun: (run: string) => ReadonlySet<string>;
  /** About how many runs a term finds, counted up to a limit. */
  count(tenant: string, term: string): number;
  /** A transaction was undone. */
  forget(): void;
}

/** More than so many are as many as all: counting is to cost no more than finding. */
const mostCounted = 2_000;

/**
 * Each term leads to its runs in the order of their numbers. What a run has stands once more in one row, by which its terms
 * are found again when it is erased: an index for that alone would double what every run writes.
 */
export function termRows(database: DatabaseSync): TermRows {
  const fresh = freshTerms(database);
  const note = change(
    database,
    `INSERT INTO termsOf (holder, terms) VALUES (?1, ?2)
      ON CONFLICT (holder) DO UPDATE SET terms = terms || '${separator}' || excluded.terms`,
  );
  const noted = query<{ readonly terms: string }>(database, 'SELECT terms FROM termsOf WHERE holder = ?');
  const numbers = query<{ readonly number: number }>(database, 'SELECT number FROM run WHERE run = ?');
  const remove = change(database, 'DELETE FROM term WHERE owner = ? AND term = ? AND holder = ?');
  const forget = change(database, 'DELETE FROM termsOf WHERE holder = ?');
  const counted = query<{ readonly count: number }>(
    database,
    `SELECT count(*) AS count FROM (SELECT 1 FROM term WHERE owner = ? AND term = ? LIMIT ${mostCounted})`,
  );
  const of = (number: number): readonly string[] => noted.one(number)?.terms.split(separator) ?? [];
  return {
    add(tenant, number, terms) {
      const known = new Set(of(number));
      const added = terms.filter((term) => known.size < known.add(term).size);
      if (added.length === 0) return;
      note(number, added.join(separator));
      fresh.note(tenant, number);
    },
    drop(tenant, number) {
      for (const term of of(number)) remove(tenant, term, number);
      forget(number);
      fresh.drop(number);
    },
    of,
    ofRun: (run) => new Set(of(numbers.one(run)?.number ?? 0)),
    count: (tenant, term) => counted.one(tenant, term)?.count ?? 0,
    forget: () => fresh.forget(),
  };
}
