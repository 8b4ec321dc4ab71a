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

/** A phase in force, and its number among the phases of the run, from 0. */
export type TracedPhase = EventOf<'phase.entered'> & { readonly index: number };

/** What a trace remembers of a run beside its open steps. */
export interface Memory {
  readonly run: string;
  projectId: string;
  requestId: string;
  /** Phases that were entered and not left, by the step that entered them. */
  readonly phases: Map<StepId, TracedPhase>;
  /** When calls ended, for those that use their outcome again. */
  readonly ended: Map<StepId, number>;
  nextPhase: number;
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

export function duplicateBlocked(step: Step, reusedFrom: StepId, run: Memory): TraceLine {
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

export function phaseStarted(phase: TracedPhase): TraceLine {
  const { reason = null } = phase;
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
export function shown(value: BlobRef | Json | undefined): Json {
  if (value === undefined) return null;
  if (isBlobRef(value)) return preview(value.preview ?? '', value.size);
  const text = JSON.stringify(value);
  return text.length > previewLength ? preview(text) : value;
}

function preview(text: string, size = text.length): string {
  const kept = text.slice(0, previewLength).toWellFormed();
  return size > previewLength ? `${kept}… (${size} in all)` : kept;
}
