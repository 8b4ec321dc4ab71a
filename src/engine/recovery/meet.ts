import type { Call, StepId } from '../../run/events.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { isSkipped, reachedAt } from './recorded.ts';

export interface Place {
  readonly parent: StepId;
  readonly key: string;
  readonly kind: string;
  readonly agent?: string | undefined;
  readonly call?: Call | undefined;
  /** Keys of siblings that are come to in any order. */
  readonly among?: ReadonlySet<string> | undefined;
}

const shownLength = 200;

/**
 * The step an earlier worker recorded at this place, if any. A flow that comes to a place with other work, or to a new
 * place while recorded ones are still ahead, is not the flow that was recorded.
 */
export function meet(execution: Execution, place: Place): Step | undefined | Promise<never> {
  const { recorded } = execution;
  if (execution.deadlines.hasCut(place.parent)) return forever();
  const known = recorded.child(place.parent, place.key);
  if (!known || known.status === 'pending') {
    const ahead = recorded.ahead(place.parent, place.among);
    if (ahead) return execution.diverge(`The flow opens «${place.key}» where «${ahead.key}» was recorded.`);
    return undefined;
  }
  recorded.visit(known);
  const why = differenceOf(execution, known, place);
  return why === undefined ? known : execution.diverge(why);
}

/** A scope that returns while recorded steps are still ahead has changed since. */
export function leave(execution: Execution, scope: StepId): Promise<never> | undefined {
  if (execution.deadlines.hasCut(scope)) return forever();
  const ahead = execution.recorded.ahead(scope);
  if (!ahead) return undefined;
  return execution.diverge(`The flow no longer comes to «${ahead.key}», which was recorded.`);
}

function differenceOf({ recorded }: Execution, known: Step, place: Place): string | undefined {
  if (known.kind !== place.kind)
    return `«${place.key}» is a ${place.kind} now, but was recorded as a ${known.kind}.`;
  if (isSkipped(known)) return `The flow comes to «${place.key}», which was skipped when it was recorded.`;
  const before = recorded.opening(known.id);
  if (before && identityOf(before) !== identityOf(place))
    return `«${place.key}» is ${shown(place)} now, but was recorded as ${shown(before)}.`;
  // What is recalled does no harm; what would go on from here must not, without what came before it.
  const left = recorded.ahead(place.parent, place.among);
  if (left && isOpen(known) && reachedAt(left) < reachedAt(known))
    return `The flow comes to «${place.key}» without «${left.key}», which was recorded before it.`;
  return undefined;
}

type Work = Pick<Place, 'agent' | 'call'>;

/** What makes it the same work: the signature of a call, the agent of a turn. */
function identityOf({ call, agent }: Work): string {
  return call?.signature ?? agent ?? '';
}

function shown({ call, agent = 'nobody' }: Work): string {
  return call ? `${call.tool} ${JSON.stringify(call.arguments)}`.slice(0, shownLength) : agent;
}
