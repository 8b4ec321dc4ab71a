import type { EventOf, StepId } from '../../run/events.ts';
import { projectOf, requestOf } from '../../run/request.ts';
import type { TraceEvent, TraceType } from '../../wire/trace.ts';
import type { Projection } from '../projection.ts';
import { overStory, type Place, type Scene } from '../story-projection.ts';
import type { Closing, OpenStep } from '../story.ts';
import { isoTime } from '../time-text.ts';
import { isToolCall } from '../tool-call.ts';
import * as lines from './lines.ts';
import type { Traced, TracedPhase, TraceLine } from './lines.ts';

interface Memory {
  projectId: string;
  requestId: string;
  /** Phases that were entered and not left, by the step that entered them. */
  readonly phases: Map<StepId, TracedPhase>;
  /** When calls ended, for those that use their outcome again. */
  readonly ended: Map<StepId, number>;
  nextPhase: number;
}

type Trace = Scene<Memory, Traced, TraceLine>;

/** Notices that tell of something wrong, rather than of something refused. */
const troubles = new Set(['FLOW_DIVERGED', 'UPSTREAM_MALFORMED', 'IN_DOUBT', 'TURN_FAILED']);

/** A run as operators search it. Computed from the journal: there is no second log, and a restart changes nothing. */
export function traceProjection(run: string): Projection<Place<Memory, Traced>, TraceEvent> {
  const story = overStory<Memory, Traced, TraceLine>({
    memory: () => ({ projectId: '', requestId: run, phases: new Map(), ended: new Map(), nextPhase: 0 }),
    own: (_, above) => ({ phase: above?.own.phase, requested: {} }),
    tell: {
      'run.started'({ memory, frames }, { labels, app, conversation, who, input }) {
        Object.assign(memory, { projectId: projectOf(labels, app), requestId: requestOf(labels, run) });
        const attachments = input.attachments?.length ?? 0;
        frames.push(lines.userMessage(input.text, { app, conversation, who, attachments }));
      },
      'run.ended'({ memory, frames }, event) {
        for (const phase of memory.phases.values()) frames.push(lines.phaseEnded(phase, event.outcome));
        if (event.failure) frames.push(lines.systemError(event.failure));
        frames.push(lines.answered(event));
      },
      'phase.entered': enter,
      'step.opened': call,
      'step.started': call,
      'step.retried': call,
      'step.closed': close,
      'text.appended'(_, { channel, call = '', tool }, { own }) {
        if (channel === 'arguments' && tool) own.requested[call] = tool;
      },
      'message.queued': told(({ text, message, by }) => lines.userMessage(text, { messageId: message, by })),
      'notice.posted'({ frames }, notice) {
        if (troubles.has(notice.code)) frames.push(lines.systemError(notice));
      },
      unknown: told(({ kind }) =>
        lines.systemError({ code: 'UNKNOWN_EVENT', message: `Unknown event «${kind}».` }),
      ),
      'approval.requested': told(lines.asked),
      'approval.decided': told(lines.decided),
      'approval.lapsed': told(lines.lapsed),
      'approval.returned': told(lines.returned),
      'run.paused': told(lines.controlled),
      'run.resumed': told(lines.controlled),
      'stop.requested': told(lines.controlled),
    },
  });
  return {
    begin: story.begin,
    project: (place, entry) =>
      story.project(place, entry).map((line, i) => {
        const id = i === 0 ? `${run}:${entry.seq}` : `${run}:${entry.seq}.${i}`;
        return placed(place.memory, line, { id, timestamp: isoTime(entry.at) });
      }),
  };
}

/** A line by itself is all that is told of such an event. */
function told<Event>(line: (event: Event) => TraceLine): (trace: Trace, event: Event) => void {
  return ({ frames }, event) => void frames.push(line(event));
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

function placed(
  { projectId, requestId }: Memory,
  { type, toolName, summary: said, details, error, phase }: TraceLine,
  place: Pick<TraceEvent, 'id' | 'timestamp'>,
): TraceEvent {
  const { source, direction } = sides[type] ?? { source: 'system' };
  const line = said.replaceAll(/\s+/g, ' ').trim();
  const summary = line.length > summaryLength ? `${line.slice(0, summaryLength).toWellFormed()}…` : line;
  const known = error && { error: { message: error.message, code: error.code } };
  const indexes = phase && { phaseIndex: Math.max(0, phase.index), cycleIndex: Math.max(0, phase.cycle - 1) };
  const request = { projectId, requestId, metadata: { requestId } };
  return { ...place, ...request, source, type, direction, toolName, summary, details, ...known, ...indexes };
}

function call(
  { frames }: Trace,
  { type }: EventOf<'step.opened' | 'step.started' | 'step.retried'>,
  step: OpenStep<Traced>,
): void {
  step.own.requested = {};
  const { kind } = step.opening;
  // A message that waits for a person, or for its turn, has not been sent.
  if (kind === 'turn' && step.isBegun) frames.push(lines.modelCalled(step));
  if (type === 'step.started') return;
  if (kind === 'call' || (kind === 'misfit' && type === 'step.opened')) frames.push(lines.toolCalled(step));
}

function enter(
  { memory, frames }: Trace,
  event: EventOf<'phase.entered'>,
  { id, own }: OpenStep<Traced>,
): void {
  const { phase, batch, cycle, reason } = event;
  const before = memory.phases.get(id);
  if (before) frames.push(lines.phaseEnded(before, reason), lines.phaseChanged(before, event));
  memory.phases.delete(id);
  if (phase === 'complete') return;
  own.phase = { phase, batch, cycle, index: memory.nextPhase };
  memory.nextPhase += 1;
  memory.phases.set(id, own.phase);
  frames.push(lines.phaseStarted(own.phase, reason));
}

function close({ memory, frames, at }: Trace, event: Closing, step: OpenStep<Traced>): void {
  // That a step went with the one above it is not news to an operator.
  if (event.isImplied) return;
  const { id, opening, call } = step;
  const { reusedFrom, outcome } = event;
  const { phases, ended } = memory;
  const unfinished = phases.get(id);
  phases.delete(id);
  if (unfinished) frames.push(lines.phaseEnded(unfinished, outcome));
  if (opening.kind === 'turn') {
    if (!step.isBegun) frames.push(lines.modelCalled(step));
    frames.push(lines.modelAnswered(step, event, at));
  }
  if (opening.kind === 'registration' && outcome === 'completed')
    frames.push(lines.toolsRegistered(step, event));
  if (isToolCall(step)) {
    if (reusedFrom !== undefined) frames.push(lines.duplicateBlocked(step, reusedFrom, memory));
    frames.push(lines.toolReturned(step, event, at));
  }
  if (call) ended.set(id, at);
}
