import type { Policy, Verdict, EarlierOutcome } from './policy.ts';
import { millisecondsLeft, type Step } from '../run/tree.ts';
import { callHistory, type CallHistory } from '../run/call-history.ts';
import type { Call } from '../run/events.ts';
import { type Source, untrustedIn } from '../run/untrusted.ts';

/**
 * One budget for the whole tree, read from the journal, so that it also holds after a recovery. One turn is kept back
 * for the answer.
 */
export const budget: Policy = ({ tree, now, full }, { kind, parent, answers, tokens = 0 }) => {
  const { limits, spent } = tree;
  const depth = (tree.steps.get(parent)?.depth ?? 0) + 1;
  if (depth > limits.depth)
    return exhausted(`This would be ${depth} levels deep; ${limits.depth} are allowed.`);
  if (kind === 'call') {
    if (spent.calls >= limits.calls) return exhausted(`The run has used up its ${limits.calls} tool calls.`);
  } else if (spent.turns >= limits.turns - (answers ? 0 : 1)) {
    return exhausted(`The run has used up its ${limits.turns} model turns.`);
  }
  if (answers) return { verdict: 'allow' };
  const left = limits.tokens - spent.tokens;
  if (left <= 0) return exhausted(`The run has used up its ${limits.tokens} tokens.`);
  if (tokens > left)
    return exhausted(
      `This turn would send about ${tokens} tokens, and ${left} are left of the ${limits.tokens} that this run may use (its limit «tokens»).`,
    );
  if (millisecondsLeft(tree, now) <= 0)
    return exhausted(`The run has used up its ${limits.seconds} seconds.`);
  if (full !== undefined) return exhausted(full);
  return { verdict: 'allow' };
};

function exhausted(reason: string): Verdict {
  return { verdict: 'refuse', code: 'BUDGET_EXHAUSTED', reason };
}

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

/** A person must agree where the tool or agent says so. */
export const approval: Policy = (_, { mustAsk, call, caution, attachments = 0 }) => {
  if (!mustAsk) return { verdict: 'allow' };
  const reason = call
    ? `«${call.tool}» runs with exactly these arguments once you agree.`
    : `Exactly this message is sent once you agree${withIt(attachments)}.`;
  return { verdict: 'ask', reason: caution === undefined ? reason : `${caution}\n${reason}` };
};

/** What hangs on a message goes with it, whatever a person makes of its words. */
function withIt(attachments: number): string {
  if (attachments === 0) return '';
  const [them, they] =
    attachments === 1 ? ['its attachment', 'it'] : [`its ${attachments} attachments`, 'them'];
  return `, with ${them}; an edit changes the words and keeps ${they}`;
}

const named = 3;

/**
 * What others wrote may tell a model to send away what it knows. So once such a thing is in the run, or in the
 * conversation it belongs to, nothing leaves by a call or a turn that sends without a person who sees exactly what.
 * Agents are who the work is for: what they say, and what a person hangs on a message, is meant for them.
 */
export const taint: Policy = ({ tree, inherited = [] }, { sends, call, attachments = 0 }) => {
  if (!sends) return { verdict: 'allow' };
  const counts = ({ by }: Source): boolean => call !== undefined || by === 'tool';
  const sources = [...untrustedIn(tree), ...inherited].filter(counts);
  if (sources.length === 0) return { verdict: 'allow' };
  const what = call ? `«${call.tool}» can carry data away` : 'This message leaves for another agent';
  const reason = `${what}, and others wrote what was read before: ${list(sources)}. Agree only if exactly this may be sent${withIt(attachments)}.`;
  return { verdict: 'ask', reason };
};

/** The newest ones: they are what it is most likely to follow. */
function list(sources: readonly Source[]): string {
  const newest = sources
    .slice(-named)
    .map(({ what, run }) => (run === undefined ? what : `${what} in ${run}`));
  const more = sources.length - newest.length;
  return newest.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
