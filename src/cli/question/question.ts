import { isAllowed, type Asking, type Question } from './asking.ts';
import { attachmentText, historyText } from '../../run/sent-along.ts';
import { exactLines, visible } from '../../run/visible.ts';
import { visibleLine } from '../terminal/escape.ts';
import type { Line, Span } from '../terminal/line.ts';
import { entryLine } from '../terminal/text-entry.ts';
import type { WholeQuestion } from './whole-question.ts';
import { chop, wrap } from '../terminal/width.ts';

/** Lines of arguments that are shown before one has to ask for all of them. */
const most = 12;

const choices = [
  ['approve', 'a'],
  ['reject', 'r'],
  ['edit', 'e'],
  ['defer', 'd'],
] as const;

/** A question to a person: what it is about, exactly, and what can be answered. */
export function questionLines(
  question: Question,
  asking: Asking,
  { width, others }: { readonly width: number; readonly others: number },
): Line[] {
  const { approval } = question;
  const more = others > 0 ? ` (and ${others} more)` : '';
  const lines: Line[] = [
    [
      ['◆ ', 'yellow'],
      [visibleLine(approval.title), 'bold'],
      [more, 'yellow'],
      [`  ${approval.approval}`, 'dim'],
    ],
  ];
  if (approval.message !== undefined)
    lines.push(...wrap(visible(approval.message), width - 2).map((text): Line => [['  '], [text]]));
  const isEdited = asking.at === 'reason' && asking.edited !== undefined;
  lines.push(...wholeLines(isEdited ? { ...question, value: asking.edited ?? null } : question, width));
  lines.push(...promptLines(question, asking, width));
  return lines;
}

/** All that is sent, in its order, and what it refers to; of each part so many lines. */
export function wholeLines(question: WholeQuestion, width: number, limit = most): Line[] {
  const told = ({ label, text }: Part): Line[] => {
    const all = linesOf(text, width);
    const shown = all.length > limit ? all.slice(0, limit - 1) : all;
    const lines = shown.map((line): Line => [['  ┊ ', 'dim'], [line]]);
    if (all.length > limit)
      lines.push([[`  ┊ … ${all.length - shown.length} more lines: press v`, 'yellow']]);
    return [[[`  ${label}`, 'dim']], ...lines];
  };
  const { before, after } = partsOf(question);
  return [...before.flatMap(told), ...argumentLines(question.value, width, limit), ...after.flatMap(told)];
}

interface Part {
  readonly label: string;
  readonly text: string;
}

/** What is shown around the words themselves. */
function partsOf({ exchange, history, attachments = [] }: WholeQuestion): Record<'before' | 'after', Part[]> {
  const before: Part[] = [];
  if (exchange) before.push({ label: 'It was asked last:', text: visible(exchange.asked) });
  if (exchange) before.push({ label: 'and answered:', text: visible(exchange.answered) });
  if (exchange?.outcome !== undefined)
    before.push({ label: 'How that ended:', text: visible(exchange.outcome) });
  if (history) before.push({ label: 'Sent before it:', text: historyText(history) });
  const after = attachments.map((one) => ({
    label: 'Sent with it, also after an edit:',
    text: attachmentText(one),
  }));
  return { before, after };
}

function linesOf(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => chop(line, width - 4));
}

/** Whether something of a question is not on the screen. */
export function isCutShort(question: WholeQuestion, width: number): boolean {
  const { value } = question;
  if (value !== null && linesOf(exactLines(value).join('\n'), width).length > most) return true;
  const { before, after } = partsOf(question);
  return [...before, ...after].some(({ text }) => linesOf(text, width).length > most);
}

/** Everything there is to see of the arguments. */
export function argumentLines(value: unknown, width: number, limit = most): Line[] {
  if (value === undefined || value === null) return [];
  const all = exactLines(value).flatMap((line) => chop(line, width - 4));
  const shown = all.length > limit ? all.slice(0, limit - 1) : all;
  const lines = shown.map((text): Line => [
    ['  │ ', 'dim'],
    [text, 'cyan'],
  ]);
  if (all.length > limit)
    lines.push([[`  │ … ${all.length - shown.length} more lines: press v to see all`, 'yellow']]);
  return lines;
}

function promptLines({ approval }: Question, asking: Asking, width: number): Line[] {
  switch (asking.at) {
    case 'choice': {
      const spans = choices.flatMap(([choice, key]): Span[] =>
        isAllowed(approval, choice) ? [['  '], [key, 'bold', 'underline'], [` ${choice}`]] : [],
      );
      const problem: Line[] = asking.problem === undefined ? [] : [[['  '], [asking.problem, 'red']]];
      return [...problem, spans];
    }
    case 'arguments':
    case 'answer': {
      const what = asking.at === 'answer' ? 'Your answer' : 'Run this instead';
      const problem: Line[] = asking.problem === undefined ? [] : [[['  '], [asking.problem, 'red']]];
      return [
        ...problem,
        [[`  ${what}, as JSON (Enter to go on, Esc to go back):`]],
        [['  › ', 'yellow'], ...entryLine(asking.entry, width - 5)],
      ];
    }
    case 'reason': {
      const verb = asking.decision === 'edit' ? 'run this instead' : asking.decision;
      return [
        [[`  Why? Optional. Enter to ${verb}, Esc to go back:`]],
        [['  › ', 'yellow'], ...entryLine(asking.entry, width - 5)],
      ];
    }
  }
}
