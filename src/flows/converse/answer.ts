import type { TurnResult } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import { runBatch } from './batch.ts';
import { sortCalls } from './calls.ts';
import type { Course, Why } from './course.ts';
import { wholeOrMarked } from '../turn-ending.ts';
import { againInstruction, composedAnswer, lastInstruction, noticesOf } from './words.ts';

/** What people see the moment something is refused or taken away. */
export function tell(course: Course, notices: readonly string[]): void {
  for (const notice of notices) course.scope.say(`\n\n**System notice**: ${notice}\n\n`);
}

const codes = {
  duplicates: 'TOOLS_DISABLED',
  refusals: 'TOOLS_DISABLED',
  cycles: 'TOOLS_DISABLED',
  budget: 'BUDGET_EXHAUSTED',
  empty: 'EMPTY_ANSWER',
  failed: 'TURN_FAILED',
  person: 'ENDED_BY_PERSON',
  refused: 'TURN_FAILED',
} as const satisfies Record<Why['code'], string>;

/** The end of every conversation that does not end by itself: a verdict, one last call without tools, and an answer. */
export async function conclude(course: Course, why: Why, failure?: RunError): Promise<string> {
  const { scope } = course;
  await scope.step({ kind: 'verdict', title: 'Verdict' }, (verdict) => {
    verdict.notice(codes[why.code], why.sentence);
    verdict.say(why.sentence);
    return Promise.resolve({ code: why.code, sentence: why.sentence });
  });
  if (course.phase !== 'action_phase') course.enter('action_phase', why.code);
  tell(course, [why.sentence]);
  if (why.code === 'person' || why.code === 'refused') return compose(course, why.sentence);
  const last = await lastAnswer(course, why, failure);
  if (typeof last === 'string') return last;
  // An answer made of nothing would look like one.
  if (course.results.length === 0) throw last;
  return compose(course, last.failure.message);
}

/** The text of a turn, if it can be the answer: what stands before a call is none while there are results to answer from. */
export function answerIn(turn: TurnResult, { results }: Course): string | undefined {
  const { text, calls } = turn;
  const isNone = text.trim() === '' || (calls.length > 0 && results.length > 0);
  return isNone ? undefined : wholeOrMarked(text, turn);
}

/** Why a turn is no answer, after «The model». */
export function whyNoAnswer({ finish, calls }: TurnResult): string {
  if (calls.length > 0) return 'asked for tools that are not there';
  return finish === 'length'
    ? 'was cut off by its length limit before it said anything'
    : 'replied without any text';
}

/** One last call without tools, and one more if nothing comes of it. Why there is no answer, if there is none. */
async function lastAnswer(course: Course, why: Why, failure?: RunError): Promise<string | RunError> {
  const isSecondChance = why.code === 'empty';
  let problem = 'The model replied without any text.';
  for (let chance = isSecondChance ? 2 : 1; chance <= 2; chance += 1) {
    const instructions = chance === 1 ? [lastInstruction] : [againInstruction, lastInstruction];
    try {
      const turn = await course.scope.turn(course.settings.agent, {
        messages: course.exchange.messages(instructions),
        tools: [],
        answers: course.takeReserve(),
      });
      await ignoreCalls(course, turn);
      const answer = answerIn(turn, course);
      if (answer !== undefined) return answer;
      const said = turn.text.trim();
      problem = `The model ${whyNoAnswer(turn)}${said === '' ? '.' : `, and said: ${said}`}`;
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      const { code, message } = thrown.failure;
      if (chance === 1 || isSecondChance || code !== 'over-budget') return thrown;
      return new RunError(code, `${problem} It was not asked once more: ${message}`);
    }
  }
  return failure ?? new RunError('unavailable', problem);
}

/** Calls a model asked for although it was offered no tools. */
export async function ignoreCalls(course: Course, turn: TurnResult): Promise<void> {
  if (turn.calls.length === 0) return;
  const { run, misfits, refused, left } = sortCalls(turn, {
    known: course.known,
    offered: new Map(),
    most: 0,
  });
  const ignored = [...run, ...misfits, ...refused, ...left];
  const settled = await runBatch(course.scope, {
    run: [],
    misfits: [],
    refused: ignored,
    left: [],
    first: course.asked + 1,
    isParallel: false,
    most: 0,
  });
  course.asked += ignored.length;
  tell(course, noticesOf(settled, 0));
}

/** An honest answer without the model: what it had, and why there is no more. */
function compose({ scope, results }: Course, problem: string): Promise<string> {
  return scope.step({ kind: 'answer', title: 'Answer' }, (answer) => {
    const text = composedAnswer(problem, results);
    answer.say(text);
    return Promise.resolve(text);
  });
}
