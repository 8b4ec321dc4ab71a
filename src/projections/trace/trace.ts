import type { EventOf, StepId } from '../../run/events.ts';
import { projectOf, requestOf } from '../../run/request.ts';
import type { TraceEvent, TraceType } from '../../wire/trace.ts';
import { overStory, type Scene, type StoryProjection } from '../story-projection.ts';
import type { Closing, OpenStep } from '../story.ts';
import { because } from '../text-of.ts';
import { isoTime } from '../time-text.ts';
import { isToolCall } from '../tool-call.ts';
import * as lines from './lines.ts';
import type { Memory, Traced, TracedPhase, TraceLine } from './lines.ts';

type Trace = Scene<Memory, Traced, TraceEvent>;

/** A run as operators search it. Computed from the journal: there is no second log, and a restart changes nothing. */
export const traceProjection = (run: string) =>
  overStory<Memory, Traced, TraceEvent>({
    memory: () => ({ run, projectId: '', requestId: run, phases: new Map(), ended: new Map(), nextPhase: 0 }),
    own: (_, above) => ({ phase: above?.own.phase, requested: {} }),
    tell,
  });

/** Notices that tell of something wrong, rather than of something refused. */
const troubles = new Set(['FLOW_DIVERGED', 'UPSTREAM_MALFORMED', 'IN_DOUBT', 'TURN_FAILED']);

const tell: StoryProjection<Memory, Traced, TraceEvent>['tell'] = {
  'run.started'(trace, { labels, app, conversation, who, input }) {
    const { memory } = trace;
    Object.assign(memory, { projectId: projectOf(labels, app), requestId: requestOf(labels, memory.run) });
    const attachments = input.attachments?.length ?? 0;
    push(trace, lines.userMessage(input.text, { app, conversation, who, attachments }));
  },
  'run.ended'(trace, event) {
    for (const phase of trace.memory.phases.values()) push(trace, lines.phaseEnded(phase, event.outcome));
    if (event.failure) push(trace, lines.systemError(event.failure));
    push(trace, lines.answered(event));
  },
  'phase.entered': enter,
  'step.opened': call,
  'step.started': call,
  'step.retried': call,
  'step.closed': close,
  'text.appended'(_, { channel, call = '', tool }, { own }) {
    if (channel === 'arguments' && tool) own.requested[call] = tool;
  },
  'message.queued': (trace, { text, message: messageId, by }) =>
    push(trace, lines.userMessage(text, { messageId, by })),
  'notice.posted'(trace, notice) {
    if (troubles.has(notice.code)) push(trace, lines.systemError(notice));
  },
  unknown: (trace, { kind }) =>
    push(trace, lines.systemError({ code: 'UNKNOWN_EVENT', message: `Unknown event «${kind}».` })),
  'approval.requested'(trace, { approval, step, title, message = null, fingerprint, arguments: given }) {
    const details = { approval, step, message, fingerprint, arguments: lines.shown(given) };
    push(trace, { type: 'approval_requested', summary: `Asked a person: ${title}`, details });
  },
  'approval.decided'(trace, { approval, by, decision, rationale = null, arguments: given }) {
    const made = given === undefined ? undefined : lines.shown(given);
    const text = typeof made === 'string' ? made : JSON.stringify(made);
    const summary = because(`${by} decided «${decision}»`, text, '');
    const details = { approval, by, decision, rationale, arguments: made };
    push(trace, { type: 'approval_decided', summary, details });
  },
  'approval.lapsed'(trace, { approval, reason }) {
    const summary = `The question lapsed: ${reason}`;
    push(trace, { type: 'approval_lapsed', summary, details: { approval, reason } });
  },
  'approval.returned'(trace, { approval }) {
    const summary = 'The question that was put off is asked again';
    push(trace, { type: 'approval_returned', summary, details: { approval } });
  },
  'run.paused': control('run_paused', 'paused the run'),
  'run.resumed': control('run_resumed', 'resumed the run'),
  'stop.requested': control('run_stopped', 'stopped the run'),
};

/** What somebody asked of the run as a whole. */
function control(type: TraceType, what: string) {
  return (trace: Trace, { by, reason }: EventOf<'run.paused' | 'run.resumed' | 'stop.requested'>): void => {
    const summary = because(`${by} ${what}`, reason, '');
    push(trace, { type, summary, details: { by, reason: reason ?? null } });
  };
}

/** Who speaks in a line, and which way it goes; in all others it is the system. */
const sides: { readonly [Type in TraceType]?: Pick<TraceEvent, 'source' | 'direction'> } = {
  user_message: { source: 'user', direction: 'inbound' },
  orion_response: { source: 'orion', direction: 'outbound' },
  llm_call: { source: 'orion', direction: 'outbound' },
  llm_result: { source: 'orion', direction: 'inbound' },
  tool_call: { source: 'tool', direction: 'outbound' },
  tool_result: { source: 'tool', direction: 'inbound' },
  approval_decided: { source: 'user' },
  run_paused: { source: 'user' },
  run_resumed: { source: 'user' },
  run_stopped: { source: 'user' },
};

const summaryLength = 160;

function push({ frames, memory, at, seq }: Trace, line: TraceLine): void {
  const { type, toolName, summary: said, details, error: failure, phase } = line;
  const { run, projectId, requestId } = memory;
  const id = frames.length === 0 ? `${run}:${seq}` : `${run}:${seq}.${frames.length}`;
  const place = { id, timestamp: isoTime(at), projectId, requestId, metadata: { requestId } };
  const { source, direction } = sides[type] ?? { source: 'system' };
  const words = said.replaceAll(/\s+/g, ' ').trim();
  const summary = words.length > summaryLength ? `${words.slice(0, summaryLength).toWellFormed()}…` : words;
  const error = failure && { message: failure.message, code: failure.code };
  const indexes = phase && { phaseIndex: phase.index, cycleIndex: Math.max(0, phase.cycle - 1) };
  frames.push({ ...place, source, type, direction, toolName, summary, details, error, ...indexes });
}

function call(
  trace: Trace,
  { type }: EventOf<'step.opened' | 'step.started' | 'step.retried'>,
  step: OpenStep<Traced>,
): void {
  step.own.requested = {};
  const { kind } = step.opening;
  // A message that waits for a person, or for its turn, has not been sent.
  if (kind === 'turn' && step.isBegun) push(trace, lines.modelCalled(step));
  if (type === 'step.started') return;
  if (kind === 'call' || (kind === 'misfit' && type === 'step.opened')) push(trace, lines.toolCalled(step));
}

function enter(trace: Trace, event: EventOf<'phase.entered'>, { id, own }: OpenStep<Traced>): void {
  const { memory } = trace;
  const before = leave(trace, id, event.reason);
  if (before) push(trace, lines.phaseChanged(before, event));
  if (event.phase === 'complete') return;
  own.phase = { ...event, index: memory.nextPhase };
  memory.nextPhase += 1;
  memory.phases.set(id, own.phase);
  push(trace, lines.phaseStarted(own.phase));
}

/** The phase that a step had entered, which is over. */
function leave(trace: Trace, step: StepId, why: string | undefined): TracedPhase | undefined {
  const { phases } = trace.memory;
  const phase = phases.get(step);
  if (phase) push(trace, lines.phaseEnded(phase, why));
  phases.delete(step);
  return phase;
}

function close(trace: Trace, event: Closing, step: OpenStep<Traced>): void {
  // That a step went with the one above it is not news to an operator.
  if (event.isImplied) return;
  const { id, opening, call: asked } = step;
  const { reusedFrom, outcome } = event;
  leave(trace, id, outcome);
  if (opening.kind === 'turn') {
    if (!step.isBegun) push(trace, lines.modelCalled(step));
    push(trace, lines.modelAnswered(step, event, trace.at));
  }
  if (opening.kind === 'registration' && outcome === 'completed')
    push(trace, lines.toolsRegistered(step, event));
  if (isToolCall(step)) {
    if (reusedFrom !== undefined) push(trace, lines.duplicateBlocked(step, reusedFrom, trace.memory));
    push(trace, lines.toolReturned(step, event, trace.at));
  }
  if (asked) trace.memory.ended.set(id, trace.at);
}
