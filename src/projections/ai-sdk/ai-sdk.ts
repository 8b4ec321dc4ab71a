import type { EventOf } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { unfinishedTurn } from '../../run/unfinished.ts';
import { isBlobRef } from '../../run/values.ts';
import { visible } from '../../run/visible.ts';
import { aiSdkDone, type AiSdkChunk } from '../../wire/ai-sdk.ts';
import { stepName } from '../nested.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { overStory, type StoryProjection } from '../story-projection.ts';
import type { Closing } from '../story.ts';
import { shortName, untold, voiceOf } from '../speaker.ts';
import { ask, callChunk, decide, isCall, lapse, lapseAll, resultChunk } from './asking.ts';
import { attached } from './items.ts';
import { hear, hush, leaveOff } from './saying.ts';
import {
  newMemory,
  stepChunk,
  tell,
  type AiSdkFrame,
  type AiSdkPlace,
  type AiSdkScene,
  type AiSdkStep,
  type Memory,
  type Own,
} from './scene.ts';

/** The UI message stream of the AI SDK: a run is one message, which goes on in the next answer. */
export function aiSdkProjection({ run }: Pick<ViewOptions, 'run'>): Projection<AiSdkPlace, AiSdkFrame> {
  const told = overStory<Memory, Own, AiSdkFrame>({
    memory: () => newMemory(run),
    own: (opening, above) => ({
      ...voiceOf(opening, above?.own),
      text: undefined,
      reasoning: undefined,
      call: shortName({ id: opening.step, attempt: opening.attempt ?? 1 }),
      parts: 0,
    }),
    tell: tellings,
    rest,
    goOn: ({ frames }) => void frames.push({ type: 'start', messageId: run }),
  });
  return {
    ...told,
    project(place, entry) {
      const { memory } = place;
      const start: AiSdkChunk = { type: 'start', messageId: run, messageMetadata: { run } };
      const begins: AiSdkFrame[] = memory.hasBegun ? [] : [start, { type: 'start-step' }];
      memory.hasBegun = true;
      return [...begins, ...told.project(place, entry)];
    },
  };
}

const tellings: StoryProjection<Memory, Own, AiSdkFrame>['tell'] = {
  'run.ended': end,
  'run.paused': (scene, { by }) => note(scene, { code: 'PAUSED', message: `Paused by ${by}.` }),
  'run.resumed': (scene, { by }) => note(scene, { code: 'RESUMED', message: `Resumed by ${by}.` }),
  'stop.requested'(scene, { by }) {
    const message = `${by} asked to stop.`;
    lapseAll(scene, message);
    note(scene, { code: 'STOPPING', message });
  },
  'worker.took'(scene) {
    const message = 'Another worker has taken over the run.';
    later(scene, { type: 'data-notice', data: { code: 'RECOVERED', message } });
  },
  'step.opened': open,
  'step.started': (scene, _, step) => show(scene, step, 'running'),
  'title.appended': (scene, _, step) => show(scene, step, 'running'),
  'step.retried': retry,
  'step.closed': close,
  'text.appended': hear,
  'item.attached': attached,
  'approval.requested'(scene, event, step) {
    show(scene, step, 'waiting');
    ask(scene, event, step);
  },
  'approval.decided': decide,
  'approval.lapsed': (scene, { approval, reason }) => lapse(scene, approval, reason),
  'approval.returned'(scene, { approval }) {
    const question = scene.memory.questions.get(approval);
    if (question) note(scene, { code: 'ASKED_AGAIN', message: `Asked again: ${visible(question.title)}` });
  },
  'notice.posted': (scene, { code, message }, { id }) => note(scene, { code, message, step: stepName(id) }),
  'phase.entered': (scene, { step, phase, batch, cycle }) =>
    later(scene, { type: 'data-phase', data: { step: `s${step}`, phase, batch, cycle } }),
  'message.queued': (scene, { text, by }) => note(scene, { code: 'MESSAGE_QUEUED', message: text, by }),
  unknown: (scene, event) => note(scene, unknownNotice(event)),
};

/** For those who listen: it is no part of the message. */
function later({ frames }: AiSdkScene, chunk: { type: `data-${string}`; data: unknown }): void {
  frames.push({ ...chunk, transient: true });
}

function note(scene: AiSdkScene, data: object): void {
  scene.memory.items += 1;
  tell(scene, { type: 'data-notice', id: `n${scene.memory.items}`, data });
}

function show(scene: AiSdkScene, step: AiSdkStep, status: string): void {
  if (step.id !== 0) tell(scene, stepChunk(step, { status }));
}

/** A turn of the run's own has a step of the message to itself, so that it can be taken back. */
function open(scene: AiSdkScene, { kind }: EventOf<'step.opened'>, step: AiSdkStep): void {
  const { frames, memory, story } = scene;
  const isOwn = kind === 'turn' && !step.own.isInner && !step.own.isSilent;
  // Whoever is asked is asked in the last step of the message, or the client does not find it.
  const isApart = isOwn && memory.questions.size === 0 && isQuiet(story);
  if (isApart) frames.push({ type: 'finish-step' }, { type: 'start-step' });
  tell(scene, stepChunk(step, { status: 'running' }));
  if (isCall(step)) tell(scene, callChunk(step));
  if (isApart) memory.turn = step.id;
}

/** Whether nobody is in the middle of saying something. */
function isQuiet({ steps }: AiSdkScene['story']): boolean {
  for (const { own } of steps.values()) if (own.text ?? own.reasoning) return false;
  return true;
}

function retry(scene: AiSdkScene, { attempt, reason }: EventOf<'step.retried'>, step: AiSdkStep): void {
  const { frames, memory } = scene;
  const { own, id } = step;
  const isAlone = memory.turn === id;
  if (isAlone) Object.assign(own, { text: undefined, reasoning: undefined });
  frames.push(...(isAlone ? [{ type: 'reset-step' } as const] : leaveOff(step)));
  frames.push(stepChunk(step, { status: 'running', detail: reason }));
  if (memory.spoken.in === `s${id}`) Object.assign(memory.spoken, { in: '', text: '' });
  if (!isCall(step)) return;
  const toolCallId = own.call;
  own.call = shortName({ id, attempt });
  const errorText = `Tried again: ${reason}`;
  tell(scene, { type: 'tool-output-error', toolCallId, errorText, dynamic: true }, callChunk(step));
}

function close(scene: AiSdkScene, event: Closing, step: AiSdkStep): void {
  const { frames, memory } = scene;
  lapseAll(scene, `The step was ${event.outcome}.`, step.id);
  frames.push(...(event.isSuperseded ? leaveOff(step) : hush(step)));
  if (memory.spoken.in === `s${step.id}`) memory.unfinished = unfinishedTurn(event);
  const text = step.own.isInner && step.text !== '' ? step.text : undefined;
  tell(scene, stepChunk(step, { status: event.outcome, text, detail: event.failure?.message }));
  if (isCall(step)) tell(scene, resultChunk(event, step, memory.denied.delete(step.id)));
}

/** The client answers in its next request, where what is open goes on. */
function rest({ frames, story }: AiSdkScene): void {
  for (const step of story.steps.values()) frames.push(...hush(step));
  frames.push({ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' }, aiSdkDone);
}

function end(scene: AiSdkScene, event: EventOf<'run.ended'>, run: AiSdkStep): void {
  const { frames, memory } = scene;
  lapseAll(scene, 'The run has ended.');
  frames.push(...hush(run));
  const rest = untold(memory.spoken, event.answer);
  if (rest !== '') frames.push(...answered(rest));
  frames.push({ type: 'finish-step' }, lastChunk(memory, event), aiSdkDone);
}

function answered(delta: string): AiSdkChunk[] {
  const id = 'answer';
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ];
}

const reasons = { length: 'length', budget: 'length', filter: 'content-filter' } as const;

function lastChunk(
  { run, spoken, unfinished }: Memory,
  { outcome, answer, failure, usage }: EventOf<'run.ended'>,
): AiSdkChunk {
  switch (outcome) {
    case 'failed':
      return { type: 'error', errorText: failure?.message ?? 'The run failed.' };
    case 'stopped':
      return { type: 'abort', reason: 'The run was stopped.' };
    case 'completed': {
      const isGoneOn = isBlobRef(answer) || (answer ?? '').startsWith(spoken.text);
      const finishReason = unfinished && isGoneOn ? reasons[unfinished] : 'stop';
      return { type: 'finish', finishReason, messageMetadata: { run, usage } };
    }
  }
}
