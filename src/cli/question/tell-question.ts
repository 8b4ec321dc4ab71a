import { questionId } from '../../run/question-id.ts';
import type { Approval } from '../../run/tree.ts';
import { visible } from '../../run/visible.ts';
import { visibleLine } from '../terminal/escape.ts';
import { render, unpainted } from '../terminal/line.ts';
import { wholeLines } from './question.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { WholeQuestion } from './whole-question.ts';

export interface ToldQuestion {
  readonly approval: Approval;
  readonly whole: WholeQuestion;
  /** What its run was asked. */
  readonly title: string;
}

/** All of a question, under the name by which exactly this can be answered. */
export function tellQuestion({ approval, whole, title }: ToldQuestion, terminal: Terminal): void {
  const paint = terminal.isLive ? terminal.paint : unpainted;
  const width = terminal.isLive ? Math.max(40, terminal.out.columns - 1) : 120;
  const about = approval.message === undefined ? [] : visible(approval.message).split('\n');
  const head = [`◆ ${questionId(approval)}`, visibleLine(approval.title), `(${visibleLine(title)})`];
  terminal.say(paint(head.join('  '), ['bold']));
  for (const line of about) terminal.say(`  ${line}`);
  for (const line of wholeLines(whole, width, Infinity)) terminal.say(render(line, width, paint));
}
