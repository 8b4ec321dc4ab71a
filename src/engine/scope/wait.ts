import { RunError } from '../../run/failure.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { meet } from '../recovery/recorded.ts';
import type { Wait } from '../scope.ts';
import { atTime } from '../time/at-time.ts';
import { openStep } from './composite.ts';

interface Placed extends Wait {
  readonly parent: number;
  readonly key: string;
}

/** A wait for a time. It costs nothing while it lasts, however long; the time that counts is the one that was recorded. */
export async function waitUntil(execution: Execution, wait: Placed): Promise<{ readonly until: number }> {
  const known = meet(execution, { parent: wait.parent, key: wait.key, kind: 'wait' });
  if (known instanceof Promise) return known;
  const step = known ?? (await open(execution, wait));
  const { until = wait.until } = step;
  if (!isOpen(step)) return { until };
  const over = execution.deadlines.unlessCut(step.id, atTime(execution, until));
  await execution.waiting(over);
  while (execution.isGated) await execution.gate();
  if (!isOpen(step)) return forever();
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result: { until } });
  return { until };
}

async function open(execution: Execution, { parent, key, title, until }: Placed): Promise<Step> {
  if (!Number.isFinite(until))
    throw new RunError('malformed', `«until» of «${key}» must be a time: milliseconds since 1970.`);
  while (execution.isGated) await execution.gate();
  return openStep(execution, { parent, key, kind: 'wait', title: title ?? titleFor(until), until });
}

/** Whoever reads it may be anywhere: the time of all. */
function titleFor(until: number): string {
  const last = 8_640_000_000_000_000;
  const day = new Date(Math.min(Math.max(until, -last), last)).toISOString();
  return `Wait until ${day.slice(0, 16).replace('T', ' ')} UTC`;
}
