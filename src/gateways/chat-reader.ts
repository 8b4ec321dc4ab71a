import { RunError } from '../run/failure.ts';
import type { Usage } from '../run/values.ts';
import { ChatChunk, type ChatContentPart, type ChatDelta, type ChatUsage } from '../wire/openai.ts';
import { type SseEvent, sseReader, SseTooLarge } from '../wire/sse.ts';
import { ChatCalls } from './chat-calls.ts';
import type { AgentEvent, Turn } from './gateway.ts';
import { WholeText } from './whole-text.ts';

type FinishReason = Extract<AgentEvent, { type: 'turn.finished' }>['reason'];

interface Settings {
  readonly who: string;
  readonly turn: Turn;
  /** Bytes of one event of the stream, and characters of the arguments of one call. */
  readonly limit: number;
  /** Upstream's own words, short and without secrets. */
  readonly clean: (text: string) => string;
  /** The failure an error object of upstream stands for. */
  readonly failureOf: (error: unknown) => RunError;
}

const mostNotices = 10;

/** Reads one answer in the form of chat completion chunks. What a chunk of bytes tells is pushed onto `events`. */
export class ChatReader {
  /** Whether upstream has begun to answer, so that asking again would show its text twice. */
  hasTold = false;
  /** Whether upstream has said that nothing more comes. */
  isDone = false;
  readonly #settings: Settings;
  readonly #sse;
  readonly #calls: ChatCalls;
  readonly #whole = new WholeText();
  #usage: ChatUsage | undefined;
  #finish: string | undefined;
  #hasRefused = false;
  #malformed = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#sse = sseReader(settings.limit);
    this.#calls = new ChatCalls(settings.turn, settings.limit);
  }

  /** Throws `RunError` when upstream reports an error or goes over a limit; what it told before is in `events`. */
  read(bytes: Uint8Array, events: AgentEvent[]): void {
    try {
      this.#sse.read(bytes, (event) => this.#take(event, events));
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      throw new RunError(
        'too-large',
        `${this.#settings.who} sent an event longer than ${error.limit} bytes.`,
        {
          cause: error,
        },
      );
    }
  }

  /** Whether upstream has said how the answer ended. */
  get isComplete(): boolean {
    return this.isDone || this.#finish !== undefined;
  }

  /** What is told last of an answer that came whole. */
  finish(events: AgentEvent[]): void {
    this.abandon(events);
    events.push({ type: 'turn.finished', reason: this.#reason() });
  }

  /** What is told last of an answer that broke off. */
  abandon(events: AgentEvent[]): void {
    for (const [stream, text] of this.#whole.finish()) this.#tell(stream, text, events);
    this.#noticeWhatWasLost(events);
    if (this.#usage !== undefined) events.push({ type: 'usage.reported', usage: usageOf(this.#usage) });
  }

  #take({ event, data }: SseEvent, events: AgentEvent[]): void {
    if (this.isDone || data === '') return;
    if (data === '[DONE]') {
      this.isDone = true;
      return;
    }
    const chunk = readChunk(data);
    if (event === 'error') throw this.#settings.failureOf(chunk?.error ?? data);
    if (chunk === undefined)
      return this.#malform(`a chunk that cannot be read: ${data.slice(0, 200)}`, events);
    if (chunk.error !== undefined && chunk.error !== null) throw this.#settings.failureOf(chunk.error);
    if (chunk.usage) this.#usage = chunk.usage;
    // The number of a choice is not looked at: one was asked for, and some proxies count chunks in it.
    const [choice, ...others] = chunk.choices ?? [];
    if (others.length > 0) this.#malform(`${others.length} more answers than were asked for`, events);
    if (choice?.delta) this.#takeDelta(choice.delta, events);
    this.#finish = choice?.finish_reason || this.#finish;
  }

  #takeDelta(delta: ChatDelta, events: AgentEvent[]): void {
    const { content } = delta;
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (reasoning) this.#say('reasoning', reasoning, events);
    if (typeof content === 'string') this.#say('content', content, events);
    else for (const part of content ?? []) this.#sayPart(part, events);
    if (delta.refusal) {
      this.#hasRefused = true;
      this.#say('content', delta.refusal, events);
    }
    const { function_call: only } = delta;
    for (const piece of only ? [{ index: 0, function: only }] : (delta.tool_calls ?? [])) {
      const added = this.#calls.append(piece);
      if (added === undefined) continue;
      const text = this.#whole.take(`call ${added.id}`, added.text);
      if (added.tool !== undefined) {
        this.hasTold = true;
        events.push({ type: 'call.appended', call: added.id, tool: added.tool, text });
      } else this.#tell(`call ${added.id}`, text, events);
    }
  }

  #sayPart({ text, thinking }: ChatContentPart, events: AgentEvent[]): void {
    for (const thought of thinking ?? []) this.#say('reasoning', thought.text ?? '', events);
    this.#say('content', text ?? '', events);
  }

  #say(stream: 'content' | 'reasoning', text: string, events: AgentEvent[]): void {
    this.#tell(stream, this.#whole.take(stream, text), events);
  }

  #tell(stream: string, text: string, events: AgentEvent[]): void {
    if (text === '') return;
    this.hasTold = true;
    if (stream === 'content') events.push({ type: 'text.appended', text });
    else if (stream === 'reasoning') events.push({ type: 'text.appended', text, channel: 'reasoning' });
    else events.push({ type: 'call.appended', call: stream.slice('call '.length), text });
  }

  #malform(what: string, events: AgentEvent[]): void {
    this.#malformed += 1;
    if (this.#malformed > mostNotices) return;
    events.push(this.#notice(`sent ${this.#settings.clean(what)}`));
  }

  #noticeWhatWasLost(events: AgentEvent[]): void {
    const { nameless } = this.#calls;
    if (nameless > 0)
      events.push(this.#notice(`asked for ${nameless} calls without naming a tool; they are not run.`));
    const more = this.#malformed - mostNotices;
    if (more > 0) events.push(this.#notice(`sent ${more} more pieces that cannot be read.`));
  }

  #notice(what: string): AgentEvent {
    return { type: 'notice.posted', code: 'UPSTREAM_MALFORMED', message: `${this.#settings.who} ${what}` };
  }

  #reason(): FinishReason {
    if (this.#hasRefused) return 'filter';
    switch (this.#finish) {
      case undefined:
      case 'stop':
        // Several servers say `stop` also when they ask for calls.
        return this.#calls.hasCalls ? 'calls' : 'stop';
      case 'tool_calls':
      case 'function_call':
        return 'calls';
      case 'length':
        return 'length';
      case 'content_filter':
        return 'filter';
      default:
        return 'other';
    }
  }
}

/** A chunk says something or is an error; anything else is not one. */
function readChunk(data: string): ChatChunk | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  const chunk = ChatChunk.safeParse(value).data;
  return chunk?.choices || chunk?.usage || chunk?.error ? chunk : undefined;
}

function usageOf(usage: ChatUsage): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    input: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    ...(typeof cached === 'number' ? { cached } : {}),
    ...(typeof reasoning === 'number' ? { reasoning } : {}),
  };
}
