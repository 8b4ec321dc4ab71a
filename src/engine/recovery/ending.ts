import type { EventOf, RunEvent } from '../../run/events.ts';
import { sentenceOf, type Failure } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import { isOpen, type RunTree, type Step } from '../../run/tree.ts';

/** Whoever asked gets an answer also when the work could not be done. */
export function apology(failure: Failure): string {
  return `I could not finish this. ${sentenceOf(failure)}`;
}

/** What must be said before a run can end: every open step is closed, the deepest first. */
export function closings(tree: RunTree, outcome: EventOf<'run.ended'>['outcome']): RunEvent[] {
  const open = [...tree.open].map((id) => tree.steps.get(id)).filter((step) => step !== undefined);
  open.sort((a, b) => b.id - a.id);
  return open.flatMap((step) => closingOf(step, outcome === 'stopped' ? 'stopped' : 'abandoned'));
}

/** An effect that was cut off may have happened all the same: that is said, not hidden. */
export function closingOf(
  step: Step,
  outcome: 'stopped' | 'abandoned' | 'failed' | 'skipped',
  failure?: Failure,
): RunEvent[] {
  const closed: RunEvent = { type: 'step.closed', step: step.id, outcome, ...present({ failure }) };
  if (!isInDoubt(step)) return [closed];
  const what = step.call?.tool ?? step.agent ?? step.title;
  const message = `«${what}» was cut off; it may or may not have happened.`;
  return [{ type: 'notice.posted', step: step.id, code: 'IN_DOUBT', message }, closed];
}

function isInDoubt(step: Step): boolean {
  return isOpen(step) && step.started && (step.call?.effect ?? step.effect) === 'once';
}
