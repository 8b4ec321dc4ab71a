import type { EventOf } from './events.ts';
import { lineBelow, linesBelow, type Unfinished } from './unfinished.ts';
import { beginningOf, isBlobRef, type BlobRef } from './values.ts';

/**
 * The answer of a run as one text, for protocols that show one and cannot take any of it back. Which steps say it is known when
 * they open; whether it is all is known when the run ends. Plain data, changed in place.
 */
export interface AnswerText {
  /** The step that says it now, in which attempt; one after the other. */
  step: string;
  /** How long what it said is, and what it reads like. */
  length: number;
  hash: number;
}

export function noText(): AnswerText {
  return { step: '', length: 0, hash: 0 };
}

/** Ends a text that a retry takes back, where nothing can be taken back. */
export const supersededLine = '\n\n[This was left off here and does not count.]';

/** Said after text that a retry takes back, where nothing can be taken back and what is said again follows. */
export const superseded = `${supersededLine}\n\n`;
const apart = '\n\n';

/**
 * Whether what a step says is the answer: the run itself, its steps of kind `answer`, and turns that are directly in either.
 * What agents, routers and tools say is told with their steps.
 */
export function saysAnswer(
  { kind }: Pick<EventOf<'step.opened'>, 'kind'>,
  above: { readonly says: boolean; readonly kind: string } | undefined,
): boolean {
  if (above === undefined) return true;
  if (!above.says || above.kind === 'turn') return false;
  return kind === 'answer' || kind === 'turn';
}

/** What is told of a piece of the answer: what another step says stands apart from what was said before. */
export function toldPiece(told: AnswerText, step: string, piece: string): string {
  if (piece === '') return '';
  const isOther = told.step !== step;
  const before = isOther && told.length > 0 ? apart : '';
  if (isOther) Object.assign(told, { step, length: 0, hash: 0 });
  told.hash = hashOn(told.hash, piece);
  told.length += piece.length;
  return before + piece;
}

/** A step is tried again: what it said so far does not count. Empty where it had said nothing. */
export function takenBack(told: AnswerText, step: string): string {
  if (told.step !== step || told.length === 0) return '';
  Object.assign(told, noText());
  return superseded;
}

/**
 * What is missing of the answer at the end of the run; what was said last may be all of it. One that is kept beside the journal is
 * taken for what was said, with the line that stands below it where that did not end by itself.
 */
export function toldRest(told: AnswerText, answer: EventOf<'run.ended'>['answer'], how?: Unfinished): string {
  const whole = wholeAnswer(answer);
  if (whole === '') return '';
  if (isBlobRef(answer) && told.length > 0) return how ? lineBelow(how) : '';
  return isGoneOn(told, answer) ? whole.slice(told.length) : apart + whole;
}

/** Whether the answer is what was said last, or begins with it; one that is kept beside the journal is taken for that. */
export function isGoneOn({ length, hash }: AnswerText, answer: EventOf<'run.ended'>['answer']): boolean {
  if (isBlobRef(answer)) return true;
  const whole = answer ?? '';
  return length <= whole.length && hashOn(0, whole.slice(0, length)) === hash;
}

/**
 * The answer as one text, by those who know what was said last: of one that is kept beside the journal that is its beginning, and
 * mostly all of it.
 */
export function answerAsSaid(answer: EventOf<'run.ended'>['answer'], said: string): string {
  if (!isBlobRef(answer) || !isBeginningOf(said, answer)) return wholeAnswer(answer);
  return `${said}${unsaid(said, answer) ?? whereRest(answer)}`;
}

/**
 * What is missing after a text to be as long as what is kept beside the journal, which is JSON: nothing, or the line below an
 * answer that did not end by itself. Undefined where it is something else.
 */
export function unsaid(said: string, { size }: BlobRef): string | undefined {
  const missing = size - bytesOf(said);
  return ['', ...linesBelow].find((line) => bytesOf(line) - bytesOf('') === missing);
}

/** All of an answer that is kept beside the journal, where it is what was said; undefined for any other. */
export function saidWhole(said: string, answer: EventOf<'run.ended'>['answer']): string | undefined {
  const rest = isBlobRef(answer) ? unsaid(said, answer) : undefined;
  return rest === undefined ? undefined : `${said}${rest}`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}

/** What is kept beside the journal is JSON, and so is its preview. */
function isBeginningOf(said: string, { preview = '' }: BlobRef): boolean {
  return said !== '' && JSON.stringify(said.slice(0, preview.length)).startsWith(preview);
}

function whereRest({ size, blob }: BlobRef): string {
  return `… (${size} bytes in all: GET /api/files/${blob})`;
}

/** The answer as one text; of one that is kept beside the journal, its beginning and where the rest is. */
export function wholeAnswer(answer: EventOf<'run.ended'>['answer']): string {
  if (answer === undefined || typeof answer === 'string') return answer ?? '';
  return `${beginningOf(answer)}${whereRest(answer)}`;
}

/** FNV over UTF-16: enough to see whether two texts that should be the same are. */
function hashOn(hash: number, text: string): number {
  let sum = hash === 0 ? 0x811c9dc5 : hash;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return text === '' ? hash : sum;
}
