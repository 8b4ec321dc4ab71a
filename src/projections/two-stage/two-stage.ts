import { askingWords } from '../../run/asking.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import { projectOf, requestOf } from '../../run/request.ts';
import { pauseKey } from '../../run/tool-pause.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import { twoStageError, type TwoStageFrame } from '../../wire/two-stage.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { protocol } from '../protocol.ts';
import { heed, type Questions } from '../questions.ts';
import { overStory, type Place, type Scene } from '../story-projection.ts';
import type { Closing, OpenStep } from '../story.ts';
import { answerAsSaid, saysAnswer, superseded } from '../../run/answer-text.ts';
import { callOf, resultOf } from './tool-frames.ts';

interface Own {
  readonly speaks: boolean;
}

interface Memory {
  requestId: string;
  projectId: string;
  phase: TwoStageFrame['phase'];
  batch: number;
  /** Counted from 0, as the phases are. */
  cycle: number;
  phaseIndex: number;
  readonly blocked: string[];
  /** When calls ended, for those that use their outcome again. */
  readonly ended: Map<StepId, number>;
  readonly questions: Questions;
  /** Of what was asked, whether to go on after a tool phase. */
  readonly pauses: Set<string>;
  /** Whoever spoke last, and what they said in their last attempt. */
  said: { readonly step: StepId; readonly text: string };
}

type TwoStage = Scene<Memory, Own, TwoStageFrame>;
type Step = OpenStep<Own>;

/** A conversation in two stages, as the client of the seed reads it. An answer ends at a question, or with the run. */
export function twoStageProjection({
  run,
}: Pick<ViewOptions, 'run'>): Projection<Place<Memory, Own>, TwoStageFrame> {
  return overStory<Memory, Own, TwoStageFrame>({
    memory: () => ({
      requestId: run,
      projectId: '',
      phase: 'tool_phase',
      batch: 0,
      cycle: 0,
      phaseIndex: 0,
      blocked: [],
      ended: new Map(),
      questions: new Map(),
      pauses: new Set(),
      said: { step: 0, text: '' },
    }),
    own: (opening, above) => ({
      speaks: saysAnswer(opening, above && { says: above.own.speaks, kind: above.opening.kind }),
    }),
    tell: {
      'run.started'(scene, { labels, app }) {
        const about = { projectId: projectOf(labels, app), requestId: requestOf(labels, run) };
        Object.assign(scene.memory, about);
        tell(scene, {});
      },
      'phase.entered': enter,
      'text.appended': speak,
      'step.retried': takeBack,
      'step.opened': call,
      'step.started': callAgain,
      'step.closed': close,
      'notice.posted': (scene, { code, message }) => tell(scene, { notice: { code, message } }),
      'approval.requested'({ memory }, event, { opening }) {
        heed(memory.questions, event);
        if (opening.kind === 'ask' && opening.key === pauseKey(memory.batch))
          memory.pauses.add(event.approval);
      },
      'approval.decided': ({ memory }, event) => heed(memory.questions, event),
      'approval.lapsed': ({ memory }, event) => heed(memory.questions, event),
      'stop.requested': ({ memory }, event) => heed(memory.questions, event),
      'run.ended': end,
    },
    rest: pause,
  });
}

export const twoStageProtocol = protocol<Place<Memory, Own>, TwoStageFrame, SseFrame>({
  name: 'two-stage',
  projection: twoStageProjection,
  write: (frame) => ({ data: JSON.stringify(frame) }),
  ends: 'question',
  error: twoStageError,
});

type Said = Omit<
  TwoStageFrame,
  'phase' | 'requestId' | 'projectId' | 'toolBatchId' | 'phaseIndex' | 'cycleIndex'
>;

function tell({ memory, frames }: TwoStage, said: Said): void {
  const { phase, requestId, projectId, batch: toolBatchId, phaseIndex, cycle: cycleIndex } = memory;
  frames.push({ phase, requestId, projectId, toolBatchId, phaseIndex, cycleIndex, ...said });
}

function enter(scene: TwoStage, { phase, batch, cycle }: EventOf<'phase.entered'>): void {
  const { memory } = scene;
  const isFirst = memory.batch === 0;
  const phaseIndex = memory.phaseIndex + (isFirst ? 0 : 1);
  Object.assign(memory, { phase, batch, cycle: Math.max(0, cycle - 1), phaseIndex });
  tell(scene, {});
}

function speak(scene: TwoStage, { channel, text }: EventOf<'text.appended'>, { id, own }: Step): void {
  const { memory } = scene;
  if (channel !== 'content' || !own.speaks || text === '') return;
  const isOther = memory.said.step !== id;
  const apart = isOther && memory.said.text !== '' ? '\n\n' : '';
  memory.said = { step: id, text: (isOther ? '' : memory.said.text) + text };
  tell(scene, { chunk: apart + text });
}

function takeBack(scene: TwoStage, event: EventOf<'step.retried'>, step: Step): void {
  const { memory } = scene;
  if (memory.said.step === step.id && memory.said.text !== '') tell(scene, { chunk: superseded });
  if (memory.said.step === step.id) memory.said = { step: 0, text: '' };
  if (event.call) call(scene, {}, step);
}

function call(scene: TwoStage, _: unknown, step: Step): void {
  const asked = callOf(step);
  if (asked) tell(scene, { toolCalls: [asked] });
}

/** A person may have changed what will run. */
function callAgain(scene: TwoStage, event: EventOf<'step.started'>, step: Step): void {
  if (event.call && event.call.signature !== step.opening.call?.signature) call(scene, event, step);
}

function close(scene: TwoStage, event: Closing, step: Step): void {
  const { memory } = scene;
  heed(memory.questions, event);
  const result = resultOf(step, event, { at: scene.at, ended: memory.ended });
  if (!result) return;
  memory.ended.set(step.id, scene.at);
  const signature = event.reusedFrom === undefined ? undefined : step.call?.signature;
  if (signature !== undefined && !memory.blocked.includes(signature)) memory.blocked.push(signature);
  tell(scene, {
    toolResults: [result],
    ...(signature === undefined ? {} : { blockedSignatures: [signature] }),
  });
}

/** After a tool phase somebody resumes it; any other question is put in words, and answered in words. */
function pause(scene: TwoStage): void {
  const { questions, pauses, said } = scene.memory;
  const asked = [...questions.values()].filter(({ approval }) => !pauses.has(approval)).map(askingWords);
  const before = said.text;
  const words = asked.join('\n\n');
  if (words !== '') tell(scene, { chunk: before === '' ? words : `\n\n${words}` });
  const fullContent = [before, words].filter((text) => text !== '').join('\n\n');
  tell(scene, { paused: true, done: true, fullContent });
}

function end(scene: TwoStage, { outcome, answer, failure }: EventOf<'run.ended'>): void {
  const { memory } = scene;
  memory.phase = 'complete';
  const { blocked } = memory;
  tell(scene, {
    ...(blocked.length > 0 && { blockedSignatures: [...blocked] }),
    ...(outcome === 'failed' && { error: failure?.message ?? 'The run failed.' }),
    ...(outcome === 'stopped' && { stopped: true }),
    done: true,
    fullContent: answerAsSaid(answer, memory.said.text) || memory.said.text,
  });
}
