import type { EventOf, StepId } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { TraceEvent } from '../../wire/trace.ts';
import type { OpenStep } from '../story.ts';
import { isoTime } from '../time-text.ts';

/** A line of the trace, before it gets its place. */
export type TraceLine = Pick<TraceEvent, 'source' | 'type' | 'summary' | 'details'> &
  Partial<Pick<TraceEvent, 'direction' | 'toolName' | 'error'>> & {
    readonly phase?: TracedPhase | undefined;
  };

/** A phase in force: its number among the phases of the run, from 0, and what it says of itself. */
export interface TracedPhase {
  readonly phase: EventOf<'phase.entered'>['phase'];
  readonly batch: number;
  readonly cycle: number;
  readonly index: number;
}

/** What a trace remembers of an open step. */
export interface Traced {
  phase: TracedPhase | undefined;
  /** Calls a model asked for, by its own ids. */
  requested: Record<string, string>;
}

type Step = OpenStep<Traced>;
type Details = TraceLine['details'];

const previewLength = 1_200;
const summaryLength = 160;

export function userMessage(text: BlobRef | string, details: Details): TraceLine {
  const shown = typeof text === 'string' ? text : (text.preview ?? '');
  const summary = summaryOf(shown, 'A message without text');
  const said = { text: preview(shown), ...details };
  return { source: 'user', type: 'user_message', direction: 'inbound', summary, details: said };
}

/** What was sent is kept beside the journal, under the step: see `withPrompts`. */
export function modelCalled({ id, opening, model, isBegun, own: { phase }, ...step }: Step): TraceLine {
  const { agent = null } = opening;
  const attempt = isBegun ? step.attempt : 0;
  const who = agent ?? 'a model';
  const again = attempt > 1 ? ` again (attempt ${attempt})` : '';
  const summary = summaryOf(isBegun ? `Asked ${who}${again}` : `Did not ask ${who}`, 'Asked a model');
  const details = { step: id, agent, model: model ?? null, attempt, ...placeOf(phase) };
  return { source: 'orion', type: 'llm_call', direction: 'outbound', summary, details, phase };
}

export function modelAnswered(step: Step, event: EventOf<'step.closed'>, at: number): TraceLine {
  const { own, opening, openedAt } = step;
  const { outcome, failure, usage } = event;
  const text = step.text.slice(0, previewLength).toWellFormed();
  const toolCalls = Object.entries(own.requested).map(([id, name]) => ({ id, name }));
  const asked = toolCalls.length > 0 ? `Asked for ${toolCalls.map(({ name }) => name).join(', ')}` : '';
  const silence = `${opening.agent ?? 'The model'} said nothing`;
  const details = {
    text: step.text.length > previewLength ? `${text}…` : text,
    toolCalls,
    outcome,
    milliseconds: at - openedAt,
    ...(usage && { usage: { input: usage.input, output: usage.output } }),
    ...placeOf(own.phase),
  };
  const summary = summaryOf(failure?.message ?? (asked || text), silence);
  const line = { source: 'orion', type: 'llm_result', direction: 'inbound', summary, details } as const;
  return { ...line, error: errorOf(failure), phase: own.phase };
}

export function toolCalled(step: Step): TraceLine {
  const { call, opening, isBegun, own } = step;
  const attempt = isBegun ? step.attempt : 0;
  const toolName = toolOf(step);
  const again = attempt > 1 ? ` again (attempt ${attempt})` : '';
  const summary = summaryOf(`${isBegun ? 'Called' : 'Asked for'} ${toolName}${again}`, 'Called a tool');
  const details = {
    arguments: call ? shown(call.arguments) : (opening.query ?? ''),
    attempt,
    ...(call
      ? { toolCallId: call.id, signature: preview(call.signature), effect: call.effect }
      : { malformed: true }),
    ...placeOf(own.phase),
  };
  const line = {
    source: 'tool',
    type: 'tool_call',
    direction: 'outbound',
    toolName,
    summary,
    details,
  } as const;
  return { ...line, phase: own.phase };
}

export function toolReturned(step: Step, event: EventOf<'step.closed'>, at: number): TraceLine {
  const { call, attempt, isBegun, openedAt, own } = step;
  const { outcome, failure, result } = event;
  const toolName = toolOf(step);
  const why = failure ? `: ${failure.message}` : '';
  const summary = summaryOf(`${toolName} ${outcome}${why}`, 'A tool returned');
  const details = {
    toolCallId: call?.id ?? null,
    outcome,
    result: shown(result),
    attempts: isBegun ? attempt : 0,
    milliseconds: at - openedAt,
    ...placeOf(own.phase),
  };
  const line = {
    source: 'tool',
    type: 'tool_result',
    direction: 'inbound',
    toolName,
    summary,
    details,
  } as const;
  return { ...line, error: errorOf(failure), phase: own.phase };
}

interface Repeated {
  readonly requestId: string;
  /** When the first of them ended. */
  readonly previous: number | undefined;
  readonly reusedFrom: StepId;
}

export function duplicateBlocked(step: Step, { requestId, previous, reusedFrom }: Repeated): TraceLine {
  const toolName = toolOf(step);
  const { phase } = step.own;
  const summary = summaryOf(
    `${toolName} was asked for again; an earlier outcome is used`,
    'A duplicate was blocked',
  );
  const details = {
    toolName,
    signature: preview(step.call?.signature ?? ''),
    duplicate: true,
    requestId,
    blocked: true,
    reason: 'signature_seen_recently_in_request',
    previous_timestamp: previous === undefined ? null : isoTime(previous),
    previous_step: reusedFrom,
    ...placeOf(phase),
  };
  return { source: 'system', type: 'duplicate_tool_call', toolName, summary, details, phase };
}

export function toolsRegistered({ opening, own }: Step, { result }: EventOf<'step.closed'>): TraceLine {
  const { query = '' } = opening;
  const tools = query === '' ? [] : query.split(', ');
  const details = { tools, rules: shown(result) };
  const summary = summaryOf(`${tools.length} tools: ${query}`, 'Tools');
  return { source: 'system', type: 'tool_registration', summary, details, phase: own.phase };
}

export function phaseStarted(phase: TracedPhase, reason: string | undefined): TraceLine {
  const summary = `${phase.phase} of batch ${phase.batch} begins`;
  const details = { reason: reason ?? null, ...placeOf(phase) };
  return { source: 'system', type: 'orchestration_phase_start', summary, details, phase };
}

export function phaseEnded(phase: TracedPhase, reason: string | undefined): TraceLine {
  const why = reason === undefined ? '' : `: ${reason}`;
  const summary = `${phase.phase} of batch ${phase.batch} is over${why}`;
  const details = { reason: reason ?? 'completed', ...placeOf(phase) };
  return { source: 'system', type: 'orchestration_phase_end', summary, details, phase };
}

export function phaseChanged(from: TracedPhase, event: EventOf<'phase.entered'>): TraceLine {
  const { phase: toPhase, batch, reason = null } = event;
  const summary = `From ${from.phase} to ${toPhase}`;
  const details = { fromPhase: from.phase, toPhase, reason, toolBatchId: batch };
  return { source: 'system', type: 'phase_transition', summary, details, phase: from };
}

export function answered({ outcome, answer }: EventOf<'run.ended'>): TraceLine {
  const text = typeof answer === 'string' ? answer : (answer?.preview ?? '');
  const size = typeof answer === 'string' ? text.length : (answer?.size ?? 0);
  const summary = summaryOf(text, `The run ended without an answer (${outcome})`);
  const details = { content: preview(text, size), outcome };
  return { source: 'orion', type: 'orion_response', direction: 'outbound', summary, details };
}

/** What a person was asked, and what became of it. */
export function asked(event: EventOf<'approval.requested'>): TraceLine {
  const { approval, step, title, message = null, fingerprint, arguments: given } = event;
  const summary = summaryOf(`Asked a person: ${title}`, 'Asked a person');
  const details = { approval, step, message, fingerprint, arguments: shown(given) };
  return { source: 'system', type: 'approval_requested', summary, details };
}

export function decided(event: EventOf<'approval.decided'>): TraceLine {
  const { approval, by, decision, rationale, arguments: made } = event;
  const text = made === undefined ? '' : `: ${plain(shown(made))}`;
  const summary = summaryOf(`${by} decided «${decision}»${text}`, 'Decided');
  const edited = made === undefined ? {} : { arguments: shown(made) };
  const details = { approval, by, decision, rationale: rationale ?? null, ...edited };
  return { source: 'user', type: 'approval_decided', summary, details };
}

export function lapsed({ approval, reason }: EventOf<'approval.lapsed'>): TraceLine {
  const summary = summaryOf(`The question lapsed: ${reason}`, 'The question lapsed');
  return { source: 'system', type: 'approval_lapsed', summary, details: { approval, reason } };
}

export function returned({ approval }: EventOf<'approval.returned'>): TraceLine {
  const summary = 'The question that was put off is asked again';
  return { source: 'system', type: 'approval_returned', summary, details: { approval } };
}

const controls = {
  'run.paused': { type: 'run_paused', what: 'paused the run' },
  'run.resumed': { type: 'run_resumed', what: 'resumed the run' },
  'stop.requested': { type: 'run_stopped', what: 'stopped the run' },
} as const;

/** What somebody asked of the run as a whole. */
export function controlled({ type: told, by, reason }: EventOf<keyof typeof controls>): TraceLine {
  const { type, what } = controls[told];
  const summary = summaryOf(reason === undefined ? `${by} ${what}` : `${by} ${what}: ${reason}`, what);
  return { source: 'user', type, summary, details: { by, reason: reason ?? null } };
}

export function systemError({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): TraceLine {
  const summary = summaryOf(message, 'Something went wrong');
  return { source: 'system', type: 'system_error', summary, details: { code }, error: { message, code } };
}

function toolOf({ call, opening }: Step): string {
  return call?.tool ?? opening.title;
}

function placeOf(phase: TracedPhase | undefined): Details {
  return phase ? { phase: phase.phase, toolBatchId: phase.batch, cycle: phase.cycle } : {};
}

function errorOf(failure: Failure | undefined): TraceEvent['error'] {
  return failure && { message: failure.message, code: failure.code };
}

/** A value as far as a dashboard shows it; what is longer is the beginning of its JSON. */
function shown(value: BlobRef | Json | undefined): Json {
  if (value === undefined) return null;
  if (isBlobRef(value)) return preview(value.preview ?? '', value.size);
  const text = JSON.stringify(value);
  return text.length > previewLength ? preview(text) : value;
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
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
