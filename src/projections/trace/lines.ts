import type { EventOf, StepId } from '../../run/events.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { TraceEvent } from '../../wire/trace.ts';
import type { Closing, OpenStep } from '../story.ts';
import { because } from '../text-of.ts';
import { isoTime } from '../time-text.ts';

/** A line of the trace, before it gets its place; what is said of it is cut to one line there. */
export type TraceLine = Omit<TraceEvent, 'id' | 'timestamp' | 'projectId' | 'requestId' | 'metadata'> & {
  readonly phase?: TracedPhase | undefined;
};

/** A phase in force: its number among the phases of the run, from 0, and what it says of itself. */
export interface TracedPhase extends Pick<EventOf<'phase.entered'>, 'phase' | 'batch' | 'cycle'> {
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

export function userMessage(text: BlobRef | string, details: Details): TraceLine {
  const shown = isBlobRef(text) ? (text.preview ?? '') : text;
  const summary = shown.trim() || 'A message without text';
  return {
    source: 'user',
    type: 'user_message',
    direction: 'inbound',
    summary,
    details: { text: preview(shown), ...details },
  };
}

/** What was sent is kept beside the journal, under the step: see `withPrompts`. */
export function modelCalled(step: Step): TraceLine {
  const { id, opening, model = null, isBegun } = step;
  const { phase } = step.own;
  const { agent = null } = opening;
  const details = { step: id, agent, model, attempt: attemptsOf(step), ...placeOf(phase) };
  const summary = `${isBegun ? 'Asked' : 'Did not ask'} ${agent ?? 'a model'}${again(step)}`;
  return { source: 'orion', type: 'llm_call', direction: 'outbound', summary, details, phase };
}

export function modelAnswered(step: Step, { outcome, failure, usage }: Closing, at: number): TraceLine {
  const { own, opening, openedAt } = step;
  const said = step.text.slice(0, previewLength).toWellFormed();
  const toolCalls = Object.entries(own.requested).map(([id, name]) => ({ id, name }));
  const asked = toolCalls.length > 0 ? `Asked for ${toolCalls.map(({ name }) => name).join(', ')}` : said;
  const details = {
    text: step.text.length > previewLength ? `${said}…` : said,
    toolCalls,
    outcome,
    milliseconds: at - openedAt,
    ...(usage && { usage: { input: usage.input, output: usage.output } }),
    ...placeOf(own.phase),
  };
  const summary = (failure?.message ?? asked).trim() || `${opening.agent ?? 'The model'} said nothing`;
  const line = { source: 'orion', type: 'llm_result', direction: 'inbound', summary, details } as const;
  return { ...line, error: failure, phase: own.phase };
}

export function toolCalled(step: Step): TraceLine {
  const { call, opening, isBegun, own } = step;
  const toolName = toolOf(step);
  const details = {
    arguments: call ? shown(call.arguments) : (opening.query ?? ''),
    attempt: attemptsOf(step),
    ...(call
      ? { toolCallId: call.id, signature: preview(call.signature), effect: call.effect }
      : { malformed: true }),
    ...placeOf(own.phase),
  };
  const summary = `${isBegun ? 'Called' : 'Asked for'} ${toolName}${again(step)}`;
  const line = { source: 'tool', type: 'tool_call', direction: 'outbound', toolName } as const;
  return { ...line, summary, details, phase: own.phase };
}

export function toolReturned(step: Step, { outcome, failure, result }: Closing, at: number): TraceLine {
  const { call, openedAt, own } = step;
  const toolName = toolOf(step);
  const details = {
    toolCallId: call?.id ?? null,
    outcome,
    result: shown(result),
    attempts: attemptsOf(step),
    milliseconds: at - openedAt,
    ...placeOf(own.phase),
  };
  const summary = because(`${toolName} ${outcome}`, failure?.message, '');
  const line = { source: 'tool', type: 'tool_result', direction: 'inbound', toolName } as const;
  return { ...line, summary, details, error: failure, phase: own.phase };
}

/** What is remembered of the run: its request, and when calls ended. */
interface Remembered {
  readonly requestId: string;
  readonly ended: ReadonlyMap<StepId, number>;
}

export function duplicateBlocked(
  step: Step,
  reusedFrom: StepId,
  { requestId, ended }: Remembered,
): TraceLine {
  const toolName = toolOf(step);
  const { phase } = step.own;
  const previous = ended.get(reusedFrom);
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
  const summary = `${toolName} was asked for again; an earlier outcome is used`;
  return { source: 'system', type: 'duplicate_tool_call', toolName, summary, details, phase };
}

export function toolsRegistered({ opening, own: { phase } }: Step, { result }: Closing): TraceLine {
  const { query = '' } = opening;
  const tools = query === '' ? [] : query.split(', ');
  const summary = `${tools.length} tools: ${query}`;
  const details = { tools, rules: shown(result) };
  return { source: 'system', type: 'tool_registration', summary, details, phase };
}

export function phaseStarted(phase: TracedPhase, reason: string | undefined): TraceLine {
  const summary = `${phase.phase} of batch ${phase.batch} begins`;
  const details = { reason: reason ?? null, ...placeOf(phase) };
  return { source: 'system', type: 'orchestration_phase_start', summary, details, phase };
}

export function phaseEnded(phase: TracedPhase, reason: string | undefined): TraceLine {
  const summary = because(`${phase.phase} of batch ${phase.batch} is over`, reason, '');
  const details = { reason: reason ?? 'completed', ...placeOf(phase) };
  return { source: 'system', type: 'orchestration_phase_end', summary, details, phase };
}

export function phaseChanged(phase: TracedPhase, event: EventOf<'phase.entered'>): TraceLine {
  const { phase: toPhase, batch: toolBatchId, reason = null } = event;
  const details = { fromPhase: phase.phase, toPhase, reason, toolBatchId };
  return {
    source: 'system',
    type: 'phase_transition',
    summary: `From ${phase.phase} to ${toPhase}`,
    details,
    phase,
  };
}

export function answered({ outcome, answer = '' }: EventOf<'run.ended'>): TraceLine {
  const [text, size] = isBlobRef(answer) ? [answer.preview ?? '', answer.size] : [answer, answer.length];
  const summary = text.trim() || `The run ended without an answer (${outcome})`;
  return {
    source: 'orion',
    type: 'orion_response',
    direction: 'outbound',
    summary,
    details: { content: preview(text, size), outcome },
  };
}

/** What a person was asked, and what became of it. */
export function asked(event: EventOf<'approval.requested'>): TraceLine {
  const { approval, step, title, message = null, fingerprint, arguments: given } = event;
  const details = { approval, step, message, fingerprint, arguments: shown(given) };
  return { source: 'system', type: 'approval_requested', summary: `Asked a person: ${title}`, details };
}

export function decided(event: EventOf<'approval.decided'>): TraceLine {
  const { approval, by, decision, rationale = null, arguments: given } = event;
  const made = given === undefined ? undefined : shown(given);
  const text = typeof made === 'string' ? made : JSON.stringify(made);
  const details = { approval, by, decision, rationale, arguments: made };
  const summary = because(`${by} decided «${decision}»`, text, '');
  return { source: 'user', type: 'approval_decided', summary, details };
}

export function lapsed({ approval, reason }: EventOf<'approval.lapsed'>): TraceLine {
  const summary = `The question lapsed: ${reason}`;
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
  const summary = because(`${by} ${what}`, reason, '');
  return { source: 'user', type, summary, details: { by, reason: reason ?? null } };
}

export function systemError(error: { readonly code: string; readonly message: string }): TraceLine {
  const summary = error.message.trim() || 'Something went wrong';
  return { source: 'system', type: 'system_error', summary, details: { code: error.code }, error };
}

/** What is blocked, refused or does not fit was never tried. */
function attemptsOf({ isBegun, attempt }: Step): number {
  return isBegun ? attempt : 0;
}

function again(step: Step): string {
  const attempts = attemptsOf(step);
  return attempts > 1 ? ` again (attempt ${attempts})` : '';
}

function toolOf({ call, opening }: Step): string {
  return call?.tool ?? opening.title;
}

function placeOf(phase: TracedPhase | undefined): Details {
  return phase ? { phase: phase.phase, toolBatchId: phase.batch, cycle: phase.cycle } : {};
}

/** A value as far as a dashboard shows it; what is longer is the beginning of its JSON. */
function shown(value: BlobRef | Json | undefined): Json {
  if (value === undefined) return null;
  if (isBlobRef(value)) return preview(value.preview ?? '', value.size);
  const text = JSON.stringify(value);
  return text.length > previewLength ? preview(text) : value;
}

function preview(text: string, size = text.length): string {
  const kept = text.slice(0, previewLength).toWellFormed();
  return size > previewLength ? `${kept}… (${size} in all)` : kept;
}
