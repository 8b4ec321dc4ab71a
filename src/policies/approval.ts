import type { Policy } from './policy.ts';

/** A person must agree where the tool or agent says so. */
export const approval: Policy = (_, { mustAsk, call, caution, attachments = 0 }) => {
  if (!mustAsk) return { verdict: 'allow' };
  const reason = call
    ? `«${call.tool}» runs with exactly these arguments once you agree.`
    : `Exactly this message is sent once you agree${withIt(attachments)}.`;
  return { verdict: 'ask', reason: caution === undefined ? reason : `${caution}\n${reason}` };
};

/** What hangs on a message goes with it, whatever a person makes of its words. */
export function withIt(attachments: number): string {
  if (attachments === 0) return '';
  const [them, they] =
    attachments === 1 ? ['its attachment', 'it'] : [`its ${attachments} attachments`, 'them'];
  return `, with ${them}; an edit changes the words and keeps ${they}`;
}
