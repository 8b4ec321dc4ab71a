import { addFacts } from '../../run/facts.ts';
import { RunError } from '../../run/failure.ts';
import { put, putNeeds } from './blobs.ts';
import { expectHead, heldBy, runOf, showRun, type Desk } from './desk.ts';
import { leaveAll } from './lines.ts';
import type { Needs } from './needs.ts';
import type { Append, Chunk, RunRow } from '../store.ts';

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
  const { fence, head, last, frames, summary, uses = [], blobs = [], ends, indexed } = given;
  const row = heldBy(desk, fence);
  expectHead(row, head);
  if (last < head || (last === head) !== (frames === '')) {
    throw new RunError(
      'malformed',
      `An append to ${fence.run} goes from ${head} to ${last} with ${frames.length} characters.`,
    );
  }
  for (const use of uses) expectUnused(desk, fence.run, use.command);
  if (blobs.some(({ tenant }) => tenant !== row.tenant))
    throw new RunError('malformed', `A text that was to be kept for ${fence.run} is of another tenant.`);
  for (const { text } of blobs) put(desk, { owner: row, text });
  if (last > head) desk.tables.addChunk({ run: fence.run, first: head + 1, last, frames }, desk.now);
  for (const use of uses) desk.tables.useCommand(fence.run, use.command, use.seq);
  if (indexed) desk.tables.addTerms(fence.run, indexed.terms);
  const grown = runOf(desk, fence.run);
  const facts = indexed ? addFacts(row.facts, indexed) : row.facts;
  if (ends) {
    end(desk, { ...grown, ...summary, facts });
  } else if (
    summary.status !== row.status ||
    summary.approvals !== row.approvals ||
    // What the row has already changes nothing: a tool that is used again costs no row.
    facts !== row.facts
  ) {
    showRun(desk, { ...grown, ...summary, facts, updatedAt: desk.now });
  }
}

export function appendNeeds({ fence: { run }, uses = [], blobs = [], ends }: Append): Needs {
  return {
    runs: [run],
    ...(ends ? endNeeds(run) : {}),
    commands: uses.map(({ command }) => ({ run, id: command })),
    blobs: blobs.flatMap(({ tenant, text }) => putNeeds({ owner: { tenant, run }, text }).blobs ?? []),
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
