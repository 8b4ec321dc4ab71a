import { isAllowed, type Asking, type Question } from './asking.ts';
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
  lines.push(...exchangeLines(question.exchange, width));
  const isEdited = asking.at === 'reason' && asking.edited !== undefined;
  lines.push(...argumentLines(isEdited ? asking.edited : question.value, width));
  lines.push(...promptLines(question, asking, width));
  return lines;
}

/** What the words of a message refer to. */
export function exchangeLines(exchange: WholeQuestion['exchange'], width: number, limit = most): Line[] {
  if (!exchange) return [];
  const told = (label: string, text: string): Line[] => {
    const all = visible(text)
      .split('\n')
      .flatMap((line) => chop(line, width - 4));
    const shown = all.length > limit ? all.slice(0, limit - 1) : all;
    const lines = shown.map((line): Line => [['  ┊ ', 'dim'], [line]]);
    if (all.length > limit)
      lines.push([[`  ┊ … ${all.length - shown.length} more lines: press v`, 'yellow']]);
    return [[[`  ${label}`, 'dim']], ...lines];
  };
  return [...told('It was asked last:', exchange.asked), ...told('and answered:', exchange.answered)];
}

/** Whether something of a question is not on the screen. */
export function isCutShort({ value, exchange }: WholeQuestion, width: number): boolean {
  const count = (lines: readonly string[]): number => lines.flatMap((line) => chop(line, width - 4)).length;
  const texts = exchange ? [exchange.asked, exchange.answered] : [];
  if (value !== null && count(exactLines(value)) > most) return true;
  return texts.some((text) => count(visible(text).split('\n')) > most);
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
