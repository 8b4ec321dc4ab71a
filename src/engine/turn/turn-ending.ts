import type { Agent } from '../../catalog/agent.ts';
import { RunError } from '../../run/failure.ts';
import { textOf, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import type { TurnResult } from '../scope.ts';

type Finish = TurnResult['finish'];

const notices: Partial<Record<Finish, readonly [code: string, message: string]>> = {
  length: ['ANSWER_CUT_OFF', 'The answer was cut off by the length limit of its model: its end is missing.'],
  budget: ['ANSWER_CUT_OFF', 'The answer was cut off by the budget of the run: its end is missing.'],
  filter: ['ANSWER_FILTERED', 'The answer was ended by a content filter: something is missing.'],
};

/**
 * Tell of an answer that did not end by itself, or that lacks what it ended for: nobody is to take a part for the whole.
 * What a filter left nothing of has failed.
 */
export function tellEnding(
  execution: Execution,
  step: Step,
  { agent: { name, effect }, finish }: { readonly agent: Agent; readonly finish: Finish },
): void {
  const hasCalls = (step.requests?.size ?? 0) > 0;
  if (finish === 'filter' && textOf(step).trim() === '' && !hasCalls && step.items.length === 0) {
    const doubt = effect === 'pure' ? '' : ' It may have acted on the message all the same.';
    const message = `A content filter ended the answer of ${name} before it said anything.${doubt}`;
    throw new RunError('refused', message, { retryable: false });
  }
  const [code, message] =
    finish === 'calls' && !hasCalls
      ? ['CALLS_MISSING', 'The answer ended to ask for tools, and asked for none.']
      : (notices[finish] ?? []);
  if (code !== undefined && message !== undefined)
    execution.emit({ type: 'notice.posted', step: step.id, code, message });
}
