import type { Flow, RunInput, Scope, TurnResult } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import { requestOf } from '../../run/request.ts';
import { boundedAloud, whatEnded, wholeOrMarked } from '../exchange.ts';
import { runBatch } from './batch.ts';
import { sortCalls, type SettledCall } from './calls.ts';
import {
  Course,
  isResult,
  type Why,
  expectAllowed,
  rulesFor,
  type ConverseRules,
  type ConverseSettings,
} from './course.ts';
import { pauseAfterTool } from './resume.ts';
import {
  actionInstruction,
  clause,
  lastInstruction,
  noticesOf,
  againInstruction,
  composedAnswer,
} from './words.ts';

/** Moves when runs that were recorded would not fit the code any more. */
export const converseVersion = '1';

/** One agent with tools, run so that it always ends with an answer, whatever the model does. */
export function converse(settings: ConverseSettings): Flow {
  return {
    name: settings.name ?? 'converse',
    version: converseVersion,
    check: ({ labels }) =>
      expectAllowed(
        rulesFor(settings, labels).rules.actionTools,
        settings.tools.map(({ name }) => name),
      ),
    run: (scope, input) => converseIn(scope, settings, input),
  };
}

/** The same as part of another flow, in a scope of its own. */
export async function converseIn(
  scope: Scope,
  settings: ConverseSettings,
  input: Omit<RunInput, 'app'>,
): Promise<string> {
  const { tools = [], ...rules } = await register(scope, settings, input);
  const course = new Course(scope, settings, { rules, tools });
  if (course.answers) {
    for (const { text, answer, attachments = [] } of boundedAloud(scope, await scope.history(), {})) {
      course.exchange.hear({ text, attachments });
      course.exchange.answered(answer);
    }
  }
  course.exchange.hear(input);
  for (;;) {
    const answer = await untilAnswer(course, input);
    const said = messagesFor(scope);
    if (said.length === 0) {
      course.enter('complete', course.phase === 'tool_phase' ? 'no_tools' : 'completed');
      return answer;
    }
    course.exchange.answered(answer);
    for (const message of said) course.exchange.hear(message);
    course.renew();
  }
}

/** The rules, and the names of the tools that there were. Runs that were recorded before have no names. */
type Registered = ConverseRules & { readonly tools?: readonly string[] };

/** The rules are recorded: a switch that is thrown while a run works, or is down, holds for the next run. */
function register(
  scope: Scope,
  settings: ConverseSettings,
  { labels }: Pick<RunInput, 'labels'>,
): Promise<Registered> {
  const tools = settings.tools.map(({ name }) => name);
  return scope.step(
    { key: 'tools', kind: 'registration', title: 'Tools', query: tools.join(', ') },
    (step) => {
      const { rules, overruled } = rulesFor(settings, labels);
      for (const sentence of overruled) step.notice('RULE_OVERRULED', sentence);
      return Promise.resolve({ ...rules, tools });
    },
  );
}

/** Turns and batches of calls, one after the other, until there is an answer. */
async function untilAnswer(course: Course, input: Pick<RunInput, 'labels'>): Promise<string> {
  course.enter('tool_phase', 'asked');
  for (;;) {
    for (const message of messagesFor(course.scope)) course.exchange.hear(message);
    const turn = await takeTurn(course);
    if (turn instanceof RunError) return conclude(course, whyFailed(course, turn), turn);
    if (turn.calls.length === 0 || course.offers().length === 0) {
      await ignoreCalls(course, turn);
      const answer = answerIn(turn, course);
      if (answer !== undefined) return answer;
      const sentence = `The model ${whyNoAnswer(turn)}, so it is asked once more.`;
      return conclude(course, { code: 'empty', sentence });
    }
    const why = await settleCalls(course, turn, input);
    if (why) return conclude(course, why);
  }
}

async function takeTurn(course: Course): Promise<TurnResult | RunError> {
  const { scope, settings, rules, phase, exchange } = course;
  const tools = course.offers();
  const isCut = rules.protocol === 'two-stage' && rules.preset === 'strict' && tools.length > 0;
  const isAction = rules.protocol === 'two-stage' && phase === 'action_phase';
  try {
    return await scope.turn(settings.agent, {
      messages: exchange.messages(isAction ? [tools.length > 0 ? actionInstruction : lastInstruction] : []),
      tools,
      answers: tools.length > 0 ? undefined : course.takeReserve(),
      maxCalls: isCut ? rules.maxToolsPerPhase : undefined,
    });
  } catch (thrown) {
    if (thrown instanceof RunError) return thrown;
    throw thrown;
  }
}

/** A budget that is used up still leaves one turn for the answer. A model that fails with nothing in hand has failed. */
function whyFailed({ results }: Course, thrown: RunError): Why {
  const { code } = thrown.failure;
  const message = clause(thrown.failure.message);
  if (code === 'over-budget')
    return { code: 'budget', sentence: `${message}, so the model has to answer now.` };
  if (results.length === 0) throw thrown;
  // A filter or a lock does not think better of it.
  if (code === 'refused') return { code, sentence: `${message}.` };
  return {
    code: 'failed',
    sentence: `The model failed (${message}), so it is asked once more without tools.`,
  };
}

/** Run the calls of a turn, and say why there must be no more of them if that is so. */
async function settleCalls(
  course: Course,
  turn: TurnResult,
  { labels }: Pick<RunInput, 'labels'>,
): Promise<Why | undefined> {
  const { scope, exchange, known, rules } = course;
  exchange.turned(turn);
  const most = rules.maxToolsPerPhase;
  const sorted = sortCalls(turn, { known, offered: course.offered(), most });
  const mayRun = sorted.run.length > 0;
  const isAction = course.phase === 'action_phase';
  if (mayRun && isAction) course.enter('tool_phase', 'tool_calls_produced');
  const first = course.asked + 1;
  course.asked += turn.calls.length;
  const settled = await runBatch(scope, { ...sorted, first, isParallel: rules.preset === 'parallel', most });
  const cut = whatEnded(turn);
  const notices = [
    ...noticesOf(settled, most),
    ...(cut === undefined ? [] : [`The last reply ${cut}, and may have asked for more.`]),
  ];
  tell(course, notices);
  exchange.settled(settled, notices);
  course.count(settled);
  if (isAction) course.countActionCalls(settled);
  const resuming = { requestId: requestOf(labels, scope.run), toolBatchId: course.batch };
  const ended = rules.pauseAfterTool && mayRun ? await pauseAfterTool(scope, resuming) : undefined;
  const why = ended === undefined ? course.end(settled) : ({ code: 'person', sentence: ended } as const);
  goOn(course, settled, why);
  return why;
}

/** The phase the next turn belongs to. A tool phase in which nothing could be run is tried again. */
function goOn(course: Course, settled: readonly SettledCall[], why: Why | undefined): void {
  if (course.phase === 'action_phase') return;
  const isOver = why !== undefined || (course.rules.protocol === 'two-stage' && settled.some(hasRun));
  course.enter(isOver ? 'action_phase' : 'tool_phase', reasonFor(settled, why));
}

/** What a tool phase came to, in the words trace dashboards know. */
function reasonFor(settled: readonly SettledCall[], why: Why | undefined): string {
  if (why?.code === 'duplicates') return 'duplicate_exceeded';
  if (settled.some(isResult)) return 'executed';
  return settled.some(({ outcome }) => outcome === 'reused') ? 'duplicate_blocked' : 'malformed_or_skipped';
}

function hasRun(call: SettledCall): boolean {
  return isResult(call) || call.outcome === 'reused' || call.outcome === 'skipped';
}

function messagesFor(scope: Scope): readonly NonNullable<ReturnType<Scope['message']>>[] {
  const messages = [];
  for (let message = scope.message(); message; message = scope.message()) messages.push(message);
  return messages;
}

/** What people see the moment something is refused or taken away. */
function tell(course: Course, notices: readonly string[]): void {
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
async function conclude(course: Course, why: Why, failure?: RunError): Promise<string> {
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
function answerIn(turn: TurnResult, { results }: Course): string | undefined {
  const { text, calls } = turn;
  const isNone = text.trim() === '' || (calls.length > 0 && results.length > 0);
  return isNone ? undefined : wholeOrMarked(text, turn);
}

/** Why a turn is no answer, after «The model». */
function whyNoAnswer({ finish, calls }: TurnResult): string {
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
async function ignoreCalls(course: Course, turn: TurnResult): Promise<void> {
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
