import type { EventOf } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { questionId } from '../../run/question-id.ts';
import type { AgUiEvent } from '../../wire/ag-ui.ts';
import { stepName } from '../nested.ts';
import type { Projection } from '../projection.ts';
import { heed } from '../questions.ts';
import { decidedQuestion, shownEdit } from '../../run/shown-question.ts';
import { overStory, type StoryProjection } from '../story-projection.ts';
import type { Closing } from '../story.ts';
import { activitySnapshot, add } from './activity.ts';
import { callStarted, resultOf } from './call.ts';
import { ended } from './ending.ts';
import { attached } from './items.ts';
import { interrupted, stepFinished, suspended } from './suspending.ts';
import { begun } from './beginning.ts';
import { labelOf, opened, partOf, silenced, speaking, type Own, type Told } from './part.ts';
import { hear, lastWords } from './saying.ts';
import {
  activityOf,
  changed,
  custom,
  newMemory,
  openSteps,
  patched,
  shownOf,
  type AgUiPlace,
  type AgUiScene,
  type AgUiStep,
  type Memory,
} from './scene.ts';

/** AG-UI 1.0. Each answer is a run of AG-UI: it ends with ours, or where people are asked. */
export function agUiProjection(view: Told): Projection<AgUiPlace, AgUiEvent> {
  const { run } = view;
  const told = overStory<Memory, Own, AgUiEvent>({
    reopens: true,
    memory: () => newMemory(run),
    own: (opening, above) => ({
      ...partOf(view, opening, above?.own),
      label: labelOf({ id: opening.step, parent: 0, attempt: opening.attempt ?? 1, title: opening.title }),
      said: { text: false, reasoning: false },
      halves: { content: '', reasoning: '' },
    }),
    rest,
    goOn,
    tell,
  });
  return {
    ...told,
    project(place, entry) {
      const isFirst = !place.memory.hasBegun;
      place.memory.hasBegun = true;
      const frames = told.project(place, entry);
      // Nothing is open before the first entry, and only it says whose run this is.
      const begins = isFirst ? [...begun(place.memory), activitySnapshot(run, {}, false)] : [];
      const changes = place.story.hasEnded ? [] : patched(place.memory, entry.at, false);
      return [...begins, ...frames, ...changes];
    },
  };
}

/** A new run of AG-UI, in which all that is open is opened again. */
function goOn(scene: AgUiScene): void {
  const { frames, memory, story } = scene;
  const open = openSteps(scene);
  const steps = open.map((step) => [`s${step.id}`, activityOf(step)] as const);
  frames.push(...begun(memory), activitySnapshot(memory.run, Object.fromEntries(steps), false));
  for (const step of open) frames.push(...opened(shownOf(scene, step)));
  for (const { own } of story.steps.values()) frames.push(...speaking({ part: own }, own.said));
}

/** All that is open is closed, and the questions are told. */
function rest({ frames, story, memory, at }: AgUiScene): void {
  const questions = [...memory.questions.values()];
  frames.push(...patched(memory, at, true));
  const open = [...story.steps.values()].map(({ id, own }) => {
    const { label, said } = own;
    return { id, part: own, label, said };
  });
  frames.push(...suspended(open, questions), interrupted(memory, open, questions));
}

const tell: StoryProjection<Memory, Own, AgUiEvent>['tell'] = {
  'run.started'({ memory }, { conversation, app }) {
    Object.assign(memory, { thread: conversation, app });
  },
  'run.ended': ended,
  'run.paused': (scene) => setStatus(scene, 'paused'),
  'run.resumed': (scene) => setStatus(scene, 'running'),
  'stop.requested'(scene, event) {
    heed(scene.memory.questions, event);
    setStatus(scene, 'stopping');
  },
  'step.opened': open,
  'step.started': start,
  'title.appended': retitle,
  'text.appended': hear,
  'item.attached': attached,
  'step.closed': close,
  'approval.requested'(scene, event, step) {
    heed(scene.memory.questions, event);
    if (event.step === step.id) changed(scene, step, { status: 'waiting' });
  },
  'approval.decided'(scene, event) {
    heed(scene.memory.questions, event);
    const { decision, by, rationale } = event;
    custom(scene, 'decision', {
      approval: decidedQuestion(event),
      decision,
      by,
      rationale,
      ...shownEdit(event),
    });
  },
  'approval.lapsed'(scene, event) {
    heed(scene.memory.questions, event);
    custom(scene, 'decision', { approval: questionId(event), decision: 'lapse', rationale: event.reason });
  },
  'approval.returned'(scene, { approval }) {
    const question = scene.memory.questions.get(approval);
    if (question) custom(scene, 'decision', { approval: questionId(question), decision: 'return' });
  },
  'notice.posted'({ frames }, { code, message }, { id, own }) {
    const value = { code, message: message.toWellFormed(), step: stepName(id) };
    frames.push({ type: 'CUSTOM', name: 'notice', value, subagentRunId: own.agent });
  },
  'phase.entered': (scene, { step, phase, batch, cycle }) =>
    custom(scene, 'phase', { step: `s${step}`, phase, batch, cycle }),
  'message.queued': (scene, { text, by }) => custom(scene, 'message', { text: text.toWellFormed(), by }),
  'worker.took': (scene) => custom(scene, 'notice', { code: 'RECOVERED', message: recovered }),
  unknown(scene, event) {
    const { code, message } = unknownNotice(event);
    custom(scene, 'notice', { code, message: message.toWellFormed() });
  },
};

const recovered = 'Another worker has taken over the run.';

function setStatus({ frames, memory }: AgUiScene, status: string): void {
  memory.status = status;
  frames.push({ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/status', value: status }] });
}

function open(scene: AgUiScene, _: EventOf<'step.opened'>, step: AgUiStep): void {
  const { frames, memory } = scene;
  add(memory.activity, `s${step.id}`, activityOf(step));
  frames.push(...opened(shownOf(scene, step)));
  if (step.own.as === 'call') frames.push(...callStarted(step));
}

/** It goes ahead, perhaps with what a person made of it. */
function start(scene: AgUiScene, { call }: EventOf<'step.started'>, step: AgUiStep): void {
  changed(scene, step, { status: 'running' });
  if (call && step.own.as === 'call')
    custom(scene, 'call', { toolCallId: step.own.id, arguments: call.arguments });
}

/** A name cannot be changed: to clients, a step with another title is another step. */
function retitle(scene: AgUiScene, { text }: EventOf<'title.appended'>, step: AgUiStep): void {
  if (step.id === 0 || text === '') return;
  changed(scene, step, { title: step.title });
  const label = labelOf(step);
  if (step.own.as !== 'step' || label === step.own.label) return;
  scene.frames.push(stepFinished(step.own, {}), ...opened(shownOf(scene, step)));
  step.own.label = label;
}

function close(scene: AgUiScene, event: Closing, step: AgUiStep): void {
  const { frames } = scene;
  const { outcome, failure } = event;
  heed(scene.memory.questions, event);
  changed(scene, step, { status: outcome, detail: failure?.message });
  frames.push(...lastWords(event, step), ...silenced({ part: step.own }, step.own.said));
  frames.push(...closed(event, step));
}

function closed(event: Closing, step: AgUiStep): AgUiEvent[] {
  const { outcome, failure } = event;
  const { as, id } = step.own;
  if (as === 'call') return [resultOf(event, step)];
  const metadata = { status: outcome };
  if (as === 'step') return [stepFinished(step.own, metadata)];
  if (outcome === 'completed' || outcome === 'reused')
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome: { type: 'success' }, metadata }];
  const message = failure?.message.toWellFormed() ?? `The agent was ${outcome}.`;
  return [{ type: 'SUBAGENT_ERROR', subagentRunId: id, message, code: failure?.code ?? outcome, metadata }];
}
