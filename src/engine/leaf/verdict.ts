import type { Verdict } from '../../policies/policy.ts';

const strictness = { allow: 0, ask: 1, reuse: 2, refuse: 3, stop: 4 } as const;

/** The strictest verdict wins; of equals, the first. Who is asked for several reasons is told all of them. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  let winner: Verdict = { verdict: 'allow' };
  for (const verdict of verdicts) {
    if (strictness[verdict.verdict] > strictness[winner.verdict]) winner = verdict;
    else if (verdict.verdict === 'ask' && winner.verdict === 'ask')
      winner = { verdict: 'ask', reason: `${winner.reason}\n${verdict.reason}` };
  }
  return winner;
}
