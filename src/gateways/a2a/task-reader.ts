import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { RunError } from '../../run/failure.ts';
import { stepsArtifactId, stepsExtension, TaskQuestions, TaskSteps, textPart } from '../../wire/a2a.ts';
import type { AgentEvent, AgentQuestion } from '../gateway.ts';
import { TaskStages, type StagesBefore } from './task-stages.ts';

/** Turns what is told of a task into what its agent tells. */
export class TaskReader {
  readonly #name: string;
  /** The task that works, once it is known: it is what is cancelled. */
  task: string | undefined;
  #state = TaskState.TASK_STATE_UNSPECIFIED;
  #said: string | undefined;
  #hasText = false;
  readonly #questions: AgentQuestion[] = [];
  readonly #stages: TaskStages;
  /** What was told of each artifact: one that is told whole again is told on. */
  readonly #told = new Map<string, { text: string; items: number }>();

  /** `before` is what was told of the agent's own steps in the turn before. */
  constructor(name: string, before: StagesBefore) {
    this.#name = name;
    this.#stages = new TaskStages(before);
  }

  take({ payload }: StreamResponse): readonly AgentEvent[] {
    switch (payload?.$case) {
      case 'task': {
        const { id, contextId, artifacts, status } = payload.value;
        const context = { type: 'state.reported', state: { ums_conversation_id: contextId } } as const;
        const isKnown = this.task === id;
        this.task = id;
        return [
          ...(isKnown ? [] : [context]),
          ...artifacts.flatMap((artifact) => this.#artifact(artifact)),
          ...this.#status(status),
        ];
      }
      case 'artifactUpdate':
        return payload.value.artifact ? this.#artifact(payload.value.artifact, payload.value.append) : [];
      case 'statusUpdate':
        return this.#status(payload.value.status);
      case 'message':
        this.#state = TaskState.TASK_STATE_COMPLETED;
        return this.#parts(payload.value.parts);
      case undefined:
        return [];
    }
  }

  /** Whether nothing more is to come before somebody says something. */
  get isSettled(): boolean {
    return isOver(this.#state) || isAsking(this.#state);
  }

  /** How the turn ended, once nothing more comes. Fails where the task did. */
  finish(): readonly AgentEvent[] {
    switch (this.#state) {
      case TaskState.TASK_STATE_COMPLETED:
        return [...this.#last(), { type: 'turn.finished', reason: 'stop' }];
      case TaskState.TASK_STATE_INPUT_REQUIRED:
      case TaskState.TASK_STATE_AUTH_REQUIRED:
        return [
          ...this.#stages.suspend().events,
          ...this.#questions.map((question) => ({ type: 'question.asked', question }) as const),
          { type: 'turn.finished', reason: 'asks' },
        ];
      case TaskState.TASK_STATE_CANCELED:
        throw new RunError('rejected', `Agent ${this.#name} was stopped elsewhere.`);
      case TaskState.TASK_STATE_FAILED:
      case TaskState.TASK_STATE_REJECTED:
        throw new RunError('unavailable', this.#said ?? `Agent ${this.#name} failed.`);
      case TaskState.TASK_STATE_UNSPECIFIED:
      case TaskState.TASK_STATE_SUBMITTED:
      case TaskState.TASK_STATE_WORKING:
      case TaskState.UNRECOGNIZED:
        throw new RunError(
          'unavailable',
          `Agent ${this.#name} broke off. It may have acted on the message all the same.`,
        );
    }
  }

  /** An agent that answers with the message of its last status, and with no artifact. */
  #last(): readonly AgentEvent[] {
    return this.#hasText || this.#said === undefined ? [] : [{ type: 'text.appended', text: this.#said }];
  }

  #status(status: TaskStatus | undefined): readonly AgentEvent[] {
    if (!status) return [];
    this.#state = status.state;
    const text = status.message ? textIn(status.message) : '';
    this.#said = text === '' ? undefined : text;
    if (status.state === TaskState.TASK_STATE_WORKING && text !== '')
      return [{ type: 'text.appended', channel: 'log', text: `${text}\n` }];
    this.#questions.length = 0;
    if (isAsking(status.state)) this.#questions.push(...this.#asked(status.message));
    return [];
  }

  #asked(message: Message | undefined): readonly AgentQuestion[] {
    const task = this.task ?? '';
    const { seen, open } = this.#stages.suspend().before;
    const token = { task, seen, open: [...open] };
    for (const { content } of message?.parts ?? []) {
      const asked = content?.$case === 'data' ? TaskQuestions.safeParse(content.value).data : undefined;
      if (asked)
        return asked.approvals.map(
          ({ id, title, message: about, beside, fingerprint, arguments: given, schema }) => ({
            id,
            title,
            message: beside?.join('\n') || about,
            arguments: given,
            schema,
            token: { ...token, fingerprint },
          }),
        );
    }
    const title = `${this.#name} asks`;
    return [{ id: task, title, message: this.#said, schema: { type: 'string', title: 'Answer' }, token }];
  }

  #artifact({ artifactId, extensions, parts }: Artifact, append = false): readonly AgentEvent[] {
    if (artifactId === stepsArtifactId && extensions.includes(stepsExtension))
      return parts.flatMap(({ content }) => {
        const told = content?.$case === 'data' ? TaskSteps.safeParse(content.value).data : undefined;
        return told ? this.#stages.take(told) : [];
      });
    const told = this.#told.get(artifactId) ?? { text: '', items: 0 };
    this.#told.set(artifactId, told);
    const items = parts.filter(({ content }) => content?.$case !== 'text');
    const text = append ? textOf(parts) : missing(told.text, textOf(parts));
    const more = append ? items : items.slice(told.items);
    told.text += text;
    told.items += more.length;
    return this.#parts([...(text === '' ? [] : [textPart(text)]), ...more]);
  }

  #parts(parts: readonly Part[]): readonly AgentEvent[] {
    return parts.flatMap((part) => {
      const event = eventOf(part);
      if (event?.type === 'text.appended') this.#hasText = true;
      return event ?? [];
    });
  }
}

function eventOf({ content, mediaType, filename }: Part): AgentEvent | undefined {
  if (content?.$case === 'text') return { type: 'text.appended', text: content.value };
  const about = { type: mediaType || 'application/octet-stream', title: filename || undefined };
  if (content?.$case === 'url') return attached({ ...about, url: content.value });
  if (content?.$case === 'raw') return attached({ ...about, data: content.value.toString('base64') });
  if (content?.$case === 'data')
    return attached({ ...about, type: 'application/json', data: JSON.stringify(content.value) });
  return undefined;
}

function attached(attachment: {
  type: string;
  title?: string | undefined;
  url?: string;
  data?: string;
}): AgentEvent {
  return { type: 'item.attached', item: { kind: 'attachment', attachment } };
}

const over: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_REJECTED,
  TaskState.TASK_STATE_CANCELED,
]);

export function isOver(state: TaskState = TaskState.TASK_STATE_UNSPECIFIED): boolean {
  return over.has(state);
}

function isAsking(state: TaskState): boolean {
  return state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;
}

/** Of an answer that takes the place of what was said, what has not been said: nothing is taken back here. */
function missing(said: string, answer: string): string {
  if (said.endsWith(answer)) return '';
  return answer.startsWith(said) ? answer.slice(said.length) : `\n\n${answer}`;
}

function textIn({ parts }: Message): string {
  return textOf(parts, '\n');
}

function textOf(parts: readonly Part[], between = ''): string {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join(between);
}
