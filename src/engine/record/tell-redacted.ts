import { redacted } from '../../guards/guard.ts';
import type { GuardedValue } from '../../guards/guard-value.ts';
import type { Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { redactedCode } from './hold-back.ts';
import { isLarge } from './large.ts';

const messages = {
  arguments: ({ title }: Step) =>
    `The arguments held a secret; «${title}» runs with «${redacted}» in its place.`,
  result: ({ title }: Step) => `What «${title}» gave held a secret; «${redacted}» stands in its place.`,
};

/** Whoever wonders where «[redacted]» comes from can read it at the step. */
export function tellRedacted(execution: Execution, step: Step, what: keyof typeof messages): void {
  const message = messages[what](step);
  if (step.notices.some((told) => told.code === redactedCode && told.message === message)) return;
  execution.emit({ type: 'notice.posted', step: step.id, code: redactedCode, message });
}

interface Cleaned extends GuardedValue<Json> {
  readonly isSecret: boolean;
}

/** What a step gave, as it may be recorded. */
export function cleanResult(execution: Execution, step: Step, given: Json): Json | Promise<Json> {
  const { guarding, writer, world } = execution;
  const tell = ({ value, kinds, isSecret }: Cleaned): Json => {
    if (isSecret) tellRedacted(execution, step, 'result');
    for (const kind of kinds) writer.tellFound(step.id, kind);
    return value;
  };
  // Waited for only where there is much to look at: otherwise branches keep their order.
  if (isLarge(given)) return guarding.cleanLong(given, world.clock.breather()).then(tell);
  const clean = world.secrets.cleanAll(given);
  return tell({ ...guarding.guarded(clean), isSecret: clean !== given });
}
