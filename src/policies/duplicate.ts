import { callHistory, type CallHistory } from '../run/call-history.ts';
import type { Call } from '../run/events.ts';
import type { Step } from '../run/tree.ts';
import type { EarlierOutcome, Policy, Verdict } from './policy.ts';

/** After this many duplicates a model gets no tools any more. */
const patience = 3;

/**
 * The same call is not run twice in a run: an earlier outcome is used again. What was read is read again once something
 * was written since, and what failed is tried once more.
 */
export const duplicate: Policy = ({ tree, earlier }, { call, requested, repeatable }) => {
  if (!call) return { verdict: 'allow' };
  const history = callHistory(tree);
  if (requested && history.duplicates >= patience) return disabled(call);
  if (repeatable) return { verdict: 'allow' };
  const first = history.running(call.signature) ?? answering(history, call);
  if (first) return reuse(call, first);
  const isRemembered = earlier !== undefined && call.effect === 'pure' && history.lastWrite === 0;
  return isRemembered ? recall(call, earlier) : { verdict: 'allow' };
};

/** The step whose outcome answers this call. */
function answering(history: CallHistory, call: Call): Step | undefined {
  const { firstCompleted, lastCompleted, failed, rejected } = history.past(call.signature);
  if (rejected) return rejected;
  if (call.effect === 'pure') {
    // What overlaps with something being written may have been read too early.
    const isFresh = ({ openedSeq = 0 }: Step): boolean => history.lastWrite < openedSeq;
    if (lastCompleted && isFresh(lastCompleted)) return lastCompleted;
    return failed.length === 2 && failed.every(isFresh) ? failed[1] : undefined;
  }
  const lastFailed = failed.at(-1);
  if (firstCompleted || !lastFailed) return firstCompleted;
  return failed.length === 2 || isDoubtful(call, lastFailed) ? lastFailed : undefined;
}

/** Nobody knows whether it happened: it ran out of time, or broke without saying what it had done. */
function isDoubtful({ effect }: Call, { failure }: Step): boolean {
  return effect === 'once' && (failure?.code === 'timed-out' || failure?.code === 'internal');
}

function reuse({ tool }: Call, { id, failure }: Step): Verdict {
  const outcome = failure
    ? `it is not tried again, since it ended so: ${failure.message}`
    : 'its outcome is used again.';
  const reason = `«${tool}» was called with the same arguments before; ${outcome}`;
  return { verdict: 'reuse', step: id, code: 'DUPLICATE_BLOCKED', reason };
}

function recall({ tool }: Call, { run }: EarlierOutcome): Verdict {
  const reason = `«${tool}» was called with the same arguments in ${run}, earlier in this conversation; its outcome is used again.`;
  return { verdict: 'reuse', code: 'OUTCOME_REMEMBERED', reason };
}

function disabled({ tool }: Call): Verdict {
  return {
    verdict: 'refuse',
    code: 'TOOLS_DISABLED',
    reason: `«${tool}» was not run: after ${patience} duplicate calls this run has no tools any more.`,
  };
}
