import type { Limits } from '../run/values.ts';
import type { RunTree } from '../run/tree.ts';
import type { Policy, Verdict } from './policy.ts';

/** What a run may use up if nobody says otherwise. */
export const defaultLimits = { turns: 30, calls: 60, tokens: 1_000_000, depth: 12, seconds: 3_600 } as const;

/**
 * One budget for the whole tree, read from the journal, so that it also holds after a recovery. One turn is kept back
 * for the answer.
 */
export const budget: Policy = ({ tree, now }, { kind, parent, answers }) => {
  const limits = limitsOf(tree);
  const { spent } = tree;
  const seconds = (spent.milliseconds + Math.max(0, now - tree.at)) / 1_000;
  const depth = (tree.steps.get(parent)?.depth ?? 0) + 1;
  if (depth > limits.depth)
    return exhausted(`This would be ${depth} levels deep; ${limits.depth} are allowed.`);
  if (kind === 'call') {
    if (spent.calls >= limits.calls) return exhausted(`The run has used up its ${limits.calls} tool calls.`);
  } else if (spent.turns >= limits.turns - (answers ? 0 : 1)) {
    return exhausted(`The run has used up its ${limits.turns} model turns.`);
  }
  if (answers) return { verdict: 'allow' };
  if (spent.tokens >= limits.tokens) return exhausted(`The run has used up its ${limits.tokens} tokens.`);
  if (seconds >= limits.seconds) return exhausted(`The run has used up its ${limits.seconds} seconds.`);
  return { verdict: 'allow' };
};

export function limitsOf(tree: RunTree): { readonly [Name in keyof Limits]-?: number } {
  const { turns, calls, tokens, depth, seconds } = tree.started?.limits ?? {};
  return {
    turns: turns ?? defaultLimits.turns,
    calls: calls ?? defaultLimits.calls,
    tokens: tokens ?? defaultLimits.tokens,
    depth: depth ?? defaultLimits.depth,
    seconds: seconds ?? defaultLimits.seconds,
  };
}

function exhausted(reason: string): Verdict {
  return { verdict: 'refuse', code: 'BUDGET_EXHAUSTED', reason };
}
