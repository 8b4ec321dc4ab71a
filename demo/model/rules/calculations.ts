import { again, codeFor, nameInCode, tasksIn, type Task } from '../calculation.ts';
import { field, isObject, text, type Json } from '../json.ts';
import { asked, call, earlierResultsOf, offers, resultsOf, say, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';

/** Calculations are not guessed: code is written, run in the sandbox, and its value is the answer. */
export const calculations: Rule = {
  name: 'calculations',
  example: (situation) =>
    offers(situation, 'run_javascript') && 'Calculate fibonacci(10), then “Now fibonacci(20)”',
  reply(situation) {
    const question = asked(situation);
    const tool = offers(situation, 'run_javascript');
    const [ran] = resultsOf(situation, 'run_javascript');
    const code = ownCode(question) ?? codeOf(tasksOf(situation, question));
    if (code === undefined) return undefined;
    if (!ran) return tool && call(tool, { code }, 'run code instead of guessing');
    if (!ran.isOk) return say(`The code did not run to its end: ${ran.error}`, 'the code failed');
    return say(answerOf(ran.value, situation), 'the code has run');
  },
};

function codeOf(tasks: readonly Task[]): string | undefined {
  return tasks.length === 0 ? undefined : codeFor(tasks);
}

/** Code that stands in the message itself. */
function ownCode(question: string): string | undefined {
  const fenced = /```(?:js|javascript)?\n([\s\S]*?)```/.exec(question)?.[1];
  return fenced ?? /\brun (?:this |the )?(?:code|javascript)?:?\s*`([^`]+)`/i.exec(question)?.[1];
}

/** What to calculate; “now 20” means the last function once more. */
function tasksOf(situation: Situation, question: string): Task[] {
  const tasks = tasksIn(question);
  if (tasks.length > 0) return tasks;
  const number = /^(?:and|now|then|next|what about|same|again|also)\b[^\d]*(\d+)[^\d]*$/i.exec(
    question.trim(),
  )?.[1];
  const name = lastFunction(situation);
  const task = number === undefined || name === undefined ? undefined : again(name, number);
  return task ? [task] : [];
}

/** From the calls that were made, as far as the history still has them, or else from what was asked. */
function lastFunction(situation: Situation): string | undefined {
  for (const { given } of earlierResultsOf(situation, 'run_javascript')) {
    const name = nameInCode(text(given, 'code'));
    if (name !== undefined) return name;
  }
  return situation.earlier
    .toReversed()
    .flatMap(({ question }) => tasksIn(question))
    .at(0)?.name;
}

function answerOf(result: Json, situation: Situation): string {
  const value = field(result, 'value') ?? result;
  const logged = text(result, 'logged');
  const results = labelled(result).map(([label, number]) => `**${label} = ${shown(number)}**`);
  const lines = results.length > 0 ? results : [`The code gives **${shown(value)}**`];
  const before = earlierResultsOf(situation, 'run_javascript')
    .flatMap(({ value: earlier }) => labelled(earlier))
    .slice(0, 3)
    .map(([label, number]) => `${label} = ${shown(number)}`);
  const memory = before.length === 0 ? '' : ` Before that it was ${before.join(', ')}.`;
  const log = logged === '' ? '' : `\n\nIt wrote:\n\n\`\`\`\n${logged.trimEnd()}\n\`\`\``;
  return `${lines.join(', ')}. This is what the code gave when it ran in the sandbox.${memory}${log}`;
}

/** Results of code of ours carry their names with them. */
function labelled(result: Json): [string, Json][] {
  const value = field(result, 'value');
  return isObject(value) ? Object.entries(value) : [];
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
