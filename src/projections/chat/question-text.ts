import { shownQuestion } from '../../run/shown-question.ts';
import type { EventOf } from '../../run/events.ts';
import { present } from '../../run/present.ts';
import { questionId } from '../../run/question-id.ts';
import { RunError } from '../../run/failure.ts';
import { visible } from '../../run/visible.ts';
import type { SentDecision, SentMessage } from '../door.ts';

type Requested = EventOf<'approval.requested'>;

/** A question that was asked and not decided, as a protocol without approvals names it. */
export interface ToldQuestion {
  /** With the fingerprint in it, for those who decide elsewhere. */
  readonly id: string;
  readonly fingerprint: string;
  readonly title: string;
  readonly text: string;
  /** What a program needs to put it to a person itself. */
  readonly asked: Pick<Requested, 'message' | 'arguments' | 'schema'>;
}

/** What is asked in words, and the words that answer it. */
export function toldQuestion(asked: Requested): ToldQuestion {
  const { title, message, fingerprint, allowed, schema } = asked;
  const id = questionId(asked);
  const { arguments: shown } = shownQuestion(asked);
  const lines = [`**${visible(title)}** waits for a decision.`];
  if (message !== undefined) lines.push(visible(message));
  if (shown !== undefined) lines.push(`\`\`\`\n${shown}\n\`\`\``);
  const words = (['approve', 'reject'] as const).filter((word) => allowed.includes(word));
  const isPlain = schema === undefined || schema === null;
  const ways =
    isPlain && words.length > 0 ? words.map((word) => `«${word} ${fingerprint}»`).join(' or ') : '';
  lines.push(ways === '' ? `It is answered at /api/approvals/${id}.` : `Answer ${ways}.`);
  const about = present({ message, arguments: asked.arguments, schema });
  return { id, fingerprint, title, text: lines.join('\n\n'), asked: about };
}

/** A question without its words, for programs. */
export function namedQuestion({
  id,
  fingerprint,
  title,
}: ToldQuestion): Omit<ToldQuestion, 'text' | 'asked'> {
  return { id, fingerprint, title };
}

/** Nothing but these words decides. */
const decision = /^\s*(approve|reject)\s+([0-9a-f]{32})\s*$/i;

/** What somebody decides by a message; undefined for every other message. */
export function decisionIn({ text, attachments = [] }: SentMessage): SentDecision | undefined {
  const [, word = '', fingerprint = ''] = decision.exec(text) ?? [];
  if (fingerprint === '') return undefined;
  if (attachments.length > 0)
    throw new RunError('malformed', 'A message that decides has nothing attached: send it in the next one.');
  return {
    question: fingerprint.toLowerCase(),
    decision: word.toLowerCase() === 'approve' ? 'approve' : 'reject',
  };
}
