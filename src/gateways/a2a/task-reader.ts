import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { RunError } from '../../run/failure.ts';
import { stepsArtifactId, stepsExtension, TaskQuestions, TaskSteps, type TaskStep } from '../../wire/a2a.ts';
import type { AgentEvent, AgentQuestion } from '../gateway.ts';

/** Turns what is told of a task into what its agent tells. */
export class TaskReader {
  readonly #name: string;
  /** The task that works, once it is known: it is what is cancelled. */
  task: string | undefined;
  #state = TaskState.TASK_STATE_UNSPECIFIED;
  #said: string | undefined;
  #hasText = false;
  readonly #questions: AgentQuestion[] = [];
  /** What is known of the agent's own steps: the text that was told, and whether it is closed. */
  readonly #stages = new Map<number, { text: string; isClosed: boolean }>();

  readonly #seen: number;

  /** `seen` is the last of the agent's own steps that was told in the turn before. */
  constructor(name: string, seen: number) {
    this.#name = name;
    this.#seen = seen;
  }

  take({ payload }: StreamResponse): readonly AgentEvent[] {
    switch (payload?.$case) {
      case 'task': {
        const { id, contextId, artifacts, status } = payload.value;
        this.task = id;
        const context = { type: 'state.reported', state: { a2a_context: contextId } } as const;
        return [
          context,
          ...artifacts.flatMap((artifact) => this.#artifact(artifact)),
          ...this.#status(status),
        ];
      }
      case 'artifactUpdate':
        return payload.value.artifact ? this.#artifact(payload.value.artifact) : [];
      case 'statusUpdate':
        return this.#status(payload.value.status);
      case 'message':
        this.#state = TaskState.TASK_STATE_COMPLETED;
        return this.#parts(payload.value.parts);
      case undefined:
        return [];
    }
  }

  /** How the turn ended, once nothing more comes. Fails where the task did. */
  finish(): readonly AgentEvent[] {
    switch (this.#state) {
      case TaskState.TASK_STATE_COMPLETED:
        return [...this.#last(), { type: 'turn.finished', reason: 'stop' }];
      case TaskState.TASK_STATE_INPUT_REQUIRED:
      case TaskState.TASK_STATE_AUTH_REQUIRED:
        return [
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
    const token = { task, seen: Math.max(this.#seen, ...this.#stages.keys()) };
    for (const { content } of message?.parts ?? []) {
      const asked = content?.$case === 'data' ? TaskQuestions.safeParse(content.value).data : undefined;
      if (asked)
        return asked.approvals.map(
          ({ id, title, message: about, fingerprint, arguments: given, schema }) => ({
            id,
            title,
            message: about,
            arguments: given,
            schema,
            token: { ...token, fingerprint },
          }),
        );
    }
    const title = `${this.#name} asks`;
    return [{ id: task, title, message: this.#said, schema: { type: 'string', title: 'Answer' }, token }];
  }

  #artifact({ artifactId, extensions, parts }: Artifact): readonly AgentEvent[] {
    if (artifactId === stepsArtifactId && extensions.includes(stepsExtension))
      return parts.flatMap(({ content }) => {
        const told = content?.$case === 'data' ? TaskSteps.safeParse(content.value).data : undefined;
        return this.#steps(told?.steps ?? []);
      });
    return this.#parts(parts);
  }

  /** All that are new are opened before any is closed: what is in a step that has ended began before that. */
  #steps(steps: readonly TaskStep[]): readonly AgentEvent[] {
    const told = steps.filter(({ id, status }) => id > this.#seen && status !== 'pending');
    return [
      ...told.flatMap((step) => this.#grown(step)),
      ...told.toReversed().flatMap((step) => this.#closed(step)),
    ];
  }

  #grown({ id, parent, title, kind, agent, query, text = '' }: TaskStep): readonly AgentEvent[] {
    const stage = `s${id}`;
    const events: AgentEvent[] = [];
    const known = this.#stages.get(id) ?? { text: '', isClosed: false };
    if (!this.#stages.has(id)) {
      this.#stages.set(id, known);
      const above = this.#stages.has(parent) ? `s${parent}` : undefined;
      events.push({ type: 'stage.opened', stage, parent: above, title, kind, agent, query });
    }
    if (!known.isClosed && text.length > known.text.length && text.startsWith(known.text)) {
      events.push({ type: 'stage.appended', stage, text: text.slice(known.text.length) });
      known.text = text;
    }
    return events;
  }

  #closed({ id, status }: TaskStep): readonly AgentEvent[] {
    const known = this.#stages.get(id);
    if (!known || known.isClosed || !isOver(status)) return [];
    known.isClosed = true;
    return [{ type: 'stage.closed', stage: `s${id}`, outcome: status === 'failed' ? 'failed' : 'completed' }];
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

function isAsking(state: TaskState): boolean {
  return state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;
}

function isOver(status: string): boolean {
  return !['pending', 'running', 'waiting', 'paused'].includes(status);
}

function textIn({ parts }: Message): string {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
}
