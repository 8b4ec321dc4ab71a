import type { EventOf } from '../../run/events.ts';
import { errorOf, type Failure } from '../../run/failure.ts';
import { isBlobRef, type Usage } from '../../run/values.ts';
import {
  answerAsSaid,
  isGoneOn,
  noText,
  saysAnswer,
  takenBack,
  toldPiece,
  toldRest,
  type AnswerText,
} from '../../run/answer-text.ts';
import { unfinishedTurn, type Unfinished } from '../../run/unfinished.ts';
import type { Projection } from '../projection.ts';
import { overStory, type Place, type Scene, type StoryProjection } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import { askingWords } from '../../run/asking.ts';
import { heed, type Question, type Questions } from '../questions.ts';

/** What a protocol of chat completions remembers of a run. */
export interface ChatMemory<Extra> {
  readonly run: string;
  /** The entry after which the answer at hand begins. */
  begin: number;
  created: number;
  model: string;
  readonly told: AnswerText;
  /** How the turn that said it last ended, where it did not by itself. */
  unfinished: Unfinished | undefined;
  /** Asked and not decided, by approval. */
  readonly questions: Questions;
  /** What was used in all, as far as it was told before. */
  usage: Usage;
  readonly extra: Extra;
}

/** What it remembers of a step: whether what it says is the answer. */
export interface ChatStep<Mark> {
  readonly says: boolean;
  /** What a dialect keeps of it. */
  mark: Mark;
}

/** A frame of chat, with what a whole answer is made of. */
export interface ChatFrame {
  /** A chunk, an error or the word that ends the stream. */
  readonly data: object | '[DONE]';
  readonly part?: ChatPart;
}

export type ChatPart =
  | { readonly says: string; readonly step: string }
  | { readonly takesBack: string }
  | { readonly asks: readonly Question[] }
  | { readonly ends: EventOf<'run.ended'>; readonly finish?: Finish };

export type ChatScene<Extra, Mark> = Scene<ChatMemory<Extra>, ChatStep<Mark>, ChatFrame>;
export type ChatPlace<Extra, Mark> = Place<ChatMemory<Extra>, ChatStep<Mark>>;
type Open<Mark> = OpenStep<ChatStep<Mark>>;
type Scenery<Extra, Mark> = ChatScene<Extra, Mark>;

/** How a protocol of chat completions tells what is not the text of the answer. All of them are chunks. */
export interface Dialect<Extra, Mark> {
  readonly extra: () => Extra;
  readonly mark: () => Mark;
  /** What every chunk has beside its choice. */
  readonly chunk: (memory: ChatMemory<Extra>, choice: object, more?: object) => object;
  readonly opened: (scene: Scenery<Extra, Mark>, step: Open<Mark>) => void;
  readonly happened: (scene: Scenery<Extra, Mark>, event: StepNews, step: Open<Mark>) => void;
  readonly closed: (scene: Scenery<Extra, Mark>, event: EventOf<'step.closed'>, step: Open<Mark>) => void;
  readonly left?: (scene: Scenery<Extra, Mark>, event: EventOf<'state.saved'>) => void;
  /** Where an answer begins. */
  readonly begun?: (scene: Scenery<Extra, Mark>) => void;
  /** What people are asked, as a chunk of its own; in words unless said. */
  readonly asking?: (memory: ChatMemory<Extra>, questions: readonly Question[]) => object;
  /** Before the last chunk. */
  readonly ending?: (scene: Scenery<Extra, Mark>) => void;
  /** What the last chunk has besides, and what follows it. */
  readonly finish: (scene: Scenery<Extra, Mark>, ending: Ending) => void;
  readonly error: (failure: Failure) => object;
}

/** What is told of a step while it is open, but for the text of the answer. */
export type StepNews = EventOf<
  'title.appended' | 'text.appended' | 'item.attached' | 'step.started' | 'step.retried'
>;

export type Finish = 'stop' | 'length' | 'content_filter';

/** How an answer ends: with the run, or with what is asked. */
export interface Ending {
  readonly finish: Finish;
  readonly status: 'completed' | 'stopped' | 'waiting';
  readonly questions: readonly Question[];
  readonly usage: Usage;
}

const nothing: Usage = { input: 0, output: 0 };

export function chatProjection<Extra, Mark>(
  run: string,
  dialect: Dialect<Extra, Mark>,
): Projection<ChatPlace<Extra, Mark>, ChatFrame> {
  return overStory<ChatMemory<Extra>, ChatStep<Mark>, ChatFrame>({
    memory: () => ({
      run,
      begin: 0,
      created: 0,
      model: '',
      told: noText(),
      unfinished: undefined,
      questions: new Map(),
      usage: nothing,
      extra: dialect.extra(),
    }),
    own: (opening, above) => ({
      says: saysAnswer(opening, above && { says: above.own.says, kind: above.opening.kind }),
      mark: dialect.mark(),
    }),
    tell: tellOf(dialect),
    rest(scene) {
      const questions = [...scene.memory.questions.values()];
      const text = `\n\n${questions.map(askingWords).join('\n\n')}`;
      const asks = dialect.asking?.(scene.memory, questions);
      if (asks) scene.frames.push({ data: asks, part: { asks: questions } });
      else content(scene, dialect, { text, part: { asks: questions } });
      finish(scene, dialect, { status: 'waiting', finish: 'stop', questions, usage: nothing });
    },
    goOn(scene, entry) {
      Object.assign(scene.memory, { begin: entry.seq - 1, told: noText(), unfinished: undefined });
      begin(scene, dialect);
      for (const step of scene.story.steps.values()) if (step.id !== 0) dialect.opened(scene, step);
    },
  });
}

function tellOf<Extra, Mark>(
  dialect: Dialect<Extra, Mark>,
): StoryProjection<ChatMemory<Extra>, ChatStep<Mark>, ChatFrame>['tell'] {
  return {
    'run.started'(scene, { app }) {
      Object.assign(scene.memory, { model: app, created: seconds(scene.at) });
      begin(scene, dialect);
    },
    'step.opened': (scene, _, step) => dialect.opened(scene, step),
    'title.appended': (scene, event, step) => dialect.happened(scene, event, step),
    'item.attached': (scene, event, step) => dialect.happened(scene, event, step),
    'step.started': (scene, event, step) => dialect.happened(scene, event, step),
    'step.retried'(scene, event, step) {
      const name = nameOf(step, step.attempt - 1);
      const line = takenBack(scene.memory.told, name);
      if (line !== '') content(scene, dialect, { text: line, part: { takesBack: name } });
      dialect.happened(scene, event, step);
    },
    'text.appended'(scene, event, step) {
      if (!step.own.says || event.channel !== 'content') return dialect.happened(scene, event, step);
      const name = nameOf(step, step.attempt);
      const text = toldPiece(scene.memory.told, name, event.text);
      if (text !== '') content(scene, dialect, { text, part: { says: text, step: name } });
    },
    'step.closed'(scene, event, step) {
      heed(scene.memory.questions, event);
      if (scene.memory.told.step === nameOf(step, step.attempt))
        scene.memory.unfinished = unfinishedTurn(event);
      dialect.closed(scene, event, step);
    },
    'approval.requested': ({ memory }, event) => heed(memory.questions, event),
    'approval.decided': ({ memory }, event) => heed(memory.questions, event),
    'approval.lapsed': ({ memory }, event) => heed(memory.questions, event),
    'stop.requested': ({ memory }, event) => heed(memory.questions, event),
    'state.saved': (scene, event) => dialect.left?.(scene, event),
    'run.ended': (scene, event) => end(scene, event, dialect),
  };
}

function begin<Extra, Mark>(scene: Scenery<Extra, Mark>, { chunk, begun }: Dialect<Extra, Mark>): void {
  const { frames, memory } = scene;
  begun?.(scene);
  frames.push({ data: chunk(memory, choiceOf({ role: 'assistant', content: '' })) });
}

function content<Extra, Mark>(
  { frames, memory }: Scenery<Extra, Mark>,
  { chunk }: Dialect<Extra, Mark>,
  { text, part }: { readonly text: string; readonly part: ChatPart },
): void {
  frames.push({ data: chunk(memory, choiceOf({ content: text })), part });
}

function end<Extra, Mark>(
  scene: Scenery<Extra, Mark>,
  event: EventOf<'run.ended'>,
  dialect: Dialect<Extra, Mark>,
): void {
  const { frames, memory } = scene;
  const { outcome, failure, answer, usage } = event;
  if (outcome === 'failed') {
    const why = failure ?? { code: 'internal', message: 'The run failed.' };
    dialect.ending?.(scene);
    frames.push({ data: dialect.error(why), part: { ends: event } }, { data: '[DONE]' });
    return;
  }
  const how = isGoneOn(memory.told, answer) ? memory.unfinished : undefined;
  const text = toldRest(memory.told, answer, how);
  const step = isBlobRef(answer) ? memory.told.step : '';
  if (text !== '') content(scene, dialect, { text, part: { says: text, step } });
  const status = outcome === 'stopped' ? 'stopped' : 'completed';
  const ending = { status, finish: how ? finishes[how] : 'stop', questions: [], usage } as const;
  frames.push({
    data: dialect.chunk(memory, choiceOf({})),
    part: { ends: event, finish: ending.finish },
  });
  finish(scene, dialect, ending);
}

const finishes = { length: 'length', budget: 'length', filter: 'content_filter' } as const;

function finish<Extra, Mark>(
  scene: Scenery<Extra, Mark>,
  dialect: Dialect<Extra, Mark>,
  ending: Ending,
): void {
  dialect.ending?.(scene);
  dialect.finish(scene, ending);
  scene.frames.push({ data: '[DONE]' });
}

export function choiceOf(delta: object, finish: string | null = null): object {
  return { index: 0, delta, finish_reason: finish };
}

export function usageOf({ input, output, cached, reasoning }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** An answer in one piece: of what was said, the last attempts only. A run that failed is thrown as its failure. */
export function wholeOf(frames: readonly ChatFrame[]): Whole {
  const said: { readonly step: string; text: string }[] = [];
  let ended: EventOf<'run.ended'> | undefined;
  let finish: Finish = 'stop';
  let questions: readonly Question[] = [];
  for (const { part } of frames) {
    if (!part) continue;
    if ('ends' in part) ({ ends: ended, finish = 'stop' } = part);
    else if ('asks' in part) questions = part.asks;
    else if ('takesBack' in part)
      said.splice(0, said.length, ...said.filter((one) => one.step !== part.takesBack));
    else if (said.at(-1)?.step === part.step)
      said.push({ step: part.step, text: (said.pop()?.text ?? '') + part.says });
    else said.push({ step: part.step, text: part.says });
  }
  if (ended?.outcome === 'failed')
    throw errorOf(ended.failure ?? { code: 'internal', message: 'The run failed.' });
  const asked = questions.map(askingWords);
  const words = [...said.map(({ text }) => text.replace(/^\n\n/, '')), ...asked].join('\n\n');
  const last = said.at(-1)?.text.replace(/^\n\n/, '') ?? '';
  return { content: ended ? answerAsSaid(ended.answer, last) : words, ended, finish, questions };
}

export interface Whole {
  readonly content: string;
  readonly ended: EventOf<'run.ended'> | undefined;
  readonly finish: Finish;
  readonly questions: readonly Question[];
}

function nameOf({ id }: { readonly id: number }, attempt: number): string {
  return `${id}.${attempt}`;
}

function seconds(at: number): number {
  return Math.floor(at / 1_000);
}
