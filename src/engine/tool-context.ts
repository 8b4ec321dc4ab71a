import type { Step } from '../run/tree.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Execution } from './execution.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { ask } from './permit.ts';

/** What a tool may use while it runs. Once its attempt is over nothing it does reaches the journal. */
export function toolContext(execution: Execution, step: Step, signal: AbortSignal): ToolContext {
  const { attempt } = step;
  const isCurrent = (): boolean => !signal.aborted && step.attempt === attempt;
  return {
    idempotencyKey: idempotencyKey(execution, step),
    tenant: execution.tree.started?.tenant ?? '',
    run: execution.run,
    signal,
    say(text) {
      if (isCurrent()) execution.emit({ type: 'text.appended', step: step.id, channel: 'log', text });
    },
    attach(item) {
      if (isCurrent()) execution.emit({ type: 'item.attached', step: step.id, item });
    },
    async ask({ title, message, schema }) {
      const { approval } = ask(execution, step, {
        purpose: 'answer',
        bytes: { title, message },
        title,
        message,
        allowed: ['approve', 'reject'],
        ...(schema === undefined ? {} : { schema }),
      });
      const { decision, answer } = await execution.decision(approval);
      return decision === 'approve'
        ? { decision: 'accept', ...(answer === undefined ? {} : { answer }) }
        : { decision: 'decline' };
    },
  };
}
