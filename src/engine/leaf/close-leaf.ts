import { isOpen, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { keepLarge } from '../record/large.ts';
import type { LeafOutcome } from './leaf.ts';
import { cleanResult } from '../record/tell-redacted.ts';

/** Record how an effect came out. */
export function closeLeaf(execution: Execution, step: Step, outcome: LeafOutcome): Promise<void> {
  return execution.recording(async () => {
    const given = outcome.result;
    const clean = given !== undefined && isOpen(step) ? cleanResult(execution, step, given) : given;
    const result = clean === undefined ? {} : { result: await keepLarge(execution, clean) };
    if (isOpen(step)) execution.emit({ type: 'step.closed', step: step.id, ...outcome, ...result });
    else
      tellLate(execution, step, `«${step.title}» ended after it had been closed; its outcome is not used.`);
  });
}

/** What comes when nobody waits for it any more is shown all the same. */
export function tellLate(execution: Execution, step: Step, message: string): void {
  execution.emit({ type: 'notice.posted', step: step.id, code: 'LATE_RESULT', message });
}
