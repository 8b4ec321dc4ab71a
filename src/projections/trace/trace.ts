import type { Entry, EventOf } from '../../run/events.ts';
import { requestOf } from '../../run/request.ts';
import type { TraceEvent } from '../../wire/trace.ts';
import type { Projection } from '../projection.ts';
import { emptyMap, valueAt } from '../preferences/step-map.ts';
import {
  answered,
  controlled,
  duplicateBlocked,
  modelAnswered,
  modelCalled,
  phaseChanged,
  phaseEnded,
  phaseStarted,
  question,
  systemError,
  toolCalled,
  toolReturned,
  toolsRegistered,
  userMessage,
  type TraceLine,
} from './lines.ts';
import { isoTime } from '../time-text.ts';
import {
  begun as started,
  closed,
  emptyState,
  entered,
  left,
  opened,
  retried,
  said,
  type TraceState,
} from './state.ts';

type Step = readonly [TraceState, readonly TraceLine[]];

/** Notices that tell of something wrong, rather than of something refused. */
const troubles: ReadonlySet<string> = new Set([
  'FLOW_DIVERGED',
  'UPSTREAM_MALFORMED',
  'IN_DOUBT',
  'TURN_FAILED',
]);

/** A run as operators search it. Computed from the journal: there is no second log, and a restart changes nothing. */
export function traceProjection(run: string): Projection<TraceState, TraceEvent> {
  return {
    initial: emptyState(run),
    project(state, entry) {
      const [next, lines] = trace(state, entry, run);
      return [
        next,
        lines.map((line, i) => placed(line, { state: next, entry, id: idOf(run, entry.seq, i) })),
      ];
    },
  };
}

function trace(state: TraceState, { at, event }: Entry, run: string): Step {
  switch (event.type) {
    case 'run.started':
      return begun(state, event, { at, run });
    case 'run.ended':
      return over(state, event);
    case 'phase.entered':
      return phased(state, event);
    case 'step.opened':
      return opening(state, event, at);
    case 'step.retried':
      return again(state, event);
    case 'step.closed':
      return closing(state, event, at);
    case 'text.appended':
      return [said(state, event), []];
    case 'message.queued':
      return [state, [userMessage(event.text, { messageId: event.message, by: event.by })]];
    case 'notice.posted':
      return [state, troubles.has(event.code) ? [systemError(event)] : []];
    case 'unknown':
      return [state, [systemError({ code: 'UNKNOWN_EVENT', message: `Unknown event «${event.kind}».` })]];
    case 'step.started':
      return [started(state, event), []];
    case 'approval.requested':
    case 'approval.decided':
    case 'approval.lapsed':
      return [state, [question(event)]];
    case 'run.paused':
    case 'run.resumed':
    case 'stop.requested':
      return [state, [controlled(event)]];
    case 'worker.took':
    case 'step.planned':
    case 'title.appended':
    case 'item.attached':
    case 'prompt.recorded':
    case 'state.saved':
    case 'message.taken':
      return [state, []];
  }
}

function begun(
  state: TraceState,
  event: EventOf<'run.started'>,
  { at, run }: { at: number; run: string },
): Step {
  const { labels, app, conversation, who, input } = event;
  const projectId = labels['projectId'] ?? labels['project'] ?? app;
  const root = { step: 0, parent: 0, key: '', kind: 'run', title: '' };
  const next = opened(
    { ...state, projectId, requestId: requestOf(labels, run) },
    { type: 'step.opened', ...root },
    at,
  );
  const attachments = input.attachments?.length ?? 0;
  return [next, [userMessage(input.text, { app, conversation, who, attachments })]];
}

function over(state: TraceState, event: EventOf<'run.ended'>): Step {
  const { outcome, failure } = event;
  const ends = [...state.phases.values()].map((phase) => phaseEnded(phase, outcome));
  const errors = failure ? [systemError(failure)] : [];
  return [{ ...state, open: emptyMap(), phases: new Map() }, [...ends, ...errors, answered(event)]];
}

function phased(state: TraceState, event: EventOf<'phase.entered'>): Step {
  const before = state.phases.get(event.step);
  const next = entered(state, event);
  const now = next.phases.get(event.step);
  const lines = [
    ...(before ? [phaseEnded(before, event.reason), phaseChanged(before, event)] : []),
    ...(now ? [phaseStarted(now, event.reason)] : []),
  ];
  return [next, lines];
}

function opening(state: TraceState, event: EventOf<'step.opened'>, at: number): Step {
  const next = opened(state, event, at);
  const step = valueAt(next.open, event.step);
  if (step?.kind === 'turn') return [next, [modelCalled(step, event.step)]];
  if (step?.kind === 'call' || step?.kind === 'misfit') return [next, [toolCalled(step)]];
  return [next, []];
}

function again(state: TraceState, event: EventOf<'step.retried'>): Step {
  const next = retried(state, event);
  const step = valueAt(next.open, event.step);
  if (step?.kind === 'turn') return [next, [modelCalled(step, event.step)]];
  return [next, step?.kind === 'call' ? [toolCalled(step)] : []];
}

function closing(state: TraceState, event: EventOf<'step.closed'>, at: number): Step {
  const step = valueAt(state.open, event.step);
  const unfinished = state.phases.get(event.step);
  const next = left(closed(state, event, at), event.step);
  const ends = unfinished ? [phaseEnded(unfinished, event.outcome)] : [];
  if (!step) return [next, ends];
  if (step.kind === 'turn') return [next, [...ends, modelAnswered(step, event, at)]];
  if (step.kind === 'registration' && event.outcome === 'completed')
    return [next, [...ends, toolsRegistered(step, event)]];
  if (step.kind !== 'call' && step.kind !== 'misfit') return [next, ends];
  const { reusedFrom } = event;
  const previous = reusedFrom === undefined ? undefined : valueAt(state.ended, reusedFrom);
  const repeated = { requestId: state.requestId, previous, reusedFrom };
  const duplicate = reusedFrom === undefined ? [] : [duplicateBlocked(step, repeated)];
  return [next, [...ends, ...duplicate, toolReturned(step, event, at)]];
}

interface Place {
  readonly state: TraceState;
  readonly entry: Entry;
  readonly id: string;
}

function placed({ phase, ...line }: TraceLine, { state, entry, id }: Place): TraceEvent {
  const { projectId, requestId } = state;
  return {
    id,
    timestamp: isoTime(entry.at),
    projectId,
    requestId,
    metadata: { requestId },
    ...line,
    ...(phase ? { phaseIndex: Math.max(0, phase.index), cycleIndex: Math.max(0, phase.cycle - 1) } : {}),
  };
}

function idOf(run: string, seq: number, i: number): string {
  return i === 0 ? `${run}:${seq}` : `${run}:${seq}.${i}`;
}
