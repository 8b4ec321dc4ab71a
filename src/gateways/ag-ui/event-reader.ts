import {
  type AGUIEvent,
  EventType,
  omitOptionalNulls,
  type CustomEvent,
  type Message,
  type RunFinishedEvent,
  type SubagentStartedEvent,
} from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { FailureCode } from '../../run/failure-schema.ts';
import { Item, type Json } from '../../run/values.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { Complaints } from '../http/event-channel.ts';
import { WholeText } from '../http/http-exchange.ts';
import { Calls, nameOf } from './calls.ts';
import { questionOf } from './questions.ts';
import { SharedState } from './shared-state.ts';
import { Stages } from './stages.ts';
import { stateOf, type Exchange } from './thread.ts';
import { usageOf } from './usage.ts';

interface Reading {
  readonly name: string;
  readonly turn: Turn;
  readonly exchange: Exchange;
  readonly clean: (text: string) => string;
  readonly isVitrine?: () => boolean;
}

type Told = readonly AgentEvent[];

const Step = z.object({ step: z.string() });
const Notice = z.object({ code: z.string(), message: z.string() });
const Progress = z.object({ path: z.string().regex(/^\/steps\/s\d+\/detail$/), value: z.string() });

/** Turns what an agent of AG-UI sends into what it tells. */
export class EventReader {
  readonly #reading: Reading;
  readonly #complaints: Complaints;
  readonly #stages: Stages;
  readonly #calls: Calls;
  /** The message that was said last at each place. */
  readonly #speaking = new Map<string | undefined, string>();
  /** Messages that are not the agent's. */
  readonly #others = new Set<string>();
  readonly #shared: SharedState;
  #messages: readonly Message[] = [];
  #said: string | undefined;
  readonly #whole = new WholeText();
  isFinished = false;

  /** What is not told here is told by others of its kind, or means nothing to whoever looks on. */
  readonly #tell: { readonly [T in EventType]: (event: Extract<AGUIEvent, { type: T }>) => Told } = {
    TEXT_MESSAGE_START: ({ role = 'assistant', messageId, subagentRunId }) => {
      if (role !== 'assistant') this.#others.add(messageId);
      return this.#owner(subagentRunId);
    },
    TEXT_MESSAGE_CONTENT: (event) => (this.#others.has(event.messageId) ? [] : this.#say(event, 'content')),
    TEXT_MESSAGE_END: () => [],
    TEXT_MESSAGE_CHUNK: () => [],
    REASONING_START: () => [],
    REASONING_MESSAGE_START: () => [],
    REASONING_MESSAGE_CONTENT: (event) => this.#say(event, 'reasoning'),
    REASONING_MESSAGE_END: () => [],
    REASONING_MESSAGE_CHUNK: () => [],
    REASONING_END: () => [],
    REASONING_ENCRYPTED_VALUE: () => [],
    TOOL_CALL_START: (event) => [...this.#owner(event.subagentRunId), ...this.#calls.start(event)],
    TOOL_CALL_ARGS: ({ toolCallId, delta }) => this.#calls.give(toolCallId, delta),
    TOOL_CALL_END: ({ toolCallId }) => this.#calls.end(toolCallId),
    TOOL_CALL_CHUNK: () => [],
    TOOL_CALL_RESULT: (event) => this.#calls.result(event),
    STEP_STARTED: (event) => {
      const { stepName: title, subagentRunId: owner, metadata } = event;
      return this.#stages.open({ name: stepOf(event), title, within: [owner], metadata });
    },
    STEP_FINISHED: (event) =>
      this.#stages.close(stepOf(event), outcomeOf(event.metadata), isRenamed(event.metadata)),
    SUBAGENT_STARTED: (event) => this.#agent(event),
    SUBAGENT_FINISHED: ({ subagentRunId }) => this.#stages.close(subagentRunId, 'completed'),
    SUBAGENT_ERROR: ({ subagentRunId, message }) => this.#broken(subagentRunId, message),
    STATE_SNAPSHOT: (event) => this.#shared.take(event),
    STATE_DELTA: (event) => this.#shared.take(event),
    MESSAGES_SNAPSHOT: ({ messages }) => {
      this.#messages = messages;
      return [];
    },
    ACTIVITY_SNAPSHOT: ({ activityType, content }) =>
      activityType === vitrineSteps ? [] : logged(activityType, content),
    ACTIVITY_DELTA: ({ activityType, patch }) =>
      activityType === vitrineSteps
        ? patch.flatMap((operation) => this.#progress(operation))
        : logged(activityType, patch),
    RAW: () => [],
    CUSTOM: (event) => this.#custom(event),
    RUN_STARTED: () => [],
    RUN_FINISHED: (event) => this.#finish(event),
    RUN_ERROR: ({ message, code }) => {
      throw this.#failure(message, code);
    },
  };

  constructor(reading: Reading) {
    this.#reading = reading;
    const who = `Agent ${reading.name}`;
    this.#complaints = new Complaints(who, reading.clean);
    this.#stages = new Stages(who);
    this.#shared = new SharedState(reading.exchange);
    this.#calls = new Calls(this.#stages, reading.turn);
  }

  /** What cannot be read costs only itself, unless it is the end; after that nothing counts. */
  take(given: { readonly type: string }): Told {
    if (this.isFinished) return [];
    const parsed = EventSchemas.safeParse(omitOptionalNulls(given, 'Event'));
    if (parsed.success) {
      const event = parsed.data as AGUIEvent;
      return (this.#tell[event.type] as (event: AGUIEvent) => Told)(event);
    }
    if (given.type.startsWith('THINKING_')) return this.#thought(given);
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    const { name, clean } = this.#reading;
    if (given.type === 'RUN_FINISHED')
      throw new RunError(
        'unavailable',
        `Agent ${name} ended in a way that cannot be read: «${field}» is wrong.`,
      );
    const events: AgentEvent[] = [];
    const isUnknown = !(Object.values(EventType) as string[]).includes(given.type);
    const what = isUnknown ? 'which AG-UI does not know' : `whose «${field}» cannot be read`;
    this.#complaints.sent(`an event ${clean(given.type).slice(0, 80)}, ${what}.`, events);
    return events;
  }

  #thought(given: object): Told {
    const delta: unknown = Reflect.get(given, 'delta');
    return typeof delta === 'string' && delta !== ''
      ? [{ type: 'text.appended', channel: 'reasoning', text: delta }]
      : [];
  }

  #say(event: Said, channel: 'content' | 'reasoning'): Told {
    const { messageId, subagentRunId } = event;
    const opened = this.#owner(subagentRunId);
    const stage = this.#stages.at(messageId, subagentRunId)?.key;
    const place = `${channel} ${stage ?? ''}`;
    const delta = this.#whole.take(`${channel} ${messageId}`, event.delta);
    if (delta === '') return opened;
    const last = this.#speaking.get(place);
    this.#speaking.set(place, messageId);
    const text = last === undefined || last === messageId ? delta : `\n\n${delta}`;
    if (stage !== undefined) return [...opened, { type: 'stage.appended', stage, channel, text }];
    if (channel === 'reasoning') return [...opened, { type: 'text.appended', channel, text }];
    this.#said = messageId;
    return [...opened, { type: 'text.appended', text }];
  }

  /** Whoever speaks without having been told of is told of now. */
  #owner(agent: string | undefined): Told {
    if (agent === undefined || this.#stages.has(agent)) return [];
    return this.#stages.open({ name: agent, title: agent, within: [] });
  }

  #agent(event: SubagentStartedEvent): Told {
    const { subagentRunId, name: agent, description: query, metadata } = event;
    const call = event.parentToolCallId === undefined ? undefined : nameOf(event.parentToolCallId);
    const within = [call, event.parentSubagentRunId];
    return this.#stages.open({ name: subagentRunId, title: agent, agent, query, within, metadata });
  }

  #broken(agent: string, message: string): Told {
    const stage = this.#stages.key(agent);
    if (stage === undefined) return [];
    const text = this.#reading.clean(message);
    return [
      { type: 'stage.appended', stage, channel: 'log', text: `${text}\n` },
      ...this.#stages.close(agent, 'failed'),
    ];
  }

  #progress(operation: unknown): Told {
    const { path = '', value = '' } = Progress.safeParse(operation).data ?? {};
    const stage = this.#stages.atStep(path.split('/')[2]);
    return stage === undefined
      ? []
      : [
          {
            type: 'stage.appended',
            stage,
            channel: 'log',
            text: value.endsWith('\n') ? value : `${value}\n`,
          },
        ];
  }

  #custom({ name, value, subagentRunId }: CustomEvent): Told {
    const item = Item.safeParse(value).data;
    const notice = name === 'notice' ? Notice.safeParse(value).data : undefined;
    if (notice) return [{ type: 'notice.posted', code: notice.code, message: notice.message }];
    if (!item) return logged(name, value);
    const stage =
      this.#stages.atStep(Step.safeParse(value).data?.step) ?? this.#stages.key(subagentRunId ?? '');
    return [stage === undefined ? { type: 'item.attached', item } : { type: 'stage.attached', stage, item }];
  }

  #finish({ outcome, result, usage = [] }: RunFinishedEvent): Told {
    this.isFinished = true;
    const { name, exchange, isVitrine = () => false } = this.#reading;
    const used: Told = usage.length === 0 ? [] : [{ type: 'usage.reported', usage: usageOf(usage) }];
    const complaints: AgentEvent[] = [];
    const { now, refused } = this.#shared.kept();
    for (let i = 0; i < refused; i += 1)
      this.#complaints.sent('a change of its state that cannot be made.', complaints);
    this.#complaints.finish(complaints);
    const end = [...used, { type: 'state.reported', state: this.#state(now) } as const];
    if (outcome?.type === 'cancelled') throw new RunError('rejected', `Agent ${name} was stopped elsewhere.`);
    if (outcome?.type === 'interrupt') {
      const { thread, asked } = exchange;
      const asking = { name, place: { thread, asked, isVitrine: isVitrine() } };
      const questions = outcome.interrupts.map((interrupt): AgentEvent => ({
        type: 'question.asked',
        question: questionOf(interrupt, { ...asking, called: this.#calls.given(interrupt.toolCallId) }),
      }));
      const asks = { type: 'turn.finished', reason: 'asks' } as const;
      return [...complaints, ...this.#stages.closeAll(), ...questions, asks, ...end];
    }
    const { events, isAny } = this.#calls.left();
    const finished = { type: 'turn.finished', reason: isAny ? 'calls' : 'stop' } as const;
    return [...complaints, ...events, ...this.#unsaid(result), finished, ...end];
  }

  /** An agent that does not stream its answer has it among its messages, or as its result. */
  #unsaid(result: unknown): Told {
    if (this.#said !== undefined) return [];
    const since = this.#messages.slice(this.#messages.findLastIndex(({ role }) => role === 'user') + 1);
    const own = since.filter((one) => one.role === 'assistant' && one.subagentRunId === undefined);
    const words = own.flatMap(({ content }) =>
      typeof content === 'string' && content !== '' ? [content] : [],
    );
    this.#said = own.at(-1)?.id;
    const text = words.length > 0 ? words.join('\n\n') : typeof result === 'string' ? result : '';
    return text === '' ? [] : [{ type: 'text.appended', text }];
  }

  #state(now: Pick<Exchange, 'shared'>): Json {
    const { exchange } = this.#reading;
    const said = this.#said === undefined ? {} : { said: this.#said };
    return stateOf({ ...exchange, ...said, ...now });
  }

  #failure(message: string, code: string | undefined): RunError {
    const { name, clean } = this.#reading;
    const said = clean(message);
    const sentence = said === '' ? `Agent ${name} failed.` : /[.!?…]$/.test(said) ? said : `${said}.`;
    return new RunError(FailureCode.safeParse(code).data ?? 'unavailable', sentence);
  }
}

interface Said {
  readonly messageId: string;
  readonly delta: string;
  readonly subagentRunId?: string;
}

function logged(about: string, value: unknown): Told {
  return [
    { type: 'text.appended', channel: 'log', text: `${about}: ${JSON.stringify(value)}\n`.toWellFormed() },
  ];
}

const vitrineSteps = 'vitrine-steps';

/** Steps have names only, and each agent its own. */
function stepOf({ stepName, subagentRunId = '' }: { stepName: string; subagentRunId?: string }): string {
  return `step ${subagentRunId} ${stepName}`;
}

function outcomeOf(metadata: unknown): 'completed' | 'failed' {
  return z.object({ status: z.literal('failed') }).safeParse(metadata).success ? 'failed' : 'completed';
}

/** A Vitrine that ends a step says how; to give it another title it ends and begins it again. */
function isRenamed(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && !('status' in metadata);
}
