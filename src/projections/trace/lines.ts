import type { EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { TraceEvent } from '../../wire/trace.ts';
import { previewLength, type TracedPhase, type TracedStep } from './state.ts';
import { isoTime } from '../time-text.ts';

/** A line of the trace, before it gets its place. */
export type TraceLine = Pick<TraceEvent, 'source' | 'type' | 'summary' | 'details'> &
  Partial<Pick<TraceEvent, 'direction' | 'toolName' | 'error'>> & {
    readonly phase?: TracedPhase | undefined;
  };

const summaryLength = 160;

export function userMessage(text: BlobRef | string, details: TraceLine['details']): TraceLine {
  const shown = typeof text === 'string' ? text : (text.preview ?? '');
  return {
    source: 'user',
    type: 'user_message',
    direction: 'inbound',
    summary: summaryOf(shown, 'A message without text'),
    details: { text: preview(shown), ...details },
  };
}

/** What was sent is kept beside the journal, under the step: see `withPrompts`. */
export function modelCalled(
  { agent, model, attempt, phase }: TracedStep,
  step: EventOf<'step.opened'>['step'],
): TraceLine {
  const who = agent ?? 'a model';
  return {
    source: 'orion',
    type: 'llm_call',
    direction: 'outbound',
    summary: summaryOf(
      attempt > 1 ? `Asked ${who} again (attempt ${attempt})` : `Asked ${who}`,
      'Asked a model',
    ),
    details: { step, agent: agent ?? null, model: model ?? null, attempt, ...placeOf(phase) },
    phase,
  };
}

export function modelAnswered(step: TracedStep, event: EventOf<'step.closed'>, at: number): TraceLine {
  const { text, isCut, phase, agent } = step;
  const toolCalls = Object.entries(step.requested).map(([id, name]) => ({ id, name }));
  const asked = toolCalls.length > 0 ? `Asked for ${toolCalls.map(({ name }) => name).join(', ')}` : '';
  const usage: TraceLine['details'] = event.usage
    ? { usage: { input: event.usage.input, output: event.usage.output } }
    : {};
  return {
    source: 'orion',
    type: 'llm_result',
    direction: 'inbound',
    summary: summaryOf(event.failure?.message ?? (asked || text), `${agent ?? 'The model'} said nothing`),
    details: {
      text: isCut ? `${text}…` : text,
      toolCalls,
      outcome: event.outcome,
      milliseconds: at - step.openedAt,
      ...usage,
      ...placeOf(phase),
    },
    ...errorOf(event.failure),
    phase,
  };
}

export function toolCalled(step: TracedStep): TraceLine {
  const { call, title, query, isBegun, phase } = step;
  const attempt = isBegun ? step.attempt : 0;
  const tool = call?.tool ?? title;
  const written: Json = call ? shown(call.arguments) : (query ?? '');
  const details: TraceLine['details'] = call
    ? { toolCallId: call.id, signature: preview(call.signature), effect: call.effect }
    : { malformed: true };
  const again = attempt > 1 ? ` again (attempt ${attempt})` : '';
  return {
    source: 'tool',
    type: 'tool_call',
    direction: 'outbound',
    toolName: tool,
    summary: summaryOf(`${isBegun ? 'Called' : 'Asked for'} ${tool}${again}`, 'Called a tool'),
    details: { arguments: written, attempt, ...details, ...placeOf(phase) },
    phase,
  };
}

export function toolReturned(step: TracedStep, event: EventOf<'step.closed'>, at: number): TraceLine {
  const { call, title, attempt, isBegun, phase } = step;
  const tool = call?.tool ?? title;
  const { outcome, failure, result } = event;
  return {
    source: 'tool',
    type: 'tool_result',
    direction: 'inbound',
    toolName: tool,
    summary: summaryOf(
      failure ? `${tool} ${outcome}: ${failure.message}` : `${tool} ${outcome}`,
      'A tool returned',
    ),
    details: {
      toolCallId: call?.id ?? null,
      outcome,
      result: result === undefined ? null : shown(result),
      attempts: isBegun ? attempt : 0,
      milliseconds: at - step.openedAt,
      ...placeOf(phase),
    },
    ...errorOf(failure),
    phase,
  };
}

interface Repeated {
  readonly requestId: string;
  /** When the first of them ended. */
  readonly previous: number | undefined;
  readonly reusedFrom: number | undefined;
}

export function duplicateBlocked(
  { call, title, phase }: TracedStep,
  { requestId, previous, reusedFrom }: Repeated,
): TraceLine {
  const tool = call?.tool ?? title;
  return {
    source: 'system',
    type: 'duplicate_tool_call',
    toolName: tool,
    summary: summaryOf(`${tool} was asked for again; an earlier outcome is used`, 'A duplicate was blocked'),
    details: {
      toolName: tool,
      signature: preview(call?.signature ?? ''),
      duplicate: true,
      requestId,
      blocked: true,
      reason: 'signature_seen_recently_in_request',
      previous_timestamp: previous === undefined ? null : isoTime(previous),
      previous_step: reusedFrom ?? null,
      ...placeOf(phase),
    },
    phase,
  };
}

export function toolsRegistered(
  { query = '', phase }: TracedStep,
  { result }: EventOf<'step.closed'>,
): TraceLine {
  const tools = query === '' ? [] : query.split(', ');
  return {
    source: 'system',
    type: 'tool_registration',
    summary: summaryOf(`${tools.length} tools: ${query}`, 'Tools'),
    details: { tools, rules: result === undefined ? null : shown(result) },
    phase,
  };
}

export function phaseStarted(phase: TracedPhase, reason: string | undefined): TraceLine {
  return {
    source: 'system',
    type: 'orchestration_phase_start',
    summary: `${phase.phase} of batch ${phase.batch} begins`,
    details: { reason: reason ?? null, ...placeOf(phase) },
    phase,
  };
}

export function phaseEnded(phase: TracedPhase, reason: string | undefined): TraceLine {
  return {
    source: 'system',
    type: 'orchestration_phase_end',
    summary: `${phase.phase} of batch ${phase.batch} is over${reason === undefined ? '' : `: ${reason}`}`,
    details: { reason: reason ?? 'completed', ...placeOf(phase) },
    phase,
  };
}

export function phaseChanged(
  from: TracedPhase,
  { phase, batch, reason }: EventOf<'phase.entered'>,
): TraceLine {
  return {
    source: 'system',
    type: 'phase_transition',
    summary: `From ${from.phase} to ${phase}`,
    details: { fromPhase: from.phase, toPhase: phase, reason: reason ?? null, toolBatchId: batch },
    phase: from,
  };
}

export function answered({ outcome, answer }: EventOf<'run.ended'>): TraceLine {
  const text = typeof answer === 'string' ? answer : (answer?.preview ?? '');
  const size = typeof answer === 'string' ? text.length : (answer?.size ?? 0);
  return {
    source: 'orion',
    type: 'orion_response',
    direction: 'outbound',
    summary: summaryOf(text, `The run ended without an answer (${outcome})`),
    details: { content: preview(text, size), outcome },
  };
}

type Asked = EventOf<'approval.requested' | 'approval.decided' | 'approval.lapsed'>;

/** What a person was asked, and what became of it. */
export function question(event: Asked): TraceLine {
  const details = { approval: event.approval };
  switch (event.type) {
    case 'approval.requested': {
      const { step, title, message = null, fingerprint, arguments: asked } = event;
      const about = { step, message, fingerprint, arguments: asked === undefined ? null : shown(asked) };
      const summary = summaryOf(`Asked a person: ${title}`, 'Asked a person');
      return { source: 'system', type: 'approval_requested', summary, details: { ...details, ...about } };
    }
    case 'approval.decided': {
      const { by, decision, rationale = null } = event;
      const summary = summaryOf(`${by} decided «${decision}»`, 'Decided');
      return {
        source: 'user',
        type: 'approval_decided',
        summary,
        details: { ...details, by, decision, rationale },
      };
    }
    case 'approval.lapsed': {
      const summary = summaryOf(`The question lapsed: ${event.reason}`, 'The question lapsed');
      return {
        source: 'system',
        type: 'approval_lapsed',
        summary,
        details: { ...details, reason: event.reason },
      };
    }
  }
}

const controls = {
  'run.paused': { type: 'run_paused', what: 'paused the run' },
  'run.resumed': { type: 'run_resumed', what: 'resumed the run' },
  'stop.requested': { type: 'run_stopped', what: 'stopped the run' },
} as const;

/** What somebody asked of the run as a whole. */
export function controlled({ type, by, reason }: EventOf<keyof typeof controls>): TraceLine {
  const { type: told, what } = controls[type];
  const why = reason === undefined ? '' : `: ${reason}`;
  return {
    source: 'user',
    type: told,
    summary: summaryOf(`${by} ${what}${why}`, what),
    details: { by, reason: reason ?? null },
  };
}

export function systemError(failure: { readonly code: string; readonly message: string }): TraceLine {
  const { code, message } = failure;
  return {
    source: 'system',
    type: 'system_error',
    summary: summaryOf(message, 'Something went wrong'),
    details: { code },
    error: { message, code },
  };
}

function placeOf(phase: TracedPhase | undefined): TraceLine['details'] {
  return phase ? { phase: phase.phase, toolBatchId: phase.batch, cycle: phase.cycle } : {};
}

function errorOf(failure: Failure | undefined): Pick<TraceEvent, 'error'> {
  return failure ? { error: { message: failure.message, code: failure.code } } : {};
}

/** A value as far as a dashboard shows it; what is longer is the beginning of its JSON. */
function shown(value: BlobRef | Json): Json {
  if (isBlobRef(value)) return preview(value.preview ?? '', value.size);
  const text = JSON.stringify(value);
  return text.length > previewLength ? preview(text) : value;
}

function preview(text: string, size = text.length): string {
  const kept = text.slice(0, previewLength).toWellFormed();
  return size > previewLength ? `${kept}… (${size} in all)` : kept;
}

function summaryOf(text: string, otherwise: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return otherwise;
  return line.length > summaryLength ? `${line.slice(0, summaryLength).toWellFormed()}…` : line;
}
