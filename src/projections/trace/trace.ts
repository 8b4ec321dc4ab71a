import type { EventOf, StepId } from '../../run/events.ts';
import { projectOf, requestOf } from '../../run/request.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { TraceEvent, TraceType } from '../../wire/trace.ts';
import { overStory, type Scene, type StoryProjection } from '../story-projection.ts';
import type { Closing, OpenStep, StoryEvent } from '../story.ts';
import { because, textOf } from '../text-of.ts';
import { isoTime } from '../time-text.ts';
import { attemptsOf, isToolCall, toolOf } from '../tool-call.ts';

/** A phase in force, and its number among the phases of the run, from 0. */
type TracedPhase = EventOf<'phase.entered'> & { readonly index: number };

/** What a trace remembers of a run beside its open steps. */
interface Memory {
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
interface Traced {
  phase: TracedPhase | undefined;
  /** Calls a model asked for, by its own ids. */
  requested: Record<string, string>;
}

type Step = OpenStep<Traced>;
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
    hear(trace, input.text, { app, conversation, who, attachments });
  },
  'run.ended'(trace, { outcome, answer = '', failure }) {
    for (const step of trace.memory.phases.keys()) leave(trace, step, outcome);
    if (failure) warn(trace, failure);
    const text = textOf(answer);
    const summary = text.trim() || `The run ended without an answer (${outcome})`;
    const details = { content: preview(text, isBlobRef(answer) ? answer.size : text.length), outcome };
    push(trace, { type: 'orion_response', source: 'orion', direction: 'outbound', summary, details });
  },
  'phase.entered'(trace, event, { id, own }) {
    const { memory } = trace;
    const { phase: toPhase, batch: toolBatchId, reason = null } = event;
    const phase = leave(trace, id, event.reason);
    if (phase) {
      const { phase: fromPhase } = phase;
      const details = { fromPhase, toPhase, reason, toolBatchId };
      push(trace, { type: 'phase_transition', summary: `From ${fromPhase} to ${toPhase}`, details, phase });
    }
    if (toPhase === 'complete') return;
    own.phase = { ...event, index: memory.nextPhase };
    memory.nextPhase += 1;
    memory.phases.set(id, own.phase);
    const summary = `${toPhase} of batch ${toolBatchId} begins`;
    push(trace, { type: 'orchestration_phase_start', summary, details: { reason }, phase: own.phase });
  },
  'step.opened': call,
  'step.started': call,
  'step.retried': call,
  'step.closed': close,
  'text.appended'(_, { channel, call = '', tool }, { own }) {
    if (channel === 'arguments' && tool) own.requested[call] = tool;
  },
  'message.queued': (trace, { text, message: messageId, by }) => hear(trace, text, { messageId, by }),
  'notice.posted'(trace, notice) {
    if (troubles.has(notice.code)) warn(trace, notice);
  },
  unknown: (trace, { kind }) => warn(trace, { code: 'UNKNOWN_EVENT', message: `Unknown event «${kind}».` }),
  'approval.requested'(trace, { approval, step, title, message = null, fingerprint, arguments: given }) {
    const details = { approval, step, message, fingerprint, arguments: shown(given) };
    push(trace, { type: 'approval_requested', summary: `Asked a person: ${title}`, details });
  },
  'approval.decided'(trace, { approval, by, decision, rationale = null, arguments: given }) {
    const made = given === undefined ? undefined : shown(given);
    const text = typeof made === 'string' ? made : JSON.stringify(made);
    const summary = because(`${by} decided «${decision}»`, text, '');
    const details = { approval, by, decision, rationale, arguments: made };
    push(trace, { type: 'approval_decided', source: 'user', summary, details });
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
    push(trace, { type, source: 'user', summary, details: { by, reason: reason ?? null } });
  };
}

/** A line of the trace, before it gets its place; what is said of it is cut to one line there. */
interface Line extends Pick<TraceEvent, 'type' | 'direction' | 'toolName' | 'summary' | 'details' | 'error'> {
  /** Who speaks in it; the system unless said. */
  readonly source?: TraceEvent['source'];
  readonly phase?: TracedPhase | undefined;
}

/** Lines whose details say nothing of the phase they stand in. */
const unplaced: ReadonlySet<TraceType> = new Set(['tool_registration', 'phase_transition']);

const lengths = { summary: 160, preview: 1_200 } as const;

function push({ frames, memory, at, seq }: Trace, line: Line): void {
  const { source = 'system', type, direction, toolName, error: failure, phase } = line;
  const { run, projectId, requestId } = memory;
  const id = frames.length === 0 ? `${run}:${seq}` : `${run}:${seq}.${frames.length}`;
  const place = { id, timestamp: isoTime(at), projectId, requestId, metadata: { requestId } };
  const words = line.summary.replaceAll(/\s+/g, ' ').trim();
  const summary = words.length > lengths.summary ? `${beginning(words, lengths.summary)}…` : words;
  const error = failure && { message: failure.message, code: failure.code };
  const inPhase = phase && { phase: phase.phase, toolBatchId: phase.batch, cycle: phase.cycle };
  const details = unplaced.has(type) ? line.details : { ...line.details, ...inPhase };
  const indexes = phase && { phaseIndex: phase.index, cycleIndex: Math.max(0, phase.cycle - 1) };
  frames.push({ ...place, source, type, direction, toolName, summary, details, error, ...indexes });
}

/** A line about a step stands in its phase, and names its tool. */
function pushOf(trace: Trace, step: Step, line: Line): void {
  push(trace, { ...line, toolName: isToolCall(step) ? toolOf(step) : undefined, phase: step.own.phase });
}

/** The phase that a step had entered, which is over. */
function leave(trace: Trace, step: StepId, why: string | undefined): TracedPhase | undefined {
  const { phases } = trace.memory;
  const phase = phases.get(step);
  if (!phase) return undefined;
  phases.delete(step);
  const summary = because(`${phase.phase} of batch ${phase.batch} is over`, why, '');
  push(trace, { type: 'orchestration_phase_end', summary, details: { reason: why ?? 'completed' }, phase });
  return phase;
}

function call(trace: Trace, { type }: Pick<StoryEvent, 'type'>, step: Step): void {
  step.own.requested = {};
  const { kind } = step.opening;
  // A message that waits for a person, or for its turn, has not been sent.
  if (kind === 'turn' && step.isBegun) callModel(trace, step);
  if (type === 'step.started') return;
  if (kind === 'call' || (kind === 'misfit' && type === 'step.opened')) callTool(trace, step);
}

/** What was sent is kept beside the journal, under the step: see `withPrompts`. */
function callModel(trace: Trace, step: Step): void {
  const { id, opening, model = null, isBegun } = step;
  const { agent = null } = opening;
  const summary = `${isBegun ? 'Asked' : 'Did not ask'} ${agent ?? 'a model'}${again(step)}`;
  const details = { step: id, agent, model, attempt: attemptsOf(step) };
  pushOf(trace, step, { type: 'llm_call', source: 'orion', direction: 'outbound', summary, details });
}

function callTool(trace: Trace, step: Step): void {
  const { call: asked, opening, isBegun } = step;
  const known = asked && { toolCallId: asked.id, signature: preview(asked.signature), effect: asked.effect };
  const details = {
    arguments: asked ? shown(asked.arguments) : (opening.query ?? ''),
    attempt: attemptsOf(step),
    ...(known ?? { malformed: true }),
  };
  const summary = `${isBegun ? 'Called' : 'Asked for'} ${toolOf(step)}${again(step)}`;
  pushOf(trace, step, { type: 'tool_call', source: 'tool', direction: 'outbound', summary, details });
}

function again(step: Step): string {
  const attempts = attemptsOf(step);
  return attempts > 1 ? ` again (attempt ${attempts})` : '';
}

function close(trace: Trace, event: Closing, step: Step): void {
  // That a step went with the one above it is not news to an operator.
  if (event.isImplied) return;
  const { id, opening, isBegun } = step;
  const { outcome, result } = event;
  leave(trace, id, outcome);
  if (opening.kind === 'turn') {
    if (!isBegun) callModel(trace, step);
    answer(trace, event, step);
  }
  if (opening.kind === 'registration' && outcome === 'completed') {
    const { query = '' } = opening;
    const tools = query === '' ? [] : query.split(', ');
    const details = { tools, rules: shown(result) };
    const summary = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${tools.length === 0 ? '' : `: ${query}`}`;
    pushOf(trace, step, { type: 'tool_registration', summary, details });
  }
  if (isToolCall(step)) giveBack(trace, event, step);
  if (step.call) trace.memory.ended.set(id, trace.at);
}

function answer(trace: Trace, { outcome, failure: error, usage }: Closing, step: Step): void {
  const { own, opening, openedAt, text } = step;
  const said = beginning(text, lengths.preview);
  const toolCalls = Object.entries(own.requested).map(([id, name]) => ({ id, name }));
  const asked = toolCalls.length > 0 ? `Asked for ${toolCalls.map(({ name }) => name).join(', ')}` : said;
  const summary = (error?.message ?? asked).trim() || `${opening.agent ?? 'The model'} said nothing`;
  const details = {
    text: text.length > lengths.preview ? `${said}…` : said,
    toolCalls,
    outcome,
    milliseconds: trace.at - openedAt,
    ...(usage && { usage: { input: usage.input, output: usage.output } }),
  };
  pushOf(trace, step, { type: 'llm_result', source: 'orion', direction: 'inbound', summary, details, error });
}

function giveBack(trace: Trace, { outcome, failure: error, result, reusedFrom }: Closing, step: Step): void {
  const { call: asked, openedAt } = step;
  const { memory, at } = trace;
  const toolName = toolOf(step);
  if (reusedFrom !== undefined) {
    const previous = memory.ended.get(reusedFrom);
    const details = {
      toolName,
      signature: preview(asked?.signature ?? ''),
      duplicate: true,
      requestId: memory.requestId,
      blocked: true,
      reason: 'signature_seen_recently_in_request',
      previous_timestamp: previous === undefined ? null : isoTime(previous),
      previous_step: reusedFrom,
    };
    const summary = `${toolName} was asked for again; an earlier outcome is used`;
    pushOf(trace, step, { type: 'duplicate_tool_call', summary, details });
  }
  const details = {
    toolCallId: asked?.id ?? null,
    outcome,
    result: shown(result),
    attempts: attemptsOf(step),
    milliseconds: at - openedAt,
  };
  const summary = because(`${toolName} ${outcome}`, error?.message, '');
  pushOf(trace, step, { type: 'tool_result', source: 'tool', direction: 'inbound', summary, details, error });
}

function hear(trace: Trace, text: BlobRef | string, about: Line['details']): void {
  const said = textOf(text);
  const summary = said.trim() || 'A message without text';
  const details = { text: preview(said), ...about };
  push(trace, { type: 'user_message', source: 'user', direction: 'inbound', summary, details });
}

function warn(trace: Trace, error: { readonly code: string; readonly message: string }): void {
  const summary = error.message.trim() || 'Something went wrong';
  push(trace, { type: 'system_error', summary, details: { code: error.code }, error });
}

/** A value as far as a dashboard shows it; what is longer is the beginning of its JSON. */
function shown(value: BlobRef | Json | undefined): Json {
  if (value === undefined) return null;
  if (isBlobRef(value)) return preview(value.preview ?? '', value.size);
  const text = JSON.stringify(value);
  return text.length > lengths.preview ? preview(text) : value;
}

function preview(text: string, size = text.length): string {
  const kept = beginning(text, lengths.preview);
  return size > lengths.preview ? `${kept}… (${size} in all)` : kept;
}

function beginning(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
