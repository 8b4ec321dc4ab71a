import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import { present } from '../../run/present.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import type { ExecutionFrame } from '../../wire/execution.ts';
import { gathered } from '../preferences/cut.ts';
import {
  change,
  close,
  closeBelow,
  flush,
  gather,
  headOf,
  output,
  type Draft,
  type Memory,
} from './draft.ts';
import { finalResponse, inputOf, lengths, newWorking, stepName, typeOf } from './step.ts';
import {
  onlyRun,
  openStep,
  openStepOrRun,
  withNothingOpened,
  withOpened,
} from '../preferences/open-steps.ts';
import type { Projection } from '../projection.ts';
import { shownQuestion } from '../shown-question.ts';
import { naiveTime } from '../time-text.ts';

export interface ExecutionOptions {
  readonly run: string;
}

/** The execution events of the workflow platform: an envelope for each change of a step. */
export function executionProjection({ run }: ExecutionOptions): Projection<Memory, ExecutionFrame> {
  return {
    initial: { steps: onlyRun(newWorking('')), hasStarted: false, stop: undefined },
    project(memory, { at, event }: Entry) {
      const draft: Draft = { memory, told: [], run, at };
      take(draft, event);
      return [draft.memory, draft.told];
    },
  };
}

function take(draft: Draft, event: RunEvent): void {
  switch (event.type) {
    case 'run.started':
      return begin(draft, event);
    case 'run.ended':
      return end(draft, event);
    case 'run.paused':
      return output(draft, 0, { status: 'paused', by: event.by, ...present({ reason: event.reason }) });
    case 'run.resumed':
      return output(draft, 0, { status: 'running', by: event.by, ...present({ reason: event.reason }) });
    case 'stop.requested':
      return stop(draft, event);
    case 'worker.took':
      if (event.reason === 'recovered') output(draft, 0, { status: 'running', recovered: true });
      return;
    case 'step.opened':
      if (event.step !== 0 && !openStep(draft.memory.steps, event.step)) open(draft, event);
      return;
    case 'title.appended':
    case 'text.appended':
    case 'step.closed':
    case 'step.retried':
      return inStep(draft, event);
    case 'step.started':
      return output(draft, event.step, { status: 'running' });
    case 'phase.entered': {
      const { phase, batch, cycle } = event;
      return output(draft, event.step, { phase, batch, cycle });
    }
    case 'item.attached':
      return output(draft, event.step, { item: event.item });
    case 'notice.posted':
      return output(draft, event.step, { notice: { code: event.code, message: event.message } });
    case 'approval.requested':
      return interrupt(draft, event);
    case 'approval.decided':
    case 'approval.lapsed':
      return output(draft, 0, fateOf(event));
    case 'message.queued':
      return output(draft, 0, { message: event.text, by: event.by });
    case 'unknown': {
      const message = `This version does not know the event «${event.kind}».`;
      return output(draft, 0, { notice: { code: 'UNKNOWN_EVENT', message } });
    }
    // What is planned has not begun, and what is kept for later is not for people.
    case 'step.planned':
    case 'prompt.recorded':
    case 'state.saved':
    case 'message.taken':
  }
}

function begin(draft: Draft, { app }: EventOf<'run.started'>): void {
  if (draft.memory.hasStarted) return;
  draft.memory = { ...draft.memory, hasStarted: true };
  draft.told.push({ event: 'run_started', ...headOf(draft), step_id: null, payload: { workflow_id: app } });
}

function stop(draft: Draft, { by, reason }: EventOf<'stop.requested'>): void {
  const why = reason === undefined ? `Stopped by ${by}.` : `Stopped by ${by}: ${reason}`;
  draft.memory = { ...draft.memory, stop: why };
  output(draft, 0, { status: 'stopping', by, ...present({ reason }) });
}

function open(draft: Draft, event: EventOf<'step.opened'>): void {
  const { title, kind, step } = event;
  const above = openStepOrRun(draft.memory.steps, event.parent);
  draft.memory = { ...draft.memory, steps: withOpened(draft.memory.steps, event, newWorking(title)) };
  const parent = above.id === 0 ? {} : { parent_step_id: stepName(above.id) };
  draft.told.push({
    event: 'step_started',
    ...headOf(draft),
    step_id: stepName(step),
    payload: { step_name: title || kind, step_type: typeOf(event), input_summary: inputOf(event), ...parent },
  });
}

function inStep(
  draft: Draft,
  event: EventOf<'title.appended' | 'text.appended' | 'step.closed' | 'step.retried'>,
): void {
  const step = openStep(draft.memory.steps, event.step);
  if (!step) return;
  switch (event.type) {
    case 'title.appended': {
      const title = gathered(step.value.title, event.text, lengths.summary);
      change(draft, step, { title });
      return output(draft, step.id, { step_name: title });
    }
    case 'text.appended':
      return gather(draft, step, event);
    case 'step.closed':
      if (step.id !== 0) close(draft, step, event);
      return;
    case 'step.retried': {
      if (step.id === 0) return;
      closeBelow(draft, step.id, 'abandoned');
      output(draft, step.id, { attempt: event.attempt, reason: event.reason });
      const { title } = step.value;
      change(draft, openStepOrRun(draft.memory.steps, step.id), newWorking(title));
      draft.memory = { ...draft.memory, steps: withNothingOpened(draft.memory.steps, step.id) };
      return;
    }
  }
}

function end(draft: Draft, { outcome, answer, failure }: EventOf<'run.ended'>): void {
  closeBelow(draft, 0, outcome === 'stopped' ? 'stopped' : 'abandoned');
  flush(draft, 0);
  const place = { ...headOf(draft), step_id: null };
  if (outcome === 'completed') {
    const payload = { status: outcome, final_response: finalResponse(answer) };
    draft.told.push({ event: 'run_completed', ...place, payload });
    return;
  }
  const stopped = draft.memory.stop ?? 'The run was stopped.';
  const error = outcome === 'stopped' ? stopped : (failure?.message ?? 'The run failed.');
  draft.told.push({ event: 'run_failed', ...place, payload: { error, status: 'failed' } });
}

/** A person is asked. This wire calls it an interrupted run; the stream stays open, and the run goes on. */
function interrupt(draft: Draft, event: EventOf<'approval.requested'>): void {
  const { step, title, message, priority, allowed, expiresAt } = event;
  flush(draft, step);
  const payload = {
    status: 'interrupted' as const,
    interrupt: {
      approval_id: questionId(event),
      step_id: step === 0 ? null : stepName(step),
      title: visible(title),
      ...(message === undefined ? {} : { message: visible(message) }),
      ...shownQuestion(event),
      priority,
      allowed_decisions: [...allowed],
      ...(expiresAt === undefined ? {} : { expires_at: naiveTime(expiresAt) }),
    },
  };
  draft.told.push({ event: 'run_completed', ...headOf(draft), step_id: null, payload });
}

/** What became of a question. */
function fateOf(event: EventOf<'approval.decided' | 'approval.lapsed'>): Record<string, unknown> {
  if (event.type === 'approval.lapsed')
    return { approval_id: questionId(event), lapsed: true, reason: event.reason };
  const { approval, shown: fingerprint, decision, by, rationale } = event;
  const approval_id = fingerprint === undefined ? approval : questionId({ approval, fingerprint });
  return { approval_id, decision, by, ...present({ rationale }) };
}
