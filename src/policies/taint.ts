import { untrustedIn, type Source } from '../run/untrusted.ts';
import type { Policy } from './policy.ts';

const named = 3;

/**
 * What others wrote may tell a model to send away what it knows. So once such a thing is in the run, or in the
 * conversation it belongs to, nothing leaves by a call or a turn that sends without a person who sees exactly what. An
 * agent may be told again what is known of its own words alone: otherwise nobody could talk to one twice.
 */
export const taint: Policy = ({ tree, inherited = [] }, { sends, agent, call }) => {
  if (!sends) return { verdict: 'allow' };
  const isOthers = (source: Source): boolean => agent === undefined || source.agent !== agent;
  const sources = [...untrustedIn(tree), ...inherited].filter(isOthers);
  if (sources.length === 0) return { verdict: 'allow' };
  const what = call ? `«${call.tool}» can carry data away` : 'This message leaves for another agent';
  const reason = `${what}, and others wrote what was read before: ${list(sources)}. Agree only if exactly this may be sent.`;
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
