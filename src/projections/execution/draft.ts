import type { EventOf, StepId } from '../../run/events.ts';
import type { ExecutionFrame } from '../../wire/execution.ts';
import { gathered } from '../preferences/cut.ts';
import { lengths, longestHeld, outputOf, previewOf, stepName, type Held, type Working } from './step.ts';
import {
  openBelow,
  openStep,
  openStepOrRun,
  withChanged,
  withClosed,
  type OpenStep,
  type OpenSteps,
} from '../preferences/open-steps.ts';
import { naiveTime } from '../time-text.ts';

/** What an execution must remember of a run. */
export interface Memory {
  readonly steps: OpenSteps<Working>;
  readonly hasStarted: boolean;
  /** Who asked to stop it, and why. */
  readonly stop: string | undefined;
}

/** The memory while one entry is told, and what is told of it. */
export interface Draft {
  memory: Memory;
  readonly told: ExecutionFrame[];
  readonly run: string;
  readonly at: number;
}

/** What every frame has. Most entries give none, so it is not made before there is one. */
export function headOf({ run, at }: Draft): Pick<ExecutionFrame, 'run_id' | 'timestamp'> {
  return { run_id: run, timestamp: naiveTime(at) };
}

export function output(draft: Draft, id: StepId, what: Record<string, unknown>): void {
  flush(draft, id);
  tell(draft, id, what);
}

function tell(draft: Draft, id: StepId, what: Record<string, unknown>): void {
  const step_id = id === 0 ? null : stepName(id);
  draft.told.push({
    event: 'step_output',
    ...headOf(draft),
    step_id,
    payload: { intermediate_output: what },
  });
}

export function change(draft: Draft, { id, value }: OpenStep<Working>, fields: Partial<Working>): void {
  draft.memory = { ...draft.memory, steps: withChanged(draft.memory.steps, id, { ...value, ...fields }) };
}

/** The first piece at once, then as many as make a frame worth its envelope, or half a second of them. */
export function gather(
  draft: Draft,
  step: OpenStep<Working>,
  { channel, text }: EventOf<'text.appended'>,
): void {
  if (step.value.held && step.value.held.channel !== channel) flush(draft, step.id);
  const { held, hasTold, preview } = openStepOrRun(draft.memory.steps, step.id).value;
  const next = { channel, text: (held?.text ?? '') + text, since: held?.since ?? draft.at };
  const shown = channel === 'content' ? gathered(preview, text, lengths.preview) : preview;
  change(draft, step, { held: next, hasTold, preview: shown });
  const isOld = draft.at - next.since >= longestHeld;
  if (!hasTold || isOld || next.text.length >= lengths.gathered) flush(draft, step.id);
}

export function flush(draft: Draft, id: StepId): void {
  const step = openStep(draft.memory.steps, id);
  if (!step?.value.held || step.value.held.text === '') return;
  change(draft, step, { held: undefined, hasTold: true });
  tell(draft, id, outputText(step.value.held));
}

function outputText({ channel, text }: Held): Record<string, unknown> {
  return channel === 'content' ? { text } : { [channel]: text };
}

export function close(draft: Draft, { id }: OpenStep<Working>, event: EventOf<'step.closed'>): void {
  closeBelow(draft, id, event.outcome === 'stopped' ? 'stopped' : 'abandoned');
  shut(draft, id, event);
}

export function closeBelow(draft: Draft, id: StepId, outcome: 'stopped' | 'abandoned'): void {
  for (const below of openBelow(draft.memory.steps, id)) {
    shut(draft, below.id, { type: 'step.closed', step: below.id, outcome });
  }
}

function shut(draft: Draft, id: StepId, event: EventOf<'step.closed'>): void {
  flush(draft, id);
  const { preview } = openStepOrRun(draft.memory.steps, id).value;
  draft.memory = { ...draft.memory, steps: withClosed(draft.memory.steps, id) };
  const place = { ...headOf(draft), step_id: stepName(id) };
  const { outcome, failure } = event;
  if (outcome === 'failed' || outcome === 'stopped' || outcome === 'abandoned') {
    const error = failure?.message ?? `The step was ${outcome}.`;
    draft.told.push({ event: 'step_failed', ...place, payload: { error } });
    return;
  }
  const payload = { output_summary: outputOf(event, preview), output_preview: previewOf(event, preview) };
  draft.told.push({ event: 'step_completed', ...place, payload });
}
