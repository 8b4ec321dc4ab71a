import type { Entry, EventOf } from '../../run/events.ts';
import { askedBeside } from '../../run/asking.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import { unfinishedTurn } from '../../run/unfinished.ts';
import { isBlobRef, type Usage } from '../../run/values.ts';
import { saysAnswer, supersededLine, unsaid, wholeAnswer } from '../../run/answer-text.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { heed, type Question } from '../questions.ts';
import { overStory } from '../story-projection.ts';
import { messageId, sequenceNumber } from './ids.ts';
import { argumentsOf, messageItem, responseOf, stepItem, textPart, type Ended } from './items.ts';
import {
  newMemory,
  type Memory,
  type Own,
  type ResponsesFrame,
  type ResponsesPlace,
  type Saying,
  type Scene,
  type Step,
} from './scene.ts';

/**
 * The Responses API. The answer is a message, steps are items of their own type (an event of another type would break the
 * official client), and a question is a request for the approval of an MCP call. What a new attempt takes back is not in the
 * output that a response ends with. A frame's number says which entry it is of, so that a client can go on after it.
 */
export function openAiResponsesProjection({ run }: ViewOptions): Projection<ResponsesPlace, ResponsesFrame> {
  const told = overStory<Memory, Own, ResponsesFrame>({
    memory: () => newMemory(run),
    own: (opening, above) => ({
      says: saysAnswer(opening, above && { says: above.own.says, kind: above.opening.kind }),
      index: 0,
    }),
    tell: {
      'run.started'(scene, { app }) {
        Object.assign(scene.memory, { model: app, created: Math.floor(scene.at / 1_000) });
        begin(scene);
      },
      'step.opened': (scene, _, step) => open(scene, step),
      'step.retried': (scene, _, step) => takeBack(scene, `${step.id}`),
      'text.appended': hear,
      'step.closed'(scene, event, step) {
        const { outcome, failure } = event;
        heed(scene.memory.questions, event);
        if (scene.memory.saying?.step === `${step.id}`) scene.memory.unfinished = unfinishedTurn(event);
        if (scene.memory.thinking) stopThinking(scene);
        done(
          scene,
          step.own.index,
          stepItem(itemId(scene, step.own.index), step, { status: outcome, failure: failure?.message }),
        );
      },
      'approval.requested': ({ memory }, event) => heed(memory.questions, event),
      'approval.decided': ({ memory }, event) => heed(memory.questions, event),
      'approval.lapsed': ({ memory }, event) => heed(memory.questions, event),
      'stop.requested': ({ memory }, event) => heed(memory.questions, event),
      'run.ended': end,
    },
    rest,
    goOn(scene, entry) {
      const fresh = { begin: entry.seq - 1, items: 0, saying: undefined, thinking: undefined, output: [] };
      Object.assign(scene.memory, fresh);
      begin(scene);
      for (const step of scene.story.steps.values()) if (step.id !== 0) open(scene, step);
    },
  });
  return numbered(told);
}

/** The frames of an entry are numbered through, whatever of it tells them. */
function numbered(told: Projection<ResponsesPlace, ResponsesFrame>): typeof told {
  type Tell = (place: ResponsesPlace, entry: Entry) => readonly ResponsesFrame[];
  const counted =
    (tell: Tell | undefined): Tell =>
    (place, entry) => {
      const { memory } = place;
      if (memory.seq !== entry.seq) Object.assign(memory, { seq: entry.seq, place: 0 });
      return (tell?.(place, entry) ?? []).map((frame) => {
        const number = sequenceNumber(entry.seq, memory.place);
        memory.place += 1;
        return { ...frame, sequence_number: number };
      });
    };
  const { project, rest: rests, goOn } = told;
  return { ...told, project: counted(project), rest: counted(rests), goOn: counted(goOn) };
}

function begin(scene: Scene): void {
  const response = responseOf(scene.memory, { status: 'in_progress', output: [] });
  scene.frames.push({ type: 'response.created', response }, { type: 'response.in_progress', response });
}

function added(scene: Scene, item: (id: string) => object): number {
  const { memory, frames } = scene;
  const index = memory.items;
  memory.items += 1;
  frames.push({ type: 'response.output_item.added', output_index: index, item: item(itemId(scene, index)) });
  return index;
}

function done({ frames }: Scene, index: number, item: object): void {
  frames.push({ type: 'response.output_item.done', output_index: index, item });
}

function itemId({ memory }: Scene, index: number): string {
  return messageId(memory, index);
}

function open(scene: Scene, step: Step): void {
  if (scene.memory.thinking) stopThinking(scene);
  step.own.index = added(scene, (id) => stepItem(id, step, { status: 'in_progress' }));
}

function hear(scene: Scene, { channel, text }: EventOf<'text.appended'>, step: Step): void {
  if (!step.own.says || text === '') return;
  if (channel === 'reasoning') return think(scene, text);
  if (channel !== 'content') return;
  if (scene.memory.thinking) stopThinking(scene);
  const name = `${step.id}`;
  if (scene.memory.saying && scene.memory.saying.step !== name) stopSaying(scene, 'completed');
  say(scene, name, text);
}

function say(scene: Scene, step: string, text: string): void {
  const { memory, frames } = scene;
  if (!memory.saying) {
    const index = added(scene, (id) => ({
      ...messageItem(id, '', 'incomplete'),
      status: 'in_progress',
      content: [],
    }));
    memory.saying = { index, id: itemId(scene, index), step, text: '' };
    frames.push({ type: 'response.content_part.added', ...placeOf(memory.saying), part: textPart('') });
  }
  const { saying } = memory;
  saying.text += text;
  frames.push({ type: 'response.output_text.delta', ...placeOf(saying), delta: text, logprobs: [] });
}

function placeOf({ id, index }: Pick<Saying, 'id' | 'index'>): object {
  return { item_id: id, output_index: index, content_index: 0 };
}

function stopSaying(scene: Scene, status: 'completed' | 'incomplete'): object | undefined {
  const { memory, frames } = scene;
  const { saying } = memory;
  if (!saying) return undefined;
  const { id, index, text } = saying;
  const at = placeOf(saying);
  frames.push({ type: 'response.output_text.done', ...at, text, logprobs: [] });
  frames.push({ type: 'response.content_part.done', ...at, part: textPart(text) });
  const item = messageItem(id, text, status);
  done(scene, index, item);
  if (status === 'completed') memory.output.push(item);
  memory.saying = undefined;
  return item;
}

/** What a step has said so far does not count: the message says so, and is not in the output. */
function takeBack(scene: Scene, step: string): void {
  if (scene.memory.thinking) stopThinking(scene);
  if (scene.memory.saying?.step !== step) return;
  say(scene, step, supersededLine);
  stopSaying(scene, 'incomplete');
}

function think(scene: Scene, text: string): void {
  const { memory, frames } = scene;
  if (!memory.thinking) {
    const index = added(scene, (id) => ({ id, type: 'reasoning', summary: [] }));
    memory.thinking = { index, id: itemId(scene, index), text: '' };
    const part = { type: 'summary_text', text: '' };
    frames.push({ type: 'response.reasoning_summary_part.added', ...thoughtAt(memory.thinking), part });
  }
  const { thinking } = memory;
  thinking.text += text;
  frames.push({ type: 'response.reasoning_summary_text.delta', ...thoughtAt(thinking), delta: text });
}

function thoughtAt({ id, index }: { readonly id: string; readonly index: number }): object {
  return { item_id: id, output_index: index, summary_index: 0 };
}

function stopThinking(scene: Scene): void {
  const { memory, frames } = scene;
  const { thinking } = memory;
  if (!thinking) return;
  const { id, index, text } = thinking;
  const at = thoughtAt(thinking);
  const part = { type: 'summary_text', text };
  frames.push({ type: 'response.reasoning_summary_text.done', ...at, text });
  frames.push({ type: 'response.reasoning_summary_part.done', ...at, part });
  done(scene, index, { id, type: 'reasoning', summary: [part] });
  memory.thinking = undefined;
}

/** Everything that is open is closed, and what is asked stands at the end of the output. */
function rest(scene: Scene): void {
  stopThinking(scene);
  stopSaying(scene, 'completed');
  for (const step of scene.story.steps.values())
    if (step.id !== 0)
      done(scene, step.own.index, stepItem(itemId(scene, step.own.index), step, { status: 'waiting' }));
  for (const asked of scene.memory.questions.values()) ask(scene, asked);
  finish(scene, 'response.completed', { status: 'completed', output: scene.memory.output });
}

/** A request for an approval has a name and arguments alone: what else belongs to the question is said before it. */
function ask(scene: Scene, asked: Question): void {
  const beside = askedBeside(asked).join('\n\n');
  if (beside !== '') say(scene, questionId(asked), beside);
  stopSaying(scene, 'completed');
  const item = {
    id: questionId(asked),
    type: 'mcp_approval_request',
    server_label: 'vitrine',
    name: visible(asked.title),
    arguments: argumentsOf(asked),
  };
  done(
    scene,
    added(scene, () => item),
    item,
  );
  scene.memory.output.push(item);
}

function end(scene: Scene, { outcome, answer, failure, usage }: EventOf<'run.ended'>): void {
  stopThinking(scene);
  const { memory } = scene;
  const whole = wholeAnswer(answer);
  if (outcome === 'failed') {
    stopSaying(scene, 'incomplete');
    const message = failure?.message ?? 'The run failed.';
    return finish(scene, 'response.failed', { ...left(memory, usage), status: 'failed', failure: message });
  }
  // What was said last may be all of the answer, or its beginning.
  const said = memory.saying?.text ?? '';
  const isBeginning = whole.startsWith(said) || typeof answer !== 'string';
  if (!isBeginning) stopSaying(scene, 'incomplete');
  if (isBeginning && typeof answer === 'string') sayRest(scene, whole.slice(said.length));
  else if (!isBeginning || said === '') sayRest(scene, whole);
  else if (isBlobRef(answer)) sayRest(scene, unsaid(said, answer) ?? '');
  if (outcome === 'stopped') {
    stopSaying(scene, 'incomplete');
    return finish(scene, 'response.incomplete', { ...left(memory, usage), status: 'cancelled' });
  }
  const how = isBeginning && said !== '' ? memory.unfinished : undefined;
  const status = how ? 'incomplete' : 'completed';
  const item = stopSaying(scene, status);
  // What was said before the answer was no part of it.
  const output = item ? [item] : memory.output.slice(-1);
  finish(scene, `response.${status}`, { status, output, usage, reason: how && reasons[how] });
}

const reasons = {
  length: 'max_output_tokens',
  budget: 'max_output_tokens',
  filter: 'content_filter',
} as const;

function sayRest(scene: Scene, text: string): void {
  if (text !== '') say(scene, 'answer', text);
}

function left({ output }: Memory, usage: Usage): Pick<Ended, 'output' | 'usage'> {
  return { output, usage };
}

function finish({ frames, memory }: Scene, type: string, ended: Ended): void {
  frames.push({ type, response: responseOf(memory, ended) });
}
