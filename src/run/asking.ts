import { shownQuestion } from './shown-question.ts';
import type { EventOf } from './events.ts';

type Asked = Omit<EventOf<'approval.requested'>, 'type'>;

/** A question to a person with all that its words stand for, every character of it to be seen. */
export function asking(approval: Asked): string {
  const { title, message } = approval;
  const shown = shownQuestion({ ...approval, type: 'approval.requested' });
  const { arguments: given, exchange, attachments = [], history } = shown;
  const refers = exchange && `It refers to «${exchange.asked}», answered «${exchange.answered}».`;
  const lines = [title, message, refers, history, given, ...attachments];
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

/** The same for those who can answer with words alone. */
export function askingWords(approval: Asked): string {
  const { fingerprint } = approval;
  return `${asking(approval)}\nAnswer «approve ${fingerprint}» or «reject ${fingerprint}».`;
}

/** A decision in words, with the fingerprint of what was shown. */
export interface WordsDecision {
  readonly decision: 'approve' | 'reject';
  readonly fingerprint: string;
}

export function decisionInWords(text: string): WordsDecision | undefined {
  const [, word = '', fingerprint] = /^\s*(approve|reject)\s+(\S+)\s*$/i.exec(text) ?? [];
  if (fingerprint === undefined) return undefined;
  return { decision: word.toLowerCase() === 'approve' ? 'approve' : 'reject', fingerprint };
}
