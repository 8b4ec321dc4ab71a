import type { EventOf } from './events.ts';
import { questionId } from './question-id.ts';
import { shownQuestion } from './shown-question.ts';
import { visible } from './visible.ts';

type Asked = Omit<EventOf<'approval.requested'>, 'type'>;

/** Sets a text apart from the words around it, which are ours. */
type Quote = (text: string) => string;

/** A question to a person with all that its words stand for, every character of it to be seen. */
export function asking(question: Asked): string {
  return [visible(question.title), ...askedAbout(question)].join('\n');
}

/** What a question is about, below its title. */
export function askedAbout(question: Asked, quote: Quote = plainly): string[] {
  const { arguments: given = '' } = shown(question);
  return [...askedMessage(question), ...filledIn(given).map(quote), ...askedAlong(question, quote)];
}

/** The same for those who show what will run by themselves. */
export function askedBeside(question: Asked): string[] {
  return [...askedMessage(question), ...askedAlong(question, plainly)];
}

/** The same in one text, its title first. */
export function askedBriefly(question: Asked): string {
  return [visible(question.title), ...filledIn(askedBeside(question).join('\n'))].join(': ');
}

function filledIn(text: string): string[] {
  return text === '' ? [] : [text];
}

function askedMessage({ message = '' }: Asked): string[] {
  return filledIn(visible(message));
}

/** What is sent with it and what it refers to: whoever agrees to the words agrees to this too. */
function askedAlong(question: Asked, quote: Quote): string[] {
  const { exchange, attachments = [], history, forgotten } = shown(question);
  const labelled = [
    ['Sent before it:', history],
    ['Asked before:', exchange?.asked],
    ['Answered:', exchange?.answered],
    ['How that ended:', exchange?.outcome],
    ...attachments.map((attachment) => ['Sent with it:', attachment] as const),
  ] as const;
  const lines = labelled.flatMap(([label, text]) => (text === undefined ? [] : [`${label}\n${quote(text)}`]));
  return forgotten ? [...lines, 'The agent knows nothing of what was said before.'] : lines;
}

function shown(question: Asked): ReturnType<typeof shownQuestion> {
  return shownQuestion({ ...question, type: 'approval.requested' });
}

function plainly(text: string): string {
  return text;
}

/** A question for those who can answer with words alone, and the words that answer it. */
export function askingWords(question: Asked): string {
  const first = `**${visible(question.title)}** waits for a decision.`;
  return [first, ...askedAbout(question, fenced), waysToAnswer(question)].join('\n\n');
}

/** Nothing in the text can end its fence. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([found]) => found.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function waysToAnswer(question: Asked): string {
  const { allowed, schema, fingerprint } = question;
  const words = (['approve', 'reject'] as const).filter(
    (word) => allowed.includes(word) && (word === 'reject' || schema === undefined || schema === null),
  );
  const elsewhere = `at /api/approvals/${questionId(question)}`;
  if (words.length === 0) return `It is answered ${elsewhere}.`;
  const ways = words.map((word) => `«${word} ${fingerprint}»`).join(' or ');
  return words.includes('approve') ? `Answer ${ways}.` : `Answer ${ways}, or fill it in ${elsewhere}.`;
}

/** A decision in words, with the fingerprint of what was shown. */
export interface WordsDecision {
  readonly decision: 'approve' | 'reject';
  readonly fingerprint: string;
}

/** Nothing but these words decides. A part of a fingerprint is one that nobody knows, and no message. */
const deciding = /^\s*(approve|reject)\s+([0-9a-f]{8,64})\s*$/i;

/** What somebody decides by a message; undefined for every other message. */
export function decisionInWords(text: string): WordsDecision | undefined {
  const [, word = '', fingerprint] = deciding.exec(text) ?? [];
  if (fingerprint === undefined) return undefined;
  return {
    decision: word.toLowerCase() === 'approve' ? 'approve' : 'reject',
    fingerprint: fingerprint.toLowerCase(),
  };
}
