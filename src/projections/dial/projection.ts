import type { EventOf } from '../../run/events.ts';
import { combinedState, holdersOf, originKey, type LeftState } from '../../run/combined-state.ts';
import { isBlobRef, type Item, type Json, type Usage } from '../../run/values.ts';
import type { PeerNews } from '../../wire/dial.ts';
import { superseded } from '../../run/answer-text.ts';
import {
  chatProjection,
  choiceOf,
  usageOf,
  type ChatFrame,
  type ChatMemory,
  type ChatPlace,
  type ChatScene,
  type ChatStep,
  type Dialect,
  type StepNews,
} from '../chat/chat.ts';
import { askedBeside } from '../../run/asking.ts';
import { questionId } from '../../run/question-id.ts';
import type { Question } from '../questions.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { plain } from '../speaker.ts';
import type { OpenStep } from '../story.ts';
import { attachmentOf } from './attachment.ts';
import { dialError } from './error.ts';
import { filled, present } from '../../run/tree.ts';

/** What a message of DIAL has so far. */
export interface Stages {
  stages: number;
  attachments: number;
  /** What agents left in this run, by name. */
  readonly states: Map<string, LeftState>;
}

/** The stage of a step, in the message at hand. */
export interface StageMark {
  /** Undefined for what is the text of the message. */
  stage: number | undefined;
  attachments: number;
  hasText: boolean;
}

type Scene = ChatScene<Stages, StageMark>;
type Step = OpenStep<ChatStep<StageMark>>;

/**
 * Chat completions of DIAL. The answer is the message, every other step a stage that names the one it is in, and what agents left
 * is the message's state: the only memory that clients carry.
 */
export function dialProjection({
  run,
  options,
}: ViewOptions): Projection<ChatPlace<Stages, StageMark>, ChatFrame> {
  return chatProjection(
    run,
    dialectOf({ isFlat: options?.['flat'] === true, isPeer: options?.['peer'] === true }),
  );
}

interface Reader {
  readonly isFlat: boolean;
  /** It is a Vitrine, which shows steps of ours as its own: it is told what DIAL has no words for. */
  readonly isPeer: boolean;
}

/** A chunk that says nothing. */
export function beatOf({ run }: ViewOptions): object {
  return { choices: [choiceOf({})], usage: null, id: run, object: 'chat.completion.chunk' };
}

function dialectOf(reader: Reader): Dialect<Stages, StageMark> {
  return {
    extra: () => ({ stages: 0, attachments: 0, states: new Map() }),
    mark: () => ({ stage: undefined, attachments: 0, hasText: false }),
    chunk,
    begun({ frames, memory }) {
      Object.assign(memory.extra, { stages: 0, attachments: 0 });
      if (reader.isPeer) frames.push({ data: chunk(memory, choiceOf({}), { vitrine: { run: memory.run } }) });
    },
    opened: (scene, step) => open(scene, step, reader),
    happened: (scene, event, step) => hear(scene, event, { step, ...reader }),
    closed: (scene, event, step) => close(scene, event, { step, ...reader }),
    ...(reader.isPeer ? { asking } : {}),
    left({ memory }, { agent, strategy, state }) {
      if (!isBlobRef(state)) memory.extra.states.set(agent, { agent, strategy, state });
    },
    ending: end,
    finish({ frames, memory }, { finish, usage }) {
      const statistics = { usage_per_model: perModel(usage), discarded_messages: [] };
      frames.push({ data: chunk(memory, choiceOf({}, finish), { usage: usageOf(usage), statistics }) });
    },
    error: dialError,
  };
}

function chunk(
  { run, begin, created, model }: ChatMemory<Stages>,
  choice: object,
  more: object = {},
): object {
  const id = begin === 0 ? run : `${run}-${begin}`;
  return { choices: [choice], usage: null, ...more, id, model, created, object: 'chat.completion.chunk' };
}

/** What a Vitrine is asked, which puts it to its own people. */
function asking(memory: ChatMemory<Stages>, questions: readonly Question[]): object {
  const asks = questions.map((question) => {
    const { title, arguments: given, schema } = question;
    const message = filled(askedBeside(question).join('\n'));
    return { id: questionId(question), title, ...present({ message, arguments: given, schema }) };
  });
  return chunk(memory, choiceOf({}), { vitrine: { asks } });
}

function custom({ frames, memory }: Scene, content: object, more: object = {}): void {
  frames.push({ data: chunk(memory, choiceOf({ custom_content: content }), more) });
}

/** A piece of a stage, and what a Vitrine is told of it besides. */
interface Piece {
  readonly about?: PeerNews['stage'];
  readonly [field: string]: unknown;
}

function stage(scene: Scene, step: Step, { about, ...piece }: Piece): void {
  const { stage: index } = step.own.mark;
  if (index === undefined) return;
  custom(scene, { stages: [{ index, status: null, ...piece }] }, about && { vitrine: { stage: about } });
}

function open(scene: Scene, step: Step, { isFlat, isPeer }: Reader): void {
  if (step.own.says && !isPeer) return;
  const { extra } = scene.memory;
  const above = scene.story.steps.get(step.parent)?.own.mark.stage;
  step.own.mark = { stage: extra.stages, attachments: 0, hasText: false };
  extra.stages += 1;
  const name = step.title === '' ? step.opening.kind : step.title;
  const piece = { name, ...(isFlat || above === undefined ? {} : { parent_stage_index: above }) };
  stage(scene, step, isPeer ? { ...piece, about: aboutOf(step) } : piece);
  const { call } = step;
  if (call && !isPeer)
    say(scene, step, `## Request arguments:\n\`\`\`json\n${written(call.arguments)}\n\`\`\`\n`);
}

function aboutOf({ opening, call }: Step): PeerNews['stage'] {
  const { kind, agent, query = call && written(call.arguments) } = opening;
  return { kind, ...present({ agent, query: query === '{}' ? undefined : query }) };
}

function say(scene: Scene, step: Step, content: string | Piece): void {
  step.own.mark.hasText = true;
  stage(scene, step, typeof content === 'string' ? { content } : content);
}

interface Told extends Reader {
  readonly step: Step;
}

function hear(scene: Scene, event: StepNews, { step, isPeer }: Told): void {
  const { mark, says } = step.own;
  if (event.type === 'item.attached') return attach(scene, event.item, step);
  const isAnswer = says && !(isPeer && event.type === 'text.appended' && event.channel !== 'content');
  if (isAnswer || event.type === 'step.started') return;
  if (event.type === 'title.appended')
    return event.text === '' ? undefined : stage(scene, step, { name: event.text });
  if (event.type === 'step.retried') return mark.hasText ? say(scene, step, superseded) : undefined;
  if (event.text === '' || event.channel === 'arguments') return;
  const channel = event.channel === 'content' ? undefined : event.channel;
  say(scene, step, { content: event.text, about: isPeer && channel ? { channel } : undefined });
}

/** What hangs on the answer hangs on the message. */
function attach(scene: Scene, item: Item, step: Step): void {
  const attachment = attachmentOf(item);
  const { mark, says } = step.own;
  const { extra } = scene.memory;
  if (says || mark.stage === undefined) {
    custom(scene, { attachments: [{ index: extra.attachments, ...attachment }] });
    extra.attachments += 1;
    return;
  }
  stage(scene, step, { attachments: [{ index: mark.attachments, ...attachment }] });
  mark.attachments += 1;
}

const good: ReadonlySet<string> = new Set(['completed', 'reused', 'skipped']);

function close(scene: Scene, event: EventOf<'step.closed'>, { step, isPeer }: Told): void {
  const { outcome, failure, result } = event;
  if (step.own.mark.stage === undefined) return;
  if (step.call && result !== undefined)
    say(scene, step, isPeer ? plain(result) : `## Response:\n\`\`\`json\n${written(result)}\n\`\`\`\n`);
  if (failure)
    say(scene, step, {
      content: `${failure.message}\n`,
      about: isPeer ? { channel: 'log' } : undefined,
    });
  stage(scene, step, { status: good.has(outcome) ? 'completed' : 'failed' });
}

function written(value: Json | object): string {
  return isBlobRef(value) ? `${value.preview ?? ''}…` : JSON.stringify(value);
}

/** What is still open when a message ends would spin for ever; a state comes once, and last. */
function end(scene: Scene): void {
  const { story, memory } = scene;
  for (const step of story.steps.values()) if (step.id !== 0) stage(scene, step, { status: 'completed' });
  const states = [...memory.extra.states.values()];
  const origin = { run: memory.run, agents: holdersOf(states) };
  custom(scene, { state: { ...combinedState(states), [originKey]: origin } });
}

function perModel({ models = [] }: Usage): readonly object[] {
  return models.map(({ model, input, output }, index) => ({
    index,
    model,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }));
}
