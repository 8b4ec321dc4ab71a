import type { AgentEvent, Turn, Message } from '../../gateways/gateway.ts';
import { deepest } from '../../run/depth.ts';
import { millisecondsLeft, tokensIn, type Step, isOpen } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { lastSpace } from '../record/writer.ts';
import type { Attachment, Json } from '../../run/values.ts';
import type { StepId } from '../../run/events.ts';
import { keepData } from '../record/recordable.ts';
import type { RecordedPrompt } from '../../run/prompt.ts';

/** What an answer may use beyond a budget that is used up, so that the run still ends with one. */
const answerReserve = { tokens: 8_192, milliseconds: 60_000 } as const;
/** Less than what the run has to end with. */
const answerSpace = { entries: lastSpace.entries / 2, bytes: lastSpace.bytes / 2 };
/** What a call or a stage costs before it says anything, in characters: each is kept, shown and told. */
const opening = 200;
/** Characters of one turn, whatever the budget is. */
const longestTurn = 16_000_000;

/**
 * Measures a turn while it streams. What it has used up so far is not in the journal yet, and a stream without an end
 * must end all the same. Every piece is looked at once, however long the whole gets.
 */
export class TurnMeter {
  readonly #execution: Execution;
  /** What this turn may use beyond the budget. */
  readonly #extra: { readonly tokens: number; readonly milliseconds: number };
  readonly #calls = new Map<string, PartialCall>();
  /** What the answer may take up beyond the space of the run. */
  readonly #beyond: { readonly entries: number; readonly bytes: number };
  readonly #sent: number;
  #written = 0;
  #complete = 0;

  /** `sent` is how many characters whoever takes the turn has to read. */
  constructor(execution: Execution, { sent, answers }: { sent: number; answers: boolean }) {
    this.#sent = sent;
    this.#execution = execution;
    this.#beyond = answers ? answerSpace : { entries: 0, bytes: 0 };
    const { tree, writer } = execution;
    const tokensLeft = tree.limits.tokens - tree.spent.tokens - tokensIn(sent);
    const timeLeft = millisecondsLeft(tree, writer.now());
    this.#extra = {
      tokens: answers ? Math.max(0, answerReserve.tokens - tokensLeft) : 0,
      milliseconds: answers ? Math.max(0, answerReserve.milliseconds - timeLeft) : 0,
    };
  }

  /** Calls whose name and arguments have arrived whole. */
  get completeCalls(): number {
    return this.#complete;
  }

  isWhole(call: string): boolean {
    return this.#calls.get(call)?.isComplete ?? false;
  }

  /** A chunk and an event without text count too: an endless stream of them must not be free. */
  arrived(): void {
    this.#written += 1;
  }

  take(event: AgentEvent): void {
    this.#written += 1;
    if ('text' in event) this.#written += event.text.length;
    if (event.type === 'stage.opened') this.#written += opening;
    if (event.type === 'turn.retried') this.#forget();
    if (event.type === 'call.appended') this.#takeCall(event);
  }

  /** Why this turn must end now. */
  overspent(): string | undefined {
    const { tree } = this.#execution;
    const { tokens } = tree.limits;
    if (this.#millisecondsLeft() <= 0) return this.#outOfTime();
    const used = tree.spent.tokens + tokensIn(this.#sent + this.#written);
    if (used > tokens + this.#extra.tokens) return `The run has used up its ${tokens} tokens.`;
    const full = this.#execution.space.used(this.#beyond);
    if (full !== undefined) return full;
    if (this.#written > longestTurn) return `A turn may bring ${longestTurn} characters; this one goes on.`;
    return undefined;
  }

  /** A stream that hangs brings nothing to measure, and must end all the same. */
  async watchClock(signal: AbortSignal, end: (spent: string) => void): Promise<void> {
    while (!signal.aborted) {
      const left = this.#millisecondsLeft();
      if (left <= 0) return end(this.#outOfTime());
      await this.#execution.world.clock.sleep(left, signal);
    }
  }

  #millisecondsLeft(): number {
    const { tree, writer } = this.#execution;
    return millisecondsLeft(tree, writer.now()) + this.#extra.milliseconds;
  }

  #outOfTime(): string {
    return `The run has used up its ${this.#execution.tree.limits.seconds} seconds.`;
  }

  #takeCall({ call: id, text, tool }: Extract<AgentEvent, { type: 'call.appended' }>): void {
    if (!this.#calls.has(id)) this.#written += opening;
    const call = this.#calls.get(id) ?? new PartialCall();
    this.#calls.set(id, call);
    if (call.take(text, tool)) this.#complete += 1;
  }

  #forget(): void {
    this.#calls.clear();
    this.#complete = 0;
  }
}

/** A call whose arguments are still arriving: complete when its outermost bracket is closed and all of it is JSON. */
class PartialCall {
  readonly #pieces: string[] = [];
  #tool = '';
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;
  #arguments: 'arriving' | 'whole' | 'broken' = 'arriving';
  isComplete = false;

  /** Whether this piece completed the call. */
  take(text: string, tool: string | undefined): boolean {
    if (this.isComplete) return false;
    if (tool) this.#tool = tool;
    if (this.#arguments === 'arriving') this.#read(text);
    this.isComplete = this.#arguments === 'whole' && this.#tool !== '';
    return this.isComplete;
  }

  /** Parsed once, where the outermost bracket closes: what is not JSON there never will be. */
  #read(text: string): void {
    this.#pieces.push(text);
    let isClosed = false;
    for (let i = 0; i < text.length && this.#depth <= deepest; i += 1)
      isClosed = this.#step(text[i]) || isClosed;
    // Nobody runs what is nested so deeply, and to parse it takes long.
    if (this.#depth > deepest) this.#arguments = 'broken';
    else if (isClosed) this.#arguments = isJson(this.#pieces.join('')) ? 'whole' : 'broken';
  }

  /** Whether this character closed the outermost bracket. */
  #step(character: string | undefined): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isQuoted) {
      if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isQuoted = false;
    } else if (character === '"') this.#isQuoted = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How many characters whoever takes this turn has to read: the messages, and what is offered with them. */
export function sentCharacters({ messages, tools, answerSchema }: Pick<Turn, Read>): number {
  let characters = sizeOf(tools) + sizeOf(answerSchema);
  for (const message of messages) characters += charactersIn(message);
  return characters;
}

type Read = 'messages' | 'tools' | 'answerSchema';

function charactersIn({ text, attachments = [], calls, state }: Message): number {
  let characters = text.length + sizeOf(calls) + sizeOf(state);
  for (const attachment of attachments) characters += readable(attachment);
  return characters;
}

/** A picture in Base64 says nothing about its tokens. */
function readable({ type, data = '' }: Attachment): number {
  return type.startsWith('text/') || type.includes('json') ? data.length : 0;
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

/** Characters. */
const shortPrompt = 16 * 1024;
/** What is shorter is compared itself: a name would cost more than it saves. */
const shortText = 512;

/** A prompt as far as the next one is compared with it. */
interface Sent {
  readonly step: StepId;
  readonly messages: readonly string[];
  readonly offer: string;
}

/** What agents are sent, recorded as what is new since the last time. */
export class Prompts {
  readonly #execution: Execution;
  readonly #sent = new Map<string, Sent>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Told with the intent of the turn, unless it is long or something has to be kept for it first. */
  record(step: Step, agent: string, turn: Turn): Promise<void> | undefined {
    const { hash } = this.#execution.world;
    const nameOf = (value: unknown): string => {
      const text = JSON.stringify(value);
      return text.length <= shortText ? text : hash(text);
    };
    const offer = offerOf(turn);
    const sent = {
      step: step.id,
      messages: turn.messages.map(nameOf),
      offer: nameOf(offer),
    };
    const before = this.#sent.get(agent);
    const kept = before ? inCommon(before.messages, sent.messages) : 0;
    const isSame = before?.offer === sent.offer;
    // Tried again: the same was sent.
    if (before?.step === step.id && isSame && kept === sent.messages.length) return undefined;
    const isNext = before !== undefined && before.step < step.id && kept > 0;
    const added = turn.messages.slice(isNext ? kept : 0);
    const prompt = { kept: isNext ? kept : 0, messages: added, ...(isNext && isSame ? {} : { offer }) };
    const tell = (clean: string): void => {
      if (!isOpen(step)) return;
      this.#tell(step, clean, isNext ? before.step : undefined);
      this.#sent.set(agent, sent);
    };
    const text = JSON.stringify(prompt);
    if (!isShort(prompt, text)) return this.#cleanLong(prompt).then((clean) => tell(JSON.stringify(clean)));
    const clean = this.#clean(prompt);
    tell(clean === prompt ? text : JSON.stringify(clean));
    return undefined;
  }

  #clean(prompt: New): New {
    const { guarding, world } = this.#execution;
    const clean = world.secrets.cleanAll(prompt);
    if (!guarding.looksAtAll) return clean;
    return { ...clean, messages: clean.messages.map((one) => guarding.message(one)) };
  }

  /** The text goes with the entry that refers to it. */
  #tell(step: Step, prompt: string, continues: StepId | undefined): void {
    const text = prompt.toWellFormed();
    const name = this.#execution.world.hash(text);
    const blob = { blob: name, size: Buffer.byteLength(text) };
    const event = { type: 'prompt.recorded', step: step.id, blob } as const;
    this.#execution.emit(continues === undefined ? event : { ...event, continues }, { blob: name, text });
  }

  async #cleanLong({ messages, ...prompt }: New): Promise<New> {
    const { guarding, world } = this.#execution;
    const light = await this.#execution.insist(() => Promise.all(messages.map((one) => this.#light(one))));
    const rest = world.clock.breather();
    const clean = await world.secrets.cleanLong({ ...prompt, messages: light }, rest);
    if (!guarding.looksAtAll) return clean;
    const guarded: Message[] = [];
    for (const message of clean.messages) {
      guarded.push(guarding.message(message));
      await rest();
    }
    return { ...clean, messages: guarded };
  }

  async #light({ attachments, ...message }: Message): Promise<Message> {
    if (!attachments) return message;
    const { world, tree, run } = this.#execution;
    const owner = { tenant: tree.started?.tenant ?? '', run };
    const kept = attachments.map((one) => keepData(world.store.blobs, owner, one));
    return { ...message, attachments: await Promise.all(kept) };
  }
}

interface New extends Omit<RecordedPrompt, 'messages'> {
  readonly messages: readonly Message[];
}

/** What is cleaned in one go, and needs nothing kept beside it. */
function isShort({ messages }: New, text: string): boolean {
  return text.length <= shortPrompt && !messages.some(({ attachments }) => attachments !== undefined);
}

function offerOf({ tools, toolChoice, answerSchema }: Turn): Json {
  return {
    ...(tools
      ? { tools: tools.map(({ name, description, schema }) => ({ name, description, schema })) }
      : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(answerSchema === undefined ? {} : { answerSchema }),
  };
}

/** How many of the first are the same. */
function inCommon(a: readonly string[], b: readonly string[]): number {
  const differs = b.findIndex((one, i) => one !== a[i]);
  return differs === -1 ? b.length : differs;
}
