import { stepName } from '../nested.ts';
import { chatError } from '../chat/chat-error.ts';
import {
  chatProjection,
  choiceOf,
  usageOf,
  type ChatFrame,
  type ChatMemory,
  type ChatPlace,
  type ChatScene,
  type Dialect,
} from '../chat/chat.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import type { Question } from '../questions.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { present } from '../../run/tree.ts';

type Scene = ChatScene<null, null>;

/** Each answer of a run is a completion of its own. */
export function answerId(run: string, begin: number): string {
  return begin === 0 ? `chatcmpl-${run}` : `chatcmpl-${run}-${begin}`;
}

/**
 * Chat completions of OpenAI. The answer is content, what it thinks before is `reasoning_content`, and every step goes along as
 * `x_step`, an extension that official clients pass through. Tools that run here are no `tool_calls`: clients would run them.
 */
export function openAiChatProjection({
  run,
  options,
}: ViewOptions): Projection<ChatPlace<null, null>, ChatFrame> {
  return chatProjection(run, { ...dialect, finish: finishing(options?.['usage'] === true) });
}

const dialect: Omit<Dialect<null, null>, 'finish'> = {
  extra: () => null,
  mark: () => null,
  chunk,
  opened(scene, { id, parent, title, attempt, opening, call }) {
    const { kind, agent } = opening;
    const tool = call?.tool;
    const above = stepName(parent) ?? null;
    const known = present({ agent, tool, attempt: attempt === 1 ? undefined : attempt });
    tell(scene, { id: `s${id}`, parent: above, title, kind, status: 'running', ...known });
  },
  happened(scene, event, step) {
    const id = `s${step.id}`;
    if (event.type === 'title.appended') return tell(scene, { id, title: step.title });
    if (event.type === 'step.retried') return tell(scene, { id, status: 'running', attempt: event.attempt });
    if (event.type === 'item.attached') return tell(scene, { id, item: event.item });
    if (event.type === 'step.started') return;
    const { channel, text } = event;
    if (text === '') return;
    if (step.own.says && channel === 'reasoning') return reason(scene, text);
    tell(scene, { id, ...(channel === 'content' ? {} : { channel }), text });
  },
  closed(scene, { outcome, failure }, step) {
    tell(scene, { id: `s${step.id}`, status: outcome, ...present({ failure: failure?.message }) });
  },
  error: chatError,
};

function chunk({ run, begin, created, model }: ChatMemory<null>, choice: object, more: object = {}): object {
  const about = { id: answerId(run, begin), object: 'chat.completion.chunk', created, model };
  return { ...about, choices: [choice], ...more };
}

function tell({ frames, memory }: Scene, step: object): void {
  frames.push({ data: chunk(memory, choiceOf({}), { x_step: step }) });
}

function reason({ frames, memory }: Scene, text: string): void {
  frames.push({ data: chunk(memory, choiceOf({ reasoning_content: text })) });
}

function finishing(hasUsage: boolean): Dialect<null, null>['finish'] {
  return ({ frames, memory }, { status, finish, questions, usage }) => {
    const asked = questions.map(namedQuestion);
    const approvals = asked.length > 0 ? { x_approvals: asked } : {};
    const last = chunk(memory, choiceOf({}, finish), { x_run: { id: memory.run, status }, ...approvals });
    frames.push({ data: last });
    if (hasUsage) frames.push({ data: { ...chunk(memory, {}), choices: [], usage: usageOf(usage) } });
  };
}

/** A question without its words, for programs. */
export function namedQuestion(question: Question): object {
  const { fingerprint, title } = question;
  return { id: questionId(question), fingerprint, title: visible(title) };
}
