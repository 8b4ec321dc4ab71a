import { untrustedIn, type Source } from '../run/untrusted.ts';
import { withIt } from './approval.ts';
import type { Policy } from './policy.ts';

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
