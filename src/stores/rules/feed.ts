import { RunError } from '../../run/failure.ts';
import { addFacts, noFacts, type Indexed } from '../../run/facts.ts';
import { showRun, runOf, type Desk } from './tables.ts';
import type { Needs } from './needs.ts';
import type { FeedPage, FeedPlace } from '../store.ts';

/** What one read gives at most. */
export const feedSize = 200;

export function feed({ tables }: Desk, from: FeedPlace): FeedPage {
  return tables.feed(from);
}

export function feedNeeds(feed: FeedPlace): Needs {
  return { feed };
}

/** What the journal of a run says of it takes the place of what was kept. */
export function reindex(
  desk: Desk,
  { run, indexed }: { readonly run: string; readonly indexed: Indexed },
): void {
  const row = runOf(desk, run);
  desk.tables.dropTerms(run);
  desk.tables.addTerms(run, indexed.terms);
  // Whoever follows the feed hears of what was lost, not that all is as it was.
  const facts = addFacts(noFacts, indexed);
  if (JSON.stringify(row.facts) !== JSON.stringify(facts)) showRun(desk, { ...row, facts });
}

export function reindexNeeds({ run }: { readonly run: string }): Needs {
  return { runs: [run] };
}

/** A place as a number, where places are numbers; the beginning where none is said. */
export function placeNumber(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw noPlace(after);
}

/** Nothing has changed there yet: whoever waited for what comes after it would miss what comes before. */
export function expectPast(place: number, last: number, after: string | undefined): void {
  if (place > last) throw noPlace(after ?? '');
}

export function noPlace(after: string): RunError {
  const message = `«${after.slice(0, 100)}» is no place in this feed: begin without one.`;
  return new RunError('rejected', message);
}
