import { RunError } from '../../run/failure.ts';
import { isOpen, type Approval, type Step, present } from '../../run/tree.ts';
import type { BlobRef, Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isLarge, keepLarge, loadLarge, resultOf } from '../record/recordable.ts';
import { meet } from '../recovery/recorded.ts';
import { openStep } from '../scope/composite.ts';
import { ask } from './put-question.ts';
import type { Decided } from './questions.ts';
import type { Answer, Question } from '../scope.ts';

interface Placed extends Question {
  readonly parent: number;
  readonly key: string;
  /** What is asked about, as an entry carries it. */
  readonly shown?: BlobRef | Json;
}

/** A question to a person. It costs nothing while it waits, however long. */
export async function askPerson(execution: Execution, given: Placed): Promise<Answer> {
  const question = execution.guarding.cleanIn(given, ['title', 'message', 'arguments']);
  const known = meet(execution, { parent: question.parent, key: question.key, kind: 'ask' });
  if (known instanceof Promise) return known;
  const shown = await shownOf(execution, question);
  const step = known ?? (await open(execution, { ...question, shown }));
  if (step.status === 'skipped') throw withdrawn(step.failure?.message);
  if (!isOpen(step)) return (await execution.busy(resultOf(execution, step))) as unknown as Answer;
  if (isOther(execution, step, question))
    return execution.diverge(`«${question.key}» asks about something else than was recorded.`);
  const decided = await decisionOn(execution, step, { ...question, shown });
  const answer = await execution.busy(answerOf(execution, decided));
  const result = await execution.busy(keepLarge(execution, { ...answer }));
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result });
  return answer;
}

/** What a person says. One that is needed no more lapses, and its step is skipped, with the reason. */
async function decisionOn(execution: Execution, step: Step, question: Placed): Promise<Decided> {
  const { questions } = execution;
  const gone = withdrawnAt(execution, step) ?? put(execution, step, question);
  const { approval, lapsedBecause } = gone;
  if (lapsedBecause === undefined) {
    const { unless } = question;
    if (!unless) return questions.decision(approval);
    const over = unless.then((reason) => questions.withdraw(approval, reason));
    const decided = await questions.decisionUnless(approval, over);
    if (decided) return decided;
  }
  const failure = withdrawn(execution.tree.approvals.get(approval)?.lapsedBecause);
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'skipped', failure: failure.failure });
  throw failure;
}

/** The question of this step that lapsed when the worker before was about to say so. */
function withdrawnAt({ tree }: Execution, { id }: Step): Approval | undefined {
  return [...tree.approvals.values()].find(({ step, lapsedAt }) => step === id && lapsedAt !== undefined);
}

function withdrawn(reason = 'Nobody needs it any more.'): RunError {
  return new RunError('refused', reason);
}

async function open(execution: Execution, question: Placed): Promise<Step> {
  while (execution.isGated) await execution.gate();
  const { parent, key, title } = question;
  const step = openStep(execution, { parent, key, kind: 'ask', title });
  put(execution, step, question);
  return step;
}

function put(execution: Execution, step: Step, question: Placed): Approval {
  const { title, message, schema, editSchema, redo, priority, expiresIn, shown } = question;
  return ask(execution, step, {
    purpose: 'answer',
    bytes: bytesOf(question),
    title,
    allowed: [...(question.allowed ?? ['approve', 'reject'])],
    shown,
    message,
    schema,
    ...present({ editSchema, redo: redo && [...redo] }),
    priority,
    expiresAt: expiresIn === undefined ? undefined : execution.world.time.now() + expiresIn,
  });
}

function bytesOf(question: Question): Json {
  return question.arguments ?? null;
}

async function shownOf(execution: Execution, question: Question): Promise<BlobRef | Json> {
  const bytes = bytesOf(question);
  return isLarge(bytes) ? execution.busy(keepLarge(execution, bytes)) : bytes;
}

/** Whether a person was asked about something else at this place. */
function isOther(execution: Execution, { id, attempt }: Step, question: Question): boolean {
  const bound = { step: id, attempt, purpose: 'answer', bytes: bytesOf(question) } as const;
  for (const { step, fingerprint } of execution.tree.approvals.values())
    if (step === id) return fingerprint !== fingerprintOf(execution, bound);
  return false;
}

async function answerOf(execution: Execution, decided: Decided): Promise<Answer> {
  const { decision, by, rationale, answer } = decided;
  const edited = decided.arguments && (await loadLarge(execution, decided.arguments));
  // As a recovery will see it.
  return { decision, by, ...present({ rationale, answer, arguments: edited }) };
}
