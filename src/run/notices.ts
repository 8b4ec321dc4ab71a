import type { EventOf, RunEvent, StepId } from './events.ts';
import { stepOf, touch, type RunTree } from './tree.ts';

/** A turn of one run waits until a person has decided about another. */
export const waitingForPerson = 'WAITING_FOR_PERSON';

/** Show a notice at its step, or at the run if there is no such step. */
export function post(tree: RunTree, id: StepId, { code, message }: { code: string; message: string }): void {
  const step = tree.steps.get(id) ?? stepOf(tree, 0);
  const notice = { seq: tree.seq, step: step.id, code, message };
  tree.notices.push(notice);
  step.notices.push(notice);
  touch(step);
}

/** What a later version wrote is shown, as far as this one can. */
export function unknownNotice({ kind }: EventOf<'unknown'>): { code: string; message: string } {
  return { code: 'UNKNOWN_EVENT', message: `This version does not know the event «${kind}».` };
}

/** What does not fit is shown, never dropped. */
export function refuse(tree: RunTree, event: RunEvent, why: string): void {
  post(tree, 'step' in event ? event.step : 0, { code: 'OUT_OF_PLACE', message: `${event.type} ${why}.` });
}
