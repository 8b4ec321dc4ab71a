import type { Call, StepId } from '../run/events.ts';
import type { Step } from '../run/tree.ts';
import type { Execution } from './execution.ts';

export interface Place {
  readonly parent: StepId;
  readonly key: string;
  readonly kind: string;
  /** What makes it the same work: the signature of a call, the agent of a turn. */
  readonly identity: string;
  /** The same in words, where the identity is not readable. */
  readonly shown?: string;
}

/**
 * The step an earlier worker recorded at this place, if any. A flow that comes to a place with other work, or to a new
 * place while recorded ones are still ahead, is not the flow that was recorded.
 */
export function meet(execution: Execution, place: Place): Step | undefined | Promise<never> {
  const { recorded } = execution;
  const known = recorded.child(place.parent, place.key);
  if (!known || known.status === 'pending') {
    const ahead = recorded.ahead(place.parent);
    if (ahead) return execution.diverge(`The flow opens «${place.key}» where «${ahead.key}» was recorded.`);
    return undefined;
  }
  recorded.visit(known);
  if (known.kind !== place.kind) {
    return execution.diverge(`«${place.key}» is a ${place.kind} now, but was recorded as a ${known.kind}.`);
  }
  const before = recorded.identity(known.id);
  if (before !== place.identity) {
    const now = place.shown ?? place.identity;
    const then = known.call ? shownCall(known.call) : before;
    return execution.diverge(`«${place.key}» is ${now} now, but was recorded as ${then}.`);
  }
  return known;
}

const shownLength = 200;

export function shownCall({ tool, arguments: input }: Call): string {
  return `${tool} ${JSON.stringify(input)}`.slice(0, shownLength);
}

/** A scope that returns while recorded steps are still ahead has changed since. */
export function leave(execution: Execution, scope: StepId): Promise<never> | undefined {
  const ahead = execution.recorded.ahead(scope);
  if (!ahead) return undefined;
  return execution.diverge(`The flow no longer comes to «${ahead.key}», which was recorded.`);
}
