import { textOf, type Step, present } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { tellWhoWaits } from '../conversation/doubt-ahead.ts';
import { leaveLine } from '../conversation/line.ts';
import type { Standing } from '../conversation/standing.ts';
import type { Execution } from '../execution.ts';
import { loadLarge } from '../record/recordable.ts';
import { mostCutOffs, mayTryAgain } from '../recovery/load.ts';
import {
  closeLeaf,
  type Leaf,
  type Recalled,
  agreedTo,
  clearWay,
  decline,
  editedCall,
  isYes,
} from './leaf.ts';
import { approvalOf, ask } from '../question/put-question.ts';

interface Unknown {
  readonly leaf: Leaf;
  /** Why nobody knows; its outcome was not recorded, unless it is said. */
  readonly why?: string | undefined;
}

/**
 * A leaf that was begun and has no outcome: nobody knows whether it happened. What may be repeated is repeated, and so
 * is what did not arrive, as far as whoever was asked remembers; for the rest a person decides, and agreeing never
 * repeats anything.
 */
export async function settleDoubt(execution: Execution, step: Step, { leaf, why }: Unknown): Promise<void> {
  if (leaf.effect !== 'once') await repeat(execution, step, { leaf, reason: cutOff });
  else {
    const recalled = await recall(execution, step, leaf);
    if (recalled.arrived === false) await repeat(execution, step, { leaf, reason: `${cutOff} ${lost}` });
    else await askWhetherItHappened(execution, step, { leaf, recalled, why });
  }
  const { exclusive } = leaf;
  if (exclusive !== undefined && step.closedAt !== undefined) await leaveLine(execution, step, exclusive);
}

// No word of why: the journal does not tell a worker that ended from one that could not write, or a run that goes on from another.
const unrecorded = 'It was begun, and its outcome was not recorded.';
const cutOff = 'The outcome of this attempt was not recorded.';
const answered = 'By its own history the agent has answered: this is its answer.';
const lost = 'By its own history the agent never got the message.';

/** What our own end cut off is not counted against the budget; what a person agreed to was agreed to once. */
async function repeat(execution: Execution, step: Step, { leaf, reason }: Repetition): Promise<void> {
  const isTooOften = (execution.cutOffs?.of(step.id) ?? 0) >= mostCutOffs;
  if (isTooOften && !(await mayTryAgain(execution, step))) return;
  const first = { purpose: 'begin', bytes: leaf.bytes, attempt: 1 } as const;
  if (!approvalOf(execution, step, first)) return again(execution, step, { leaf, reason });
  const { approval } = ask(execution, step, {
    purpose: 'begin',
    ...(await whatRan(execution, step, leaf)),
    ...(await referredTo(execution, step, leaf)),
    attempt: step.attempt + 1,
    title: step.title,
    message:
      'You agreed to this once. It was begun, and its outcome was not recorded: it runs again once you agree again.',
    allowed: ['approve', 'reject', 'edit', 'defer'],
  });
  const decided = await execution.questions.decision(approval);
  if (!isYes(decided)) return decline(execution, step, decided);
  return again(execution, step, { leaf, reason, call: await editedCall(execution, leaf, decided) });
}

/** Nobody is asked what they remember once a person has been asked: the question would change under their eyes. */
async function recall(execution: Execution, step: Step, leaf: Leaf): Promise<Recalled> {
  const { bytes } = await whatRan(execution, step, leaf);
  const isAsked = approvalOf(execution, step, { purpose: 'doubt', bytes, attempt: step.attempt });
  if (!leaf.recall || isAsked) return { arrived: undefined };
  return execution.busy(leaf.recall(step, bytes));
}

interface Doubt extends Unknown {
  readonly recalled: Recalled;
}

async function askWhetherItHappened(
  execution: Execution,
  step: Step,
  { leaf, recalled, why = unrecorded }: Doubt,
): Promise<void> {
  if (recalled.answer !== undefined) complete(execution, step, recalled.answer);
  const asked = ask(execution, step, {
    purpose: 'doubt',
    ...(await whatRan(execution, step, leaf)),
    ...(await referredTo(execution, step, leaf)),
    title: `Did «${step.title}» happen?`,
    message: `${why} ${choices(recalled)}`,
    allowed: ['approve', 'reject', 'edit', 'defer'],
    priority: 'high',
    ...(recalled.answer === undefined ? {} : { recalled: true }),
  });
  if (leaf.exclusive !== undefined)
    await execution.busy(execution.insist(() => tellWhoWaits(execution, step, asked)));
  const decided = await execution.questions.decision(asked.approval);
  const { by, decision, answer } = decided;
  if (decision === 'edit')
    return again(execution, step, {
      leaf,
      reason: `${by} asked to run it again.`,
      call: await editedCall(execution, leaf, decided),
    });
  while (execution.isGated) await execution.gate();
  const note: Json = asked.recalled
    ? { finish: 'stop', note: `From the agent’s own history; ${by} went on with it.` }
    : { outcome: 'unknown', note: `${by} took it as done.` };
  const message = `«${step.title}» may or may not have happened; ${by} did not count on it.`;
  const closed = closeLeaf(
    execution,
    step,
    decision === 'approve'
      ? { outcome: 'completed', result: answer ?? note }
      : { outcome: 'failed', failure: { code: 'unavailable', message } },
  );
  await execution.busy(closed);
}

function choices({ arrived, answer }: Recalled): string {
  const rest = 'reject to go on as if it was not, edit to run it again with the arguments you give.';
  if (!arrived) return `Approve to go on as if it was done (nothing is repeated), ${rest}`;
  if (answer === undefined)
    return `By its own history the agent got this message and has not answered it. Approve to go on as if it was done (nothing is repeated), ${rest}`;
  const short = answer.length > shortest ? `${answer.slice(0, shortest).toWellFormed()}…` : answer;
  return `By its own history the agent got this message and answered: «${short}» Approve to go on with that answer (nothing is repeated), ${rest}`;
}

const shortest = 500;

/**
 * What the agent is known to have said: the step then holds its answer, once. What had come of it and is not how it begins
 * is superseded, as by another attempt.
 */
function complete(execution: Execution, known: Step, answer: string): void {
  const { id: step, attempt } = known;
  const said = textOf(known);
  if (said === answer) return;
  const isBegun = answer.startsWith(said);
  if (!isBegun)
    execution.emit({ type: 'step.retried', step, attempt: attempt + 1, reason: answered, cutOff: true });
  const text = isBegun ? answer.slice(said.length) : answer;
  execution.emit({ type: 'text.appended', step, channel: 'content', text });
}

/** What the flow asked for, or what a person had made of it when it was last begun. */
async function whatRan(execution: Execution, step: Step, leaf: Leaf): Promise<Pick<Leaf, 'bytes' | 'shown'>> {
  const shown = execution.recorded.ran(step.id);
  if (shown === undefined) return { bytes: leaf.bytes, shown: leaf.shown };
  return { bytes: await execution.busy(loadLarge(execution, shown)), shown };
}

/** What its words refer to and what goes with them. Nobody else gets a turn meanwhile, so this does not change. */
async function referredTo(
  execution: Execution,
  step: Step,
  leaf: Leaf,
): Promise<Partial<Omit<Standing, 'isBusy'>>> {
  if (!leaf.standing) return {};
  const { isBusy: _, exchange, ...standing } = await execution.busy(leaf.standing(step));
  // Agreed to as the first words of a new conversation, that is what they still are.
  if (agreedTo(execution, step)?.forgotten) return { ...standing, forgotten: true };
  return { ...standing, ...present({ exchange }) };
}

interface Repetition {
  readonly leaf: Leaf;
  readonly reason: string;
  readonly call?: Awaited<ReturnType<Leaf['edited']>>;
}

async function again(execution: Execution, step: Step, { leaf, reason, call }: Repetition): Promise<void> {
  await clearWay(execution, step, leaf);
  const attempt = step.attempt + 1;
  execution.emit({
    type: 'step.retried',
    step: step.id,
    attempt,
    reason,
    cutOff: true,
    ...(call ? { call } : {}),
  });
}
