import type { Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import type { Execution } from './execution.ts';
import { meet } from './meet.ts';
import { ask } from './permit.ts';
import type { Answer, Question } from './scope.ts';

interface Placed extends Question {
  readonly parent: number;
  readonly key: string;
}

/** A question to a person. It costs nothing while it waits, however long. */
export async function askPerson(execution: Execution, question: Placed): Promise<Answer> {
  const known = meet(execution, { parent: question.parent, key: question.key, kind: 'ask', identity: '' });
  if (known instanceof Promise) return known;
  const step = known ?? (await open(execution, question));
  if (step.status !== 'running' && step.status !== 'waiting') return step.result as unknown as Answer;
  const { approval } = put(execution, step, question);
  const { decision, by, rationale, answer, arguments: edited } = await execution.decision(approval);
  const result: Answer = {
    decision,
    by,
    ...(rationale === undefined ? {} : { rationale }),
    ...(answer === undefined ? {} : { answer }),
    ...(edited === undefined ? {} : { arguments: edited as Json }),
  };
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result: { ...result } });
  return result;
}

async function open(execution: Execution, { parent, key, title, ...question }: Placed): Promise<Step> {
  for (let gate = execution.gate(); gate; gate = execution.gate()) await gate;
  const id = execution.recorded.child(parent, key)?.id ?? execution.tree.nextStep;
  execution.emit({ type: 'step.opened', step: id, parent, key, kind: 'ask', title });
  const step = execution.tree.steps.get(id);
  if (!step) throw new Error(`step ${id} was opened and is not in the tree`);
  put(execution, step, { parent, key, title, ...question });
  return step;
}

function put(execution: Execution, step: Step, question: Placed): { readonly approval: string } {
  const { title, message, schema, priority, expiresIn } = question;
  return ask(execution, step, {
    purpose: 'answer',
    bytes: question.arguments ?? null,
    title,
    allowed: [...(question.allowed ?? ['approve', 'reject'])],
    ...(message === undefined ? {} : { message }),
    ...(schema === undefined ? {} : { schema }),
    ...(priority === undefined ? {} : { priority }),
    ...(expiresIn === undefined ? {} : { expiresAt: execution.world.clock.now() + expiresIn }),
  });
}
