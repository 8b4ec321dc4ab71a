import { addFacts } from '../../run/facts.ts';
import { RunError, failureOf } from '../../run/failure.ts';
import { expectHead, heldBy, runOf, showRun, type Desk, type Place, makeReady } from './tables.ts';
import type { BlobKey, Needs } from './needs.ts';
import type { Append, BlobUsers, Chunk, RunRow, Fence } from '../store.ts';
import { blobName } from '../blob-name.ts';

/** What a follower needs. */
export interface Page {
  readonly chunks: readonly Chunk[];
  /** Nothing came after these chunks when they were read. */
  readonly isAll: boolean;
  /** Nothing comes after them, ever. */
  readonly ended: boolean;
}

/** Everything is checked before the first row changes: what is refused leaves no trace in a shared transaction. */
export function append(desk: Desk, given: Append): void {
  const { fence, head, last, frames, summary, uses, blobs, ends, indexed } = given;
  const row = heldBy(desk, fence);
  expectHead(row, head);
  if (last < head || (last === head) !== (frames === '')) {
    throw new RunError(
      'malformed',
      `An append to ${fence.run} goes from ${head} to ${last} with ${frames.length} characters.`,
    );
  }
  if (uses) for (const use of uses) expectUnused(desk, fence.run, use.command);
  if (blobs) putAll(desk, row, blobs);
  if (last > head) desk.tables.addChunk({ run: fence.run, first: head + 1, last, frames }, desk.now);
  if (uses) for (const use of uses) desk.tables.useCommand(fence.run, use.command, use.seq);
  if (indexed) desk.tables.addTerms(fence.run, indexed.terms);
  const facts = indexed ? addFacts(row.facts, indexed) : row.facts;
  // What the row has already changes nothing: a tool that is used again costs no row, nor does text.
  const isNews = summary.status !== row.status || summary.approvals !== row.approvals || facts !== row.facts;
  if (!ends && !isNews) return;
  const grown = { ...runOf(desk, fence.run), ...summary, facts };
  if (ends) end(desk, grown);
  else showRun(desk, { ...grown, updatedAt: desk.now });
}

function putAll(desk: Desk, row: RunRow, blobs: NonNullable<Append['blobs']>): void {
  if (blobs.some(({ tenant }) => tenant !== row.tenant))
    throw new RunError('malformed', `A text that was to be kept for ${row.run} is of another tenant.`);
  for (const { blob: name, text } of blobs) desk.tables.addBlob(row, name, text);
}

export function appendNeeds({ fence: { run }, uses = [], blobs = [], ends }: Append): Needs {
  return {
    runs: [run],
    ...(ends ? endNeeds(run) : {}),
    commands: uses.map(({ command }) => ({ run, id: command })),
    blobs: blobs.map(({ tenant, blob: name }) => ({ tenant, run, blob: name })),
  };
}

export function read(desk: Desk, { run, after }: { readonly run: string; readonly after: number }): Page {
  const { state, head } = runOf(desk, run);
  const chunks = desk.tables.chunksAfter(run, after);
  const isAll = (chunks.at(-1)?.last ?? after) >= head;
  return { chunks, isAll, ended: isAll && state === 'ended' };
}

export function readNeeds(from: { readonly run: string; readonly after: number }): Needs {
  return { runs: [from.run], chunks: [from] };
}

function expectUnused({ tables }: Desk, run: string, id: string): void {
  const command = tables.command(run, id);
  if (!command) throw new RunError('unknown', `Run ${run} has no command ${id} to use.`);
  if (command.used !== null)
    throw new RunError('rejected', `Command ${id} of run ${run} already became entry ${command.used}.`);
}

/** A command that the end overtook is answered by the end: nobody waits for it any more. */
export function end(desk: Desk, row: RunRow): void {
  for (const { id } of desk.tables.pending(row.run)) desk.tables.useCommand(row.run, id, row.head);
  showRun(desk, {
    ...row,
    state: 'ended',
    worker: null,
    leaseUntil: 0,
    wakeAt: null,
    updatedAt: desk.now,
  });
  leaveAll(desk, row.run);
}

export function endNeeds(run: string): Needs {
  return { runs: [run], pending: [run], leaves: [{ run }] };
}

export interface NewBlob {
  readonly owner: { readonly tenant: string; readonly run: string };
  readonly text: string;
}

/** A run's input is put before the run is created, so the owner need not exist yet. */
export function put(
  { tables }: Desk,
  { owner, text }: NewBlob,
): { readonly blob: string; readonly size: number } {
  // Half a surrogate pair has no UTF-8 bytes: it would come back from disk as another text than the hash was made of.
  const whole = text.toWellFormed();
  const blob = blobName(whole);
  tables.addBlob(owner, blob, whole);
  return { blob, size: Buffer.byteLength(whole, 'utf8') };
}

export function putNeeds({ owner, text }: NewBlob): Needs {
  return { blobs: [{ ...owner, blob: blobName(text) }] };
}

export function blob(
  { tables }: Desk,
  wanted: { readonly tenant: string; readonly blob: string },
): string | undefined {
  return tables.blob(wanted.tenant, wanted.blob);
}

export function blobNeeds(text: { readonly tenant: string; readonly blob: string }): Needs {
  return { text };
}

export function blobUsers({ tables }: Desk, { tenant, blob: name }: BlobKey): BlobUsers {
  return tables.blobUsers(tenant, name);
}

export function blobUsersNeeds(users: BlobKey): Needs {
  return { users };
}

export function held({ tables }: Desk, tenant: string): number {
  return tables.held(tenant);
}

export function heldNeeds(held: string): Needs {
  return { held };
}

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
