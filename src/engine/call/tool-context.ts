import { isOpen, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { AttemptTimer } from './attempt-timer.ts';
import { audienceOf, idempotencyKey } from '../leaf/leaf.ts';
import type { Execution } from '../execution.ts';
import { ask } from '../question/put-question.ts';
import { cleanLarge, tellRedacted } from '../record/recordable.ts';
import { ToolVoice } from './tool-voice.ts';

/** One attempt of a call. */
export interface Attempt {
  readonly input: Json;
  readonly signal: AbortSignal;
  readonly timer: AttemptTimer;
}

/** What a tool may use while it runs. Once its attempt is over nothing it does reaches the journal. */
export function toolContext(
  execution: Execution,
  step: Step,
  { input, signal, timer }: Attempt,
): ToolContext {
  const { attempt } = step;
  const isCurrent = (): boolean => !signal.aborted && step.attempt === attempt && isOpen(step);
  const voice = new ToolVoice(execution, step);
  let questions = 0;
  return {
    idempotencyKey: idempotencyKey(execution, step, input),
    ...audienceOf(execution),
    run: execution.run,
    signal,
    say(text) {
      if (isCurrent()) voice.say(text);
    },
    attach(item) {
      if (isCurrent()) voice.attach(item);
    },
    async clean(value) {
      if (!isCurrent()) return value;
      const cleaned = await cleanLarge(execution, value);
      if (cleaned !== value) tellRedacted(execution, step, 'result');
      return cleaned;
    },
    exempt(wait, message) {
      if (isCurrent()) execution.emit({ type: 'notice.posted', step: step.id, code: 'WAITING', message });
      return timer.exempt(wait);
    },
    async ask(question) {
      if (!isCurrent()) return { decision: 'cancel' };
      const { title, message, schema } = execution.guarding.cleanIn(question, ['title', 'message']);
      questions += 1;
      const { approval } = ask(execution, step, {
        purpose: 'answer',
        bytes: { title, message },
        // A tool may ask the same twice, and one answer is not two.
        place: questions,
        title,
        message,
        allowed: ['approve', 'reject'],
        schema,
      });
      const { decision, answer } = await timer.exempt(execution.questions.decision(approval));
      return decision === 'approve' ? { decision: 'accept', answer } : { decision: 'decline' };
    },
  };
}
