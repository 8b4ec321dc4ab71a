import { redacted } from '../../guards/guard.ts';
import type { Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { redactedCode } from './hold-back.ts';

const messages = {
  arguments: ({ title }: Step) =>
    `The arguments held a secret; «${title}» runs with «${redacted}» in its place.`,
  result: ({ title }: Step) => `What «${title}» gave held a secret; «${redacted}» stands in its place.`,
};

/** Whoever wonders where «[redacted]» comes from can read it at the step. */
export function tellRedacted(execution: Execution, step: Step, what: keyof typeof messages): void {
  const message = messages[what](step);
  if (step.notices.some((told) => told.code === redactedCode && told.message === message)) return;
  execution.emit({ type: 'notice.posted', step: step.id, code: redactedCode, message });
}

/** What a step gave, as it may be recorded. */
export function cleanResult<T>(execution: Execution, step: Step, given: T): T {
  const result = execution.world.secrets.cleanAll(given);
  if (result !== given) tellRedacted(execution, step, 'result');
  return result;
}
