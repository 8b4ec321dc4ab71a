import { RunError } from '../../run/failure.ts';
import type { Usage } from '../../run/values.ts';
import { ChatChunk, type ChatContentPart, type ChatDelta, type ChatUsage } from '../../wire/openai.ts';
import { type SseEvent, type SseReader, sseReader, SseTooLarge, parseJson } from '../../wire/sse.ts';
import { ChatCalls } from './calls.ts';
import type { Complaints } from '../http/event-channel.ts';
import type { Dialect } from '../dialect.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { WholeText } from '../http/http-exchange.ts';

/** Characters. */
const mostArguments = 1024 * 1024;

type FinishReason = Extract<AgentEvent, { type: 'turn.finished' }>['reason'];

interface Settings {
  readonly who: string;
  readonly turn: Turn;
  /** Bytes of one event of the stream; characters of the arguments of one call, up to a million. */
  readonly limit: number;
  readonly complaints: Complaints;
  /** The failure an error object of upstream stands for. */
  readonly failureOf: (error: unknown) => RunError;
  readonly dialect?: Dialect | undefined;
}

/** Reads one answer in the form of chat completion chunks. What a chunk of bytes tells is pushed onto `events`. */
export class ChatReader {
  /** Whether upstream has begun to answer, so that asking again would show its text twice. */
  hasTold = false;
  /** Whether upstream has said that nothing more comes. */
  isDone = false;
  readonly #settings: Settings;
  readonly #sse: SseReader;
  readonly #whole = new WholeText();
  /** Of a turn that asks for some. */
  #calls: ChatCalls | undefined;
  #usage: ChatUsage | undefined;
  #finish: string | undefined;
  #hasOthers = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#sse = sseReader(settings.limit);
  }

  /**
   * Throws `RunError` when upstream reports an error or goes over a limit; what it told before is in `events`. An agent
   * that says one thing too large has worked all the same: only that is left out.
   */
  read(bytes: Uint8Array, events: AgentEvent[]): void {
    this.#events = events;
    try {
      this.#sse.read(bytes, this.#tellEvent, this.hasDialect ? this.#skipEvent : undefined);
    } catch (error) {
      if (!(error instanceof SseTooLarge)) throw error;
      const message = `${this.#settings.who} sent an event longer than ${error.limit} bytes.`;
      throw new RunError('too-large', message);
    }
  }

  /** Of the chunk that is being read. One function for all of them: a piece of text is worth no more. */
  #events: AgentEvent[] = [];
  readonly #tellEvent = (event: SseEvent): void => this.#take(event, this.#events);
  readonly #skipEvent = (): void => {
    const { complaints, limit } = this.#settings;
    complaints.refuse('an event', `${limit} bytes (limits.event)`, this.#events);
  };

  /** Reads an answer that came in one piece, of a protocol that has such answers. */
  readWhole(text: string, events: AgentEvent[]): void {
    const { who, dialect, failureOf } = this.#settings;
    const body = parseJson(text);
    const chunk = ChatChunk.safeParse(body).data;
    if (chunk?.error) throw failureOf(chunk.error);
    const frames = dialect?.framesOf(body);
    if (frames === undefined)
      throw new RunError('unavailable', `${who} answered with something that is no answer.`);
    for (const frame of frames) this.#takeFrame(frame, events);
    this.isDone = true;
  }

  /** Whether the head of an answer says who answers. */
  get hearsHead(): boolean {
    return this.#settings.dialect?.head !== undefined;
  }

  head(headers: Readonly<Record<string, unknown>>): void {
    this.#settings.dialect?.head?.(headers);
  }

  /** Whether answers may come in one piece, and streams are read to their end. */
  get hasDialect(): boolean {
    return this.#settings.dialect !== undefined;
  }

  /** Whether upstream has said how the answer ended. */
  get isComplete(): boolean {
    return this.isDone || (this.#finish !== undefined && !this.hasDialect);
  }

  /** What is told last of an answer that came whole. */
  finish(events: AgentEvent[]): void {
    this.abandon(events);
    const questions = this.#settings.dialect?.questions?.() ?? [];
    for (const question of questions) events.push({ type: 'question.asked', question });
    events.push({ type: 'turn.finished', reason: questions.length > 0 ? 'asks' : this.#reason() });
  }

  /** What is told last of an answer that broke off. */
  abandon(events: AgentEvent[]): void {
    const { dialect } = this.#settings;
    for (const [stream, text] of this.#whole.finish()) this.#tell(stream, text, events);
    dialect?.finish(events);
    this.#noticeWhatWasLost(events);
    const reported = this.#usage === undefined ? undefined : usageOf(this.#usage);
    const usage = dialect ? dialect.usage(reported) : reported;
    if (usage !== undefined) events.push({ type: 'usage.reported', usage });
  }

  #take({ event, data }: SseEvent, events: AgentEvent[]): void {
    if (this.isDone || data === '') return;
    if (data === '[DONE]') {
      this.isDone = true;
      return;
    }
    const frame = parseJson(data);
    if (event === 'error') throw this.#settings.failureOf(errorIn(frame) ?? data);
    this.#takeFrame(frame, events, data);
  }

  #takeFrame(given: unknown, events: AgentEvent[], data = ''): void {
    const { dialect, complaints, failureOf } = this.#settings;
    const usual = dialect ? undefined : usualText(given);
    if (usual !== undefined) return this.#say('content', usual, events);
    const frame = dialect ? this.#ofFirst(given, events) : given;
    const before = events.length;
    const isKnown = dialect?.take(frame, events) ?? false;
    if (events.slice(before).some(({ type }) => type !== 'notice.posted')) this.hasTold = true;
    const chunk = (dialect ? undefined : usualChunk(frame)) ?? ChatChunk.safeParse(frame).data;
    const error = errorIn(frame);
    if (error !== undefined) throw failureOf(error);
    if (chunk === undefined || !(chunk.choices || chunk.usage || isKnown))
      return complaints.sent(`a chunk that cannot be read: ${data.slice(0, 200)}`, events);
    if (chunk.usage) this.#usage = chunk.usage;
    // Of a model the number of a choice is not looked at: one was asked for, and some proxies count chunks in it.
    const [choice, ...others] = chunk.choices ?? [];
    if (others.length > 0) complaints.sent(`${others.length} more answers than were asked for`, events);
    if (choice?.delta) this.#takeDelta(choice.delta, events);
    this.#finish = choice?.finish_reason || this.#finish;
  }

  /** An agent may answer several times at once. Only its first answer is read, and that there are others is told once. */
  #ofFirst(frame: unknown, events: AgentEvent[]): unknown {
    if (typeof frame !== 'object' || frame === null || !('choices' in frame)) return frame;
    const { choices } = frame;
    if (!Array.isArray(choices) || !choices.some(isOther)) return frame;
    if (!this.#hasOthers)
      this.#settings.complaints.say('sent several answers at once; the first is shown.', events);
    this.#hasOthers = true;
    return { ...frame, choices: choices.filter((choice) => !isOther(choice)) };
  }

  #takeDelta(delta: ChatDelta, events: AgentEvent[]): void {
    const { content } = delta;
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (reasoning) this.#say('reasoning', reasoning, events);
    if (typeof content === 'string') this.#say('content', content, events);
    else for (const part of content ?? []) this.#sayPart(part, events);
    if (delta.refusal) this.#say('content', delta.refusal, events);
    const { function_call: only } = delta;
    for (const piece of only ? [{ index: 0, function: only }] : (delta.tool_calls ?? [])) {
      const added = this.#callsOf().append(piece);
      if (added === undefined) continue;
      const text = this.#whole.take(`call ${added.id}`, added.text);
      if (added.tool !== undefined) {
        this.hasTold = true;
        events.push({ type: 'call.appended', call: added.id, tool: added.tool, text });
      } else this.#tell(`call ${added.id}`, text, events);
    }
  }

  #callsOf(): ChatCalls {
    const { turn, limit } = this.#settings;
    return (this.#calls ??= new ChatCalls(turn, Math.min(limit, mostArguments)));
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

  #noticeWhatWasLost(events: AgentEvent[]): void {
    const { complaints } = this.#settings;
    const { nameless = 0 } = this.#calls ?? {};
    if (nameless > 0)
      complaints.say(`asked for ${nameless} calls without naming a tool; they are not run.`, events);
    complaints.finish(events);
  }

  #reason(): FinishReason {
    switch (this.#finish) {
      case undefined:
      case 'stop':
        // Several servers say `stop` also when they ask for calls.
        return this.#calls?.hasCalls ? 'calls' : 'stop';
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

/** The text of a chunk that holds nothing else: nearly all are these, and the schema would cost more than all else. */
function usualText(frame: unknown): string | undefined {
  const { delta, finish_reason: finish } = onlyChoice(frame) ?? {};
  if ((finish ?? null) !== null || typeof delta !== 'object' || delta === null) return undefined;
  for (const key in delta) if (key !== 'content' && key !== 'role') return undefined;
  const { content } = delta as Fields;
  return typeof content === 'string' ? content : undefined;
}

/** A chunk of which the schema would change nothing that is read: a piece of a call, or the end. */
function usualChunk(frame: unknown): ChatChunk | undefined {
  const { delta, finish_reason: finish } = onlyChoice(frame) ?? {};
  if (typeof delta !== 'object' || delta === null || !isText(finish ?? '')) return undefined;
  for (const key in delta) if (key !== 'tool_calls' && key !== 'content' && key !== 'role') return undefined;
  const { content, tool_calls: calls } = delta as Fields;
  const pieces = calls ?? [];
  if (!isText(content ?? '') || !Array.isArray(pieces) || !pieces.every(isUsualCall)) return undefined;
  return { choices: [{ delta: delta as ChatDelta, finish_reason: finish as string | null | undefined }] };
}

function isUsualCall(piece: unknown): boolean {
  const { index, id, function: called } = Object(piece) as Fields;
  if (!Number.isSafeInteger(index) || Number(index) < 0 || !isText(id ?? '')) return false;
  const { name, arguments: given } = Object(called) as Fields;
  return typeof called === 'object' && isText(name ?? '') && isText(given ?? '');
}

type Fields = Readonly<Record<string, unknown>>;

/** The choice of a chunk that holds nothing beside it. */
function onlyChoice(frame: unknown): Fields | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined;
  const { choices, usage, error } = frame as Fields;
  if (!Array.isArray(choices) || choices.length !== 1 || (usage ?? error ?? null) !== null) return undefined;
  return Object(choices[0]) as Fields;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOther(choice: unknown): boolean {
  const index = typeof choice === 'object' && choice !== null && 'index' in choice && choice.index;
  return typeof index === 'number' && index !== 0;
}

function errorIn(frame: unknown): unknown {
  const error = typeof frame === 'object' && frame !== null && 'error' in frame ? frame.error : undefined;
  return error ?? undefined;
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
