import { damageOf } from '../../front/good-chunks.ts';
import { undecidedApprovals, type Approval } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { entryAt, type Reading } from './run-edges.ts';

/** Whether the index knows which questions of a run wait. An older version kept none, and some lapse with their step. */
export function isKnown({ approvals, facts: { open = [] } }: RunRow): boolean {
  return approvals === open.length;
}

/** What a run asks people, oldest first: of its journal only the entries that asked are read, where the index knows them. */
export async function openQuestions(
  context: Reading & Pick<ServerContext, 'trees'>,
  row: RunRow,
): Promise<readonly Approval[]> {
  if (!isKnown(row)) {
    const tree = await context.trees.of(row);
    // What was asked may have been answered where nobody can read it any more.
    return damageOf(row, tree) ? [] : undecidedApprovals(tree);
  }
  const open = row.damaged === null ? (row.facts.open ?? []) : [];
  const asked: Approval[] = [];
  for (const { seq, deferredBy: by } of open) {
    const { event, at: requestedAt = 0 } = (await entryAt(context, { run: row.run, seq })) ?? {};
    if (event?.type !== 'approval.requested') continue;
    const { type: _, ...details } = event;
    asked.push({ ...details, requestedAt, deferred: by === undefined ? undefined : { by } });
  }
  return asked;
}
