import type { StepId } from '../run/events.ts';
import { around, below, type Nested, type NestedSteps } from './nested.ts';

/** How long a step was worked on: plain data, changed in place. Milliseconds. */
export interface Timed extends Nested {
  /** When it went ahead; one that never waited did so when it opened. */
  startedAt: number;
  /** How many questions it waits for, since when there are some, and how long it waited before. */
  waits: { now: number; since: number; before: number } | undefined;
  /** While a person is asked about it: the steps that wait with it. */
  waiting: readonly StepId[] | undefined;
}

/** A person is asked: from now on the run and the steps around it wait, and those below it, which nobody works on meanwhile. */
export function beginWait<Step extends Timed>(story: NestedSteps<Step>, step: Step, at: number): void {
  if (step.waiting) return;
  const above = step === story.run ? [] : [...around(story, step), story.run];
  step.waiting = [...above.map(({ id }) => id), ...below(story.steps, step)];
  for (const each of waitingWith(story, step)) {
    each.waits ??= { now: 0, since: at, before: 0 };
    if (each.waits.now === 0) each.waits.since = at;
    each.waits.now += 1;
  }
}

/** It goes ahead, or is over. */
export function endWait<Step extends Timed>(story: NestedSteps<Step>, step: Step, at: number): void {
  if (!step.waiting) return;
  for (const { waits } of waitingWith(story, step)) {
    if (!waits) continue;
    if (waits.now === 1) waits.before = waited(waits, at);
    waits.now = Math.max(0, waits.now - 1);
  }
  step.waiting = undefined;
}

/** How long somebody worked on a step that goes on, or ends: without the time in which a person was asked. */
export function worked({ startedAt, waits }: Timed, at: number): number {
  return Math.max(0, at - startedAt - (waits ? waited(waits, at) : 0));
}

/** As far as they have not ended. */
function waitingWith<Step extends Timed>(
  { steps }: NestedSteps<Step>,
  { waiting = [] }: Step,
): readonly Step[] {
  return waiting.flatMap((id) => steps.get(id) ?? []);
}

function waited({ now, since, before }: NonNullable<Timed['waits']>, at: number): number {
  return now === 0 ? before : before + Math.max(0, at - since);
}
