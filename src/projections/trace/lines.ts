import type { EventOf, StepId } from '../../run/events.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { TraceEvent } from '../../wire/trace.ts';
import type { Closing, OpenStep } from '../story.ts';
import { because, textOf } from '../text-of.ts';
import { isoTime } from '../time-text.ts';
import { attemptsOf, toolOf } from '../tool-call.ts';

/** A line of the trace, before it gets its place; what is said of it is cut to one line there. */
export interface TraceLine extends Pick<TraceEvent, 'type' | 'toolName' | 'summary' | 'details' | 'error'> {
  readonly phase?: TracedPhase | undefined;
}

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

const previewLength = 1_200;

export function userMessage(text: BlobRef | string, details: TraceLine['details']): TraceLine {
  const said = textOf(text);
  const summary = said.trim() || 'A message without text';
  return { type: 'user_message', summary, details: { text: preview(said), ...details } };
}

/** What was sent is kept beside the journal, under the step: see `withPrompts`. */
export function modelCalled(step: Step): TraceLine {
  const { id, opening, model = null, isBegun, own } = step;
  const { agent = null } = opening;
  const summary = `${isBegun ? 'Asked' : 'Did not ask'} ${agent ?? 'a model'}${again(step)}`;
  const details = { step: id, agent, model, attempt: attemptsOf(step) };
  return inPhase(own.phase, { type: 'llm_call', summary, details });
}

export function modelAnswered(step: Step, { outcome, failure, usage }: Closing, at: number): TraceLine {
  const { own, opening, openedAt, text } = step;
  const said = text.slice(0, previewLength).toWellFormed();
  const toolCalls = Object.entries(own.requested).map(([id, name]) => ({ id, name }));
  const asked = toolCalls.length > 0 ? `Asked for ${toolCalls.map(({ name }) => name).join(', ')}` : said;
  const summary = (failure?.message ?? asked).trim() || `${opening.agent ?? 'The model'} said nothing`;
  const details = {
    text: text.length > previewLength ? `${said}…` : said,
    toolCalls,
    outcome,
    milliseconds: at - openedAt,
    ...(usage && { usage: { input: usage.input, output: usage.output } }),
  };
  return inPhase(own.phase, { type: 'llm_result', summary, details, error: failure });
}

export function toolCalled(step: Step): TraceLine {
  const { call, opening, isBegun, own } = step;
  const toolName = toolOf(step);
  const known = call && { toolCallId: call.id, signature: preview(call.signature), effect: call.effect };
  const details = {
    arguments: call ? shown(call.arguments) : (opening.query ?? ''),
    attempt: attemptsOf(step),
    ...(known ?? { malformed: true }),
  };
  const summary = `${isBegun ? 'Called' : 'Asked for'} ${toolName}${again(step)}`;
  return inPhase(own.phase, { type: 'tool_call', toolName, summary, details });
}

export function toolReturned(step: Step, { outcome, failure, result }: Closing, at: number): TraceLine {
  const toolName = toolOf(step);
  const details = {
    toolCallId: step.call?.id ?? null,
    outcome,
    result: shown(result),
    attempts: attemptsOf(step),
    milliseconds: at - step.openedAt,
  };
  const summary = because(`${toolName} ${outcome}`, failure?.message, '');
  return inPhase(step.own.phase, { type: 'tool_result', toolName, summary, details, error: failure });
}

/** What is remembered of the run: its request, and when calls ended. */
interface Remembered {
  readonly requestId: string;
  readonly ended: ReadonlyMap<StepId, number>;
}

export function duplicateBlocked(step: Step, reusedFrom: StepId, run: Remembered): TraceLine {
  const toolName = toolOf(step);
  const previous = run.ended.get(reusedFrom);
  const details = {
    toolName,
    signature: preview(step.call?.signature ?? ''),
    duplicate: true,
    requestId: run.requestId,
    blocked: true,
    reason: 'signature_seen_recently_in_request',
    previous_timestamp: previous === undefined ? null : isoTime(previous),
    previous_step: reusedFrom,
  };
  const summary = `${toolName} was asked for again; an earlier outcome is used`;
  return inPhase(step.own.phase, { type: 'duplicate_tool_call', toolName, summary, details });
}

export function toolsRegistered({ opening, own: { phase } }: Step, { result }: Closing): TraceLine {
  const { query = '' } = opening;
  const tools = query === '' ? [] : query.split(', ');
  const summary = `${tools.length} tools: ${query}`;
  return { type: 'tool_registration', summary, details: { tools, rules: shown(result) }, phase };
}

export function phaseStarted(phase: TracedPhase, reason: string | null = null): TraceLine {
  const summary = `${phase.phase} of batch ${phase.batch} begins`;
  return inPhase(phase, { type: 'orchestration_phase_start', summary, details: { reason } });
}

export function phaseEnded(phase: TracedPhase, reason: string | undefined): TraceLine {
  const summary = because(`${phase.phase} of batch ${phase.batch} is over`, reason, '');
  const details = { reason: reason ?? 'completed' };
  return inPhase(phase, { type: 'orchestration_phase_end', summary, details });
}

export function phaseChanged(phase: TracedPhase, event: EventOf<'phase.entered'>): TraceLine {
  const { phase: toPhase, batch: toolBatchId, reason = null } = event;
  const { phase: fromPhase } = phase;
  const details = { fromPhase, toPhase, reason, toolBatchId };
  return { type: 'phase_transition', summary: `From ${fromPhase} to ${toPhase}`, details, phase };
}

export function answered({ outcome, answer = '' }: EventOf<'run.ended'>): TraceLine {
  const text = textOf(answer);
  const content = preview(text, isBlobRef(answer) ? answer.size : text.length);
  const summary = text.trim() || `The run ended without an answer (${outcome})`;
  return { type: 'orion_response', summary, details: { content, outcome } };
}

/** What a person was asked, and what became of it. */
export function asked(event: EventOf<'approval.requested'>): TraceLine {
  const { approval, step, title, message = null, fingerprint, arguments: given } = event;
  const details = { approval, step, message, fingerprint, arguments: shown(given) };
  return { type: 'approval_requested', summary: `Asked a person: ${title}`, details };
}

export function decided(event: EventOf<'approval.decided'>): TraceLine {
  const { approval, by, decision, rationale = null, arguments: given } = event;
  const made = given === undefined ? undefined : shown(given);
  const text = typeof made === 'string' ? made : JSON.stringify(made);
  const summary = because(`${by} decided «${decision}»`, text, '');
  const details = { approval, by, decision, rationale, arguments: made };
  return { type: 'approval_decided', summary, details };
}

export function lapsed({ approval, reason }: EventOf<'approval.lapsed'>): TraceLine {
  const summary = `The question lapsed: ${reason}`;
  return { type: 'approval_lapsed', summary, details: { approval, reason } };
}

export function returned({ approval }: EventOf<'approval.returned'>): TraceLine {
  const summary = 'The question that was put off is asked again';
  return { type: 'approval_returned', summary, details: { approval } };
}

const controls = {
  'run.paused': { type: 'run_paused', what: 'paused the run' },
  'run.resumed': { type: 'run_resumed', what: 'resumed the run' },
  'stop.requested': { type: 'run_stopped', what: 'stopped the run' },
} as const;

/** What somebody asked of the run as a whole. */
export function controlled({ type: told, by, reason }: EventOf<keyof typeof controls>): TraceLine {
  const { type, what } = controls[told];
  return { type, summary: because(`${by} ${what}`, reason, ''), details: { by, reason: reason ?? null } };
}

export function systemError(error: { readonly code: string; readonly message: string }): TraceLine {
  const summary = error.message.trim() || 'Something went wrong';
  return { type: 'system_error', summary, details: { code: error.code }, error };
}

/** A line that says in which phase it stands. */
function inPhase(phase: TracedPhase | undefined, line: TraceLine): TraceLine {
  if (!phase) return line;
  const place = { phase: phase.phase, toolBatchId: phase.batch, cycle: phase.cycle };
  return { ...line, details: { ...line.details, ...place }, phase };
}

function again(step: Step): string {
  const attempts = attemptsOf(step);
  return attempts > 1 ? ` again (attempt ${attempts})` : '';
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
