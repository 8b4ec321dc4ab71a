import type { Policy } from './policy.ts';

/** A person must agree where the tool or agent says so. */
export const approval: Policy = (_, { mustAsk, call, caution }) => {
  if (!mustAsk) return { verdict: 'allow' };
  const reason = call
    ? `«${call.tool}» runs with exactly these arguments once you agree.`
    : 'Exactly this message is sent once you agree.';
  return { verdict: 'ask', reason: caution === undefined ? reason : `${caution}\n${reason}` };
};
