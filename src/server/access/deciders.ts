import { decidersOf, isForAnother } from '../../run/deciders.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { mayAct, type Caller } from './honest.ts';

/** Fails with `refused` unless somebody may decide a question of a run. */
export async function expectDecider(
  context: ServerContext,
  { who, role, isOwner = false }: Caller,
  { row, question }: { readonly row: RunRow; readonly question: string },
): Promise<void> {
  const { started, approvals } = await context.trees.of(row);
  const approval = approvals.get(question);
  const deciders = decidersOf(started, approval);
  if (deciders === 'second-person' && !context.door.isLocked && !isOwner)
    throw new RunError(
      'refused',
      `App «${row.app}» wants a second person to decide, and nobody can be told apart here: start the server with --private or auth.required, and give each person a key («vitrine keys create»).`,
    );
  if (isForAnother(started, approval, who))
    throw new RunError(
      'refused',
      `«${who}» started this run, and a second person has to decide, as app «${row.app}» wants: ask somebody else with the role «approver».`,
    );
  if (mayAct(role, 'approver')) return;
  if (deciders !== undefined)
    throw new RunError('refused', `App «${row.app}» wants somebody with the role «approver» to decide.`);
  if (started?.who === who) return;
  throw new RunError(
    'refused',
    `«${started?.who ?? ''}» started this run: they decide, or somebody with the role «approver».`,
  );
}
