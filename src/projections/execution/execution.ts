import type { EventOf, StepId } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import { isBlobRef } from '../../run/values.ts';
import type { ExecutionFrame, StepType } from '../../wire/execution.ts';
import { stepName } from '../nested.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import type { ViewOptions } from '../projection.ts';
import { overStory, type Scene, type StoryProjection } from '../story-projection.ts';
import { decidedQuestion, shownQuestion } from '../../run/shown-question.ts';
import type { OpenStep } from '../story.ts';
import { controlText, textOf } from '../text-of.ts';
import { naiveTime } from '../time-text.ts';

const lengths = { summary: 200, gathered: 200, preview: 300, response: 50_000 } as const;

/** Text of a slow writer is told after so many milliseconds, as the entries count them. */
const longestHeld = 500;

/** Text of an open step that is gathered into one frame. How it is joined depends on the entries and on nothing else. */
interface Held {
  channel: string;
  text: string;
  /** When it began, by the clock of the entries. */
  since: number | undefined;
  /** The first piece is told at once, so that there is no dead air. */
  hasTold: boolean;
}

const nothing = (): Held => ({ channel: '', text: '', since: undefined, hasTold: false });

interface Memory {
  readonly run: string;
  /** Who asked to stop it, and why. */
  stop: string;
  /** Steps whose children are nodes of a graph. */
  readonly graphs: Set<StepId>;
}

type Execution = Scene<Memory, Held, ExecutionFrame>;
type Step = OpenStep<Held>;

/**
 * The execution events of the workflow platform: an envelope for each change of a step. What is planned has not begun, and
 * what is kept for later is not for people.
 */
export const executionProjection = ({ run }: Pick<ViewOptions, 'run'>) =>
  overStory<Memory, Held, ExecutionFrame>({
    memory: () => ({ run, stop: 'The run was stopped.', graphs: new Set() }),
    own: nothing,
    tell,
  });

const tell: StoryProjection<Memory, Held, ExecutionFrame>['tell'] = {
  'run.started'(scene, { app, flow }) {
    if (flow.name === 'workflow') scene.memory.graphs.add(0);
    push(scene, 0, { event: 'run_started', payload: { workflow_id: app } });
  },
  'run.ended'(scene, { outcome, answer, failure }, run) {
    flush(scene, run);
    if (outcome === 'completed') {
      const text = textOf(answer);
      const isWhole = text.length <= lengths.response && !isBlobRef(answer);
      const beginning = `${cut(text, lengths.response)}\n\n[The response is longer; the run has all of it.]`;
      const payload = { status: outcome, final_response: isWhole ? text : beginning };
      return push(scene, 0, { event: 'run_completed', payload });
    }
    const error = outcome === 'stopped' ? scene.memory.stop : (failure?.message ?? 'The run failed.');
    push(scene, 0, { event: 'run_failed', payload: { error, status: 'failed' } });
  },
  'run.paused': (scene, { by, reason }) => output(scene, 0, { status: 'paused', by, reason }),
  'run.resumed': (scene, { by, reason }) => output(scene, 0, { status: 'running', by, reason }),
  'stop.requested'(scene, event) {
    const { by, reason } = event;
    scene.memory.stop = controlText(event);
    output(scene, 0, { status: 'stopping', by, reason });
  },
  'worker.took': (scene) => output(scene, 0, { status: 'running', recovered: true }),
  'step.opened'(scene, event, { id, parent, title }) {
    const { kind, query, call, agent, model } = event;
    const user_input = query && summary(query);
    const given = call && summary(textOf(call.arguments));
    const payload = {
      step_name: title || kind,
      step_type: typeOf(event, isInGraph(scene, event)),
      input_summary: { user_input, tool: call?.tool, arguments: given, agent, model },
      parent_step_id: stepName(parent),
    };
    push(scene, id, { event: 'step_started', payload });
  },
  'step.started': (scene, { step }) => output(scene, step, { status: 'running' }),
  'title.appended': (scene, { step }, { title }) => output(scene, step, { step_name: title }),
  /** The first piece at once, then as many as make a frame worth its envelope, or half a second of them. */
  'text.appended'(scene, { channel, text }, step) {
    const { own } = step;
    if (own.channel !== channel) flush(scene, step);
    own.channel = channel;
    own.text += text;
    own.since ??= scene.at;
    const isOld = scene.at - own.since >= longestHeld;
    if (!own.hasTold || isOld || own.text.length >= lengths.gathered) flush(scene, step);
  },
  'step.retried'(scene, { attempt, reason }, step) {
    output(scene, step.id, { attempt, reason });
    step.own = nothing();
  },
  'step.closed'(scene, event, step) {
    flush(scene, step);
    const { outcome, result, usage, failure, reusedFrom } = event;
    if (outcome === 'failed' || outcome === 'stopped' || outcome === 'abandoned') {
      const error = failure?.message ?? `The step was ${outcome}.`;
      return push(scene, step.id, { event: 'step_failed', payload: { error } });
    }
    const text = step.text || textOf(result);
    const output_summary = {
      status: outcome,
      output: text === '' ? undefined : summary(text),
      tokens: usage && usage.input + usage.output,
      reason: failure?.message,
      ...(reusedFrom === undefined ? {} : { reused_from: `s${reusedFrom}`, blocked: true }),
    };
    const payload = { output_summary, output_preview: cutWith(text, lengths.preview, '...') };
    push(scene, step.id, { event: 'step_completed', payload });
  },
  'phase.entered': (scene, { step, phase, batch, cycle }) => output(scene, step, { phase, batch, cycle }),
  'item.attached': (scene, { step, item }) => output(scene, step, { item }),
  'notice.posted': (scene, { step, code, message }) => output(scene, step, { notice: { code, message } }),
  unknown: (scene, event) => output(scene, 0, { notice: unknownNotice(event) }),
  /** A person is asked. This wire calls it an interrupted run; the stream stays open, and the run goes on. */
  'approval.requested'(scene, event) {
    const { step, title, message, priority, allowed, expiresAt } = event;
    flush(scene, scene.story.steps.get(step));
    const interrupt = {
      approval_id: questionId(event),
      step_id: stepName(step) ?? null,
      title: visible(title),
      message: message === undefined ? undefined : visible(message),
      ...shownQuestion(event),
      priority,
      allowed_decisions: [...allowed],
      expires_at: expiresAt === undefined ? undefined : naiveTime(expiresAt),
    };
    push(scene, 0, { event: 'run_completed', payload: { status: 'interrupted', interrupt } });
  },
  'approval.decided'(scene, event) {
    const { decision, by, rationale } = event;
    output(scene, 0, { approval_id: decidedQuestion(event), decision, by, rationale });
  },
  'approval.lapsed': (scene, event) =>
    output(scene, 0, { approval_id: questionId(event), lapsed: true, reason: event.reason }),
  'approval.returned': (scene, { approval: id }) => output(scene, 0, { approval_id: id, returned: true }),
  'message.queued': (scene, { text, by }) => output(scene, 0, { message: text, by }),
};

type Bare<Frame> = Frame extends ExecutionFrame ? Pick<Frame, 'event' | 'payload'> : never;

function push({ frames, memory, at }: Execution, step: StepId, frame: Bare<ExecutionFrame>): void {
  const { event, payload } = frame;
  const place = { run_id: memory.run, timestamp: naiveTime(at), step_id: stepName(step) ?? null };
  frames.push({ event, ...place, payload } as ExecutionFrame);
}

function output(scene: Execution, step: StepId, intermediate_output: Record<string, unknown>): void {
  flush(scene, scene.story.steps.get(step));
  push(scene, step, { event: 'step_output', payload: { intermediate_output } });
}

/** A workflow that runs as a skill begins with its start, as any does. */
function isInGraph({ memory, story }: Execution, { kind, parent }: EventOf<'step.opened'>): boolean {
  const { graphs } = memory;
  if (kind === 'start') graphs.add(parent);
  for (let at = parent; !graphs.has(at); at = story.steps.get(at)?.parent ?? 0) if (at === 0) return false;
  return true;
}

function flush(scene: Execution, step: Step | undefined): void {
  if (!step || step.own.text === '') return;
  const { channel, text } = step.own;
  Object.assign(step.own, nothing(), { hasTold: true });
  const intermediate_output = { [channel === 'content' ? 'text' : channel]: text };
  push(scene, step.id, { event: 'step_output', payload: { intermediate_output } });
}

const types: Readonly<Record<string, StepType>> = {
  agent: 'agent',
  call: 'tool_call',
  misfit: 'tool_call',
  route: 'coordinator',
  branch: 'parallel_crew',
  answer: 'merge',
};

/** Of nodes of a graph, whose kinds are their types. */
const nodeTypes: Readonly<Record<string, StepType>> = {
  prompt: 'llm_call',
  tool: 'tool_call',
  http: 'tool_call',
  code: 'tool_call',
  map: 'parallel_crew',
  team: 'hierarchical_crew',
  merge: 'merge',
  branch: 'coordinator',
  loop: 'coordinator',
};

function typeOf({ kind, key, effect, agent }: EventOf<'step.opened'>, isGraph: boolean): StepType {
  // An item of a map has a kind that is also the type of a node.
  const ofNode = isGraph && !/^branch \d+$/.test(key) ? nodeTypes[kind] : undefined;
  if (ofNode !== undefined) return ofNode;
  if (kind === 'turn') return effect === undefined || effect === 'pure' ? 'llm_call' : 'agent';
  return types[kind] ?? (agent === undefined ? 'transform' : 'agent');
}

function summary(text: string): string {
  return cutWith(text, lengths.summary, '...');
}
