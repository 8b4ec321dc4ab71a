import type { DatabaseSync } from 'node:sqlite';
import { change, query } from './rows.ts';

/** No term has one in it. */
export const separator = '\n';

/** Runs that have terms which are not in the index yet. */
export interface FreshTerms {
  note(owner: string, holder: number): void;
  drop(holder: number): void;
  /** A transaction was undone. */
  forget(): void;
}

/** So many runs come before their terms are put into the index: by then most of its pages are written for several of them. */
const placedTogether = 32;
/** Terms that are put there at once. Whoever waits for the commit waits for them, and a run has about two hundred. */
const atOnce = 300;

interface Posting {
  readonly owner: string;
  readonly term: string;
  readonly holder: number;
}

interface Fresh {
  readonly holder: number;
  readonly owner: string;
  readonly terms: string;
}

/** What is being put into the index, in its order, and what of it is left. */
interface Pass {
  readonly runs: readonly Fresh[];
  left: readonly Posting[];
}

/**
 * The words of a run lie all over the index, so that each would cost a page of its own when the run ends. Those of many runs are
 * put there together, a part with each commit that brings more. Until then they are found in what is kept of their run.
 */
export function freshTerms(database: DatabaseSync): FreshTerms {
  const all = query<Fresh>(
    database,
    'SELECT holder, owner, terms FROM freshTerm CROSS JOIN termsOf USING (holder) ORDER BY holder',
  );
  const count = query<{ readonly count: number }>(database, 'SELECT count(*) AS count FROM freshTerm');
  const terms = query<{ readonly terms: string }>(database, 'SELECT terms FROM termsOf WHERE holder = ?');
  const insert = change(database, 'INSERT OR IGNORE INTO freshTerm (holder, owner) VALUES (?, ?)');
  const place = change(database, 'INSERT OR IGNORE INTO term (owner, term, holder) VALUES (?, ?, ?)');
  const remove = change(database, 'DELETE FROM freshTerm WHERE holder = ?');
  let pass: Pass | undefined;
  const goOn = (under: Pass): void => {
    for (const { owner, term, holder } of under.left.slice(0, atOnce)) place(owner, term, holder);
    under.left = under.left.slice(atOnce);
    if (under.left.length > 0) return;
    // A run that got more meanwhile comes again with the next ones.
    for (const run of under.runs) if (terms.one(run.holder)?.terms === run.terms) remove(run.holder);
    pass = undefined;
  };
  return {
    note(owner, holder) {
      insert(holder, owner);
      if (!pass && (count.one()?.count ?? 0) >= placedTogether) {
        const runs = all.all();
        pass = { runs, left: postingsOf(runs) };
      }
      if (pass) goOn(pass);
    },
    drop(holder) {
      remove(holder);
      if (pass) pass.left = pass.left.filter((posting) => posting.holder !== holder);
    },
    forget: () => (pass = undefined),
  };
}

function postingsOf(runs: readonly Fresh[]): readonly Posting[] {
  return runs
    .flatMap(({ owner, holder, terms }) => terms.split(separator).map((term) => ({ owner, term, holder })))
    .toSorted((a, b) => order(a.owner, b.owner) || order(a.term, b.term) || a.holder - b.holder);
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
