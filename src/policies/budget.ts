import { limitsOf, millisecondsLeft } from '../run/limits.ts';
import type { Policy, Verdict } from './policy.ts';

/**
 * One budget for the whole tree, read from the journal, so that it also holds after a recovery. One turn is kept back
 * for the answer.
 */
export const budget: Policy = ({ tree, now, full }, { kind, parent, answers, tokens = 0 }) => {
  const limits = limitsOf(tree);
  const { spent } = tree;
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
