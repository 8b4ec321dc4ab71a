import type { Command } from '../../run/commands.ts';
import type { Approval } from '../../run/tree.ts';
import { isBlobRef, type Json } from '../../run/values.ts';
import { misfitOf } from '../call/arguments.ts';
import type { Execution } from '../execution.ts';
import { misfit } from '../../schema/misfit.ts';

type Decide = Extract<Command, { type: 'decide' }>;

/** Why what a person gave cannot be used, so that they can correct it: nothing has been decided then. */
export function misfitOfDecision(
  execution: Execution,
  approval: Approval,
  command: Decide,
): string | undefined {
  if (command.decision === 'edit')
    return command.answer === undefined
      ? misfitOfEdit(execution, approval, command.arguments)
      : misfitOfRedo(approval, command.answer);
  if (command.decision !== 'approve') return undefined;
  if (approval.schema === undefined) return misfitOfAnswer(execution, approval, command.answer);
  if (command.answer === undefined) return misfitOfShown(approval.schema, approval);
  const errors = misfit(approval.schema, command.answer);
  return errors === undefined ? undefined : `The answer does not fit: ${errors}.`;
}

/** Without an answer, what is shown is agreed to as it is: it may be all that was to be filled in. */
function misfitOfShown(schema: Json, { arguments: shown, allowed }: Approval): string | undefined {
  const isShown = shown !== undefined && shown !== null && !isBlobRef(shown);
  if (isShown && misfit(schema, shown) === undefined) return undefined;
  const edit = isShown && allowed.includes('edit') ? ', or «edit» what is shown' : '';
  return `To approve this, give an «answer» that fits its schema${edit}.`;
}

/** Whether something may begin is no question that can be filled in. */
function misfitOfAnswer(
  { tree }: Execution,
  { step }: Approval,
  answer: Json | undefined,
): string | undefined {
  const { kind, started } = tree.steps.get(step) ?? {};
  const isLeaf = kind === 'turn' || kind === 'call';
  if (answer === undefined || !isLeaf || started) return undefined;
  return 'This question takes no «answer»: approve it, or «edit» what shall run.';
}

/** To have something done again is no edit of what was shown: what comes with it is for those who do it. */
function misfitOfRedo({ redo = [] }: Approval, answer: Json): string | undefined {
  const name: unknown = Reflect.get(Object(answer), 'redo');
  if (typeof name === 'string' && redo.includes(name)) return undefined;
  return redo.length === 0
    ? 'Nothing can be done again here: give the edited «arguments» without an «answer».'
    : `The «answer» of an edit says what to do again, as {"redo": "${redo[0]}"}; there is: ${redo.join(', ')}.`;
}

function misfitOfEdit(
  { tree, world }: Execution,
  approval: Approval,
  edited: Json | undefined,
): string | undefined {
  if (edited === undefined) return 'An edit needs «arguments»: what shall run instead.';
  const step = tree.steps.get(approval.step);
  if (step?.kind === 'turn' && typeof edited !== 'string')
    return 'The «arguments» of an edited message must be a text: what shall be sent instead.';
  if (step?.call === undefined && approval.editSchema !== undefined) {
    const errors = misfit(approval.editSchema, edited);
    if (errors !== undefined) return `The edited «arguments» do not fit: ${errors}.`;
  }
  const tool = world.catalog.tools.find(({ name }) => name === step?.call?.tool);
  return tool && misfitOf(tool, edited)?.message;
}
