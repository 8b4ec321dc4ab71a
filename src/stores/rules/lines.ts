import { failureOf } from '../../run/failure.ts';
import { heldBy, makeReady, type Desk } from './desk.ts';
import type { Fence, RunRow } from '../store.ts';
import type { Needs } from './needs.ts';
import type { Place } from './tables.ts';

export interface Wish {
  readonly fence: Fence;
  readonly name: string;
}

export function hold(desk: Desk, { fence, name }: Wish): boolean {
  const { run, tenant } = heldBy(desk, fence);
  if (!desk.tables.place(run, name)) desk.tables.addPlace({ tenant, name, run, told: false });
  const first = desk.tables.firstInLine(tenant, name);
  if (first?.run !== run) return false;
  if (!first.told) desk.tables.tellPlace(first);
  return true;
}

export function holdNeeds({ fence: { run }, name }: Wish): Needs {
  return { runs: [run], stands: [{ run, name }] };
}

export function letGo(desk: Desk, { fence, name }: Wish): void {
  const { run } = heldBy(desk, fence);
  const place = desk.tables.place(run, name);
  if (place) leave(desk, place);
}

export function letGoNeeds({ fence: { run }, name }: Wish): Needs {
  return { runs: [run], leaves: [{ run, name }] };
}

/** Where a run stands in line does not outlive it. */
export function leaveAll(desk: Desk, run: string): void {
  for (const place of desk.tables.places(run)) leave(desk, place);
}

/** A paused run would keep everyone behind it waiting; resumed, it stands in line anew. */
export function stepBack(desk: Desk, run: string, begun: readonly string[]): void {
  for (const place of desk.tables.places(run)) if (!begun.includes(place.name)) leave(desk, place);
}

/**
 * Whether the run's turn came somewhere without it knowing. Without this a run that is parked just as its turn comes
 * would sleep for ever at the head of the line, with everyone else behind it.
 */
export function hearsOfItsTurn({ tables }: Desk, run: string): boolean {
  const news = tables
    .places(run)
    .filter((place) => !place.told && tables.firstInLine(place.tenant, place.name)?.run === run);
  for (const place of news) tables.tellPlace(place);
  return news.length > 0;
}

function leave(desk: Desk, place: Place): void {
  const wasFirst = desk.tables.firstInLine(place.tenant, place.name)?.run === place.run;
  desk.tables.removePlace(place);
  const next = wasFirst ? desk.tables.firstInLine(place.tenant, place.name) : undefined;
  if (!next) return;
  desk.hints.push({ type: 'freed', run: next.run });
  const row = believable(desk, next.run);
  // One that nobody goes on with must not keep those behind it.
  if (!row || row.state === 'ended') leave(desk, next);
  else if (row.state === 'waiting') makeReady(desk, row);
}

function believable({ tables }: Desk, run: string): RunRow | undefined {
  try {
    return tables.run(run);
  } catch (thrown) {
    if (failureOf(thrown).code !== 'damaged') throw thrown;
    return undefined;
  }
}
