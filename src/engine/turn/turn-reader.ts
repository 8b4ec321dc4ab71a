import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent, AgentQuestion, Telling, Take } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { costOf } from '../../run/cost.ts';
import { tokensIn, textOf, type Step, present } from '../../run/tree.ts';
import type { Json, Usage } from '../../run/values.ts';
import { AgentState } from '../conversation/conversation.ts';
import type { Execution } from '../execution.ts';
import type { LeafOutcome } from '../leaf/leaf.ts';
import { Mirror } from './mirror.ts';
import type { TurnResult } from '../scope.ts';
import type { Clock } from '../time/clock.ts';
import type { TurnMeter } from './turn-meter.ts';

/** Turns what a back end tells into entries of one step and those below it. */
export class TurnReader {
  readonly #execution: Execution;
  readonly #step: Step;
  readonly #agent: Agent;
  readonly #state: AgentState;
  /** Only of those who tell stages of their own. */
  #mirror: Mirror | undefined;
  readonly #sent: number;
  #usage: Usage | undefined;
  #finish: TurnResult['finish'] = 'other';
  readonly #questions: AgentQuestion[] = [];

  /** `sent` is how many characters the agent was sent. */
  constructor(execution: Execution, step: Step, { agent, sent }: { agent: Agent; sent: number }) {
    this.#sent = sent;
    this.#agent = agent;
    this.#execution = execution;
    this.#step = step;
    this.#state = new AgentState(execution, step.id, agent);
  }

  take(event: AgentEvent): void {
    const step = this.#step.id;
    switch (event.type) {
      case 'text.appended':
        return this.#emit({
          type: 'text.appended',
          step,
          channel: event.channel ?? 'content',
          text: event.text,
        });
      case 'call.appended': {
        const tool = event.tool === undefined ? {} : { tool: event.tool };
        return this.#emit({
          type: 'text.appended',
          step,
          channel: 'arguments',
          text: event.text,
          call: event.call,
          ...tool,
        });
      }
      case 'item.attached':
        return this.#emit({ type: 'item.attached', step, item: event.item });
      case 'state.reported':
        return this.#state.report(event.state);
      case 'usage.reported':
        this.#usage = event.usage;
        return;
      case 'turn.retried':
        return this.#retry(event);
      case 'notice.posted':
        return this.#emit({ type: 'notice.posted', step, code: event.code, message: event.message });
      case 'question.asked':
        this.#questions.push(event.question);
        return;
      case 'turn.finished':
        this.#finish = event.reason;
        return;
      case 'stage.opened':
      case 'stage.titled':
      case 'stage.appended':
      case 'stage.attached':
      case 'stage.closed':
        this.#mirror ??= new Mirror(this.#execution, this.#step.id);
        return this.#mirror.take(event);
    }
  }

  /** Rejects with `RunError` where nothing is left of the answer. */
  async finish(reason = this.#finish): Promise<LeafOutcome> {
    tellEnding(this.#execution, this.#step, { agent: this.#agent, finish: reason });
    await this.#mirror?.finish('completed');
    // As it will be read back: what is absent is not there.
    const questions = this.#questions.map((question) => present(question) as Json);
    const result: Json = questions.length === 0 ? { finish: reason } : { finish: 'asks', questions };
    return { outcome: 'completed', result, usage: this.#used() };
  }

  /** What could not be recorded as it came. `given` is the state the turn began with. */
  settle(given?: Json): Promise<void> {
    return this.#state.settle(given);
  }

  /** What was written before the failure is paid for too. */
  async fail({ failure }: RunError): Promise<LeafOutcome> {
    await this.abandon();
    return { outcome: 'failed', failure, ...present({ usage: this.#paid() }) };
  }

  /** What the agent was at when it was cut off did not fail by itself if somebody stopped it. */
  async abandon(): Promise<void> {
    await this.#mirror?.finish(this.#execution.signal.aborted ? 'stopped' : 'failed');
  }

  #retry({ reason, model }: Extract<AgentEvent, { type: 'turn.retried' }>): void {
    const attempt = this.#step.attempt + 1;
    const paid = this.#paid();
    this.#usage = undefined;
    this.#finish = 'other';
    this.#questions.length = 0;
    this.#mirror = undefined;
    this.#emit({
      type: 'step.retried',
      step: this.#step.id,
      attempt,
      reason,
      ...(paid ? present({ tokens: paid.input + paid.output, cost: paid.cost }) : {}),
      ...(model === undefined ? {} : { model }),
    });
  }

  /** What the model says it used, or an estimate of what it read and wrote: one that says nothing must not be free. */
  #used(): Usage {
    if (this.#usage) return this.#priced(this.#usage);
    return this.#priced({
      input: tokensIn(this.#sent),
      output: tokensIn(writtenIn(this.#step)),
      estimated: true,
    });
  }

  /** Prices are those of the model that is configured: what another one costs that answered in its place is not known. */
  #priced(usage: Usage): Usage {
    const { prices, model } = this.#agent;
    if (!prices || this.#step.model !== model) return usage;
    return { ...usage, cost: costOf(usage, prices) };
  }

  /** Of what was not finished: where nothing came back, nothing may have been read. */
  #paid(): Usage | undefined {
    const used = this.#used();
    return this.#usage || used.output > 0 ? used : undefined;
  }

  #emit(event: Parameters<Execution['emit']>[0]): void {
    this.#execution.emit(event);
  }
}

/** In characters. */
function writtenIn(step: Step): number {
  const requested = [...(step.requests?.values() ?? [])].flatMap(({ pieces }) => pieces);
  return textOf(step).length + textOf(step, 'reasoning').length + requested.join('').length;
}

/**
 * Reads until the stream ends, `take` has enough, or the signal aborts. A stream that does not listen to its signal is
 * left behind. True if it was `take` that had enough.
 */
export async function readStream(chunks: Telling, signal: AbortSignal, take: Take): Promise<boolean> {
  const cut = Promise.withResolvers<never>();
  const end = (): void => cut.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const read = chunks.each ? chunks.each(take) : readAll(chunks, signal, take);
    return await Promise.race([read, cut.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function readAll(chunks: Telling, signal: AbortSignal, take: Take): Promise<boolean> {
  for await (const chunk of chunks) {
    if (signal.aborted) return false;
    const taken = take(chunk);
    // To wait where there is nothing to wait for costs a turn of the loop for each piece of text.
    if (typeof taken === 'boolean' ? taken : await taken) return true;
  }
  return false;
}

/** So much of what one chunk brought is taken at once: characters, and events. */
const characters = 16 * 1024;
const most = 32;

/** Whether there is enough of a stream. */
type TakePart = (events: readonly AgentEvent[]) => boolean;

/** Takes what a chunk brought at once, unless that is much: then one event after the other, and others are served in between. */
export function inPieces(
  clock: Pick<Clock, 'breather'>,
  signal: AbortSignal,
  take: TakePart,
): (events: readonly AgentEvent[]) => boolean | Promise<boolean> {
  // One for the whole stream: a flood is no short work because each of its chunks is.
  const breathe = clock.breather();
  const takeMuch = async (events: readonly AgentEvent[]): Promise<boolean> => {
    for (const event of shortEvents(events)) {
      if (take([event])) return true;
      await breathe();
      if (signal.aborted) break;
    }
    return false;
  };
  return (events) => (isMuch(events) ? takeMuch(events) : take(events));
}

function isMuch(events: readonly AgentEvent[]): boolean {
  if (events.length > most) return true;
  let size = 0;
  for (const event of events) if ('text' in event) size += event.text.length;
  return size > characters;
}

/** The same events, none of them long: a text may be cut anywhere. */
function* shortEvents(events: readonly AgentEvent[]): Generator<AgentEvent> {
  for (const event of events) {
    if (!('text' in event) || event.text.length <= characters) yield event;
    else for (const text of piecesOf(event.text)) yield { ...event, text };
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const code = text.charCodeAt(from + characters - 1);
    // Half a pair says nothing by itself.
    const to = from + characters + (code >= 0xd800 && code <= 0xdbff ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

/** The result of a turn, from the fold. */
export function turnResult(step: Step): TurnResult {
  const { result, items, usage } = step;
  const finish = (result as { finish?: TurnResult['finish'] } | undefined)?.finish;
  return {
    text: textOf(step),
    reasoning: textOf(step, 'reasoning'),
    calls: [...(step.requests?.values() ?? [])].map(({ id, tool, pieces }) => ({
      id,
      tool,
      arguments: pieces.join(''),
    })),
    finish: finish ?? 'other',
    items: [...items],
    ...present({ usage, takenAsDone: finish === undefined ? wordOf(result) : undefined }),
  };
}

/** What a person left in place of an outcome: an answer of their own, or that they took it as done. */
function wordOf(result: Step['result']): string | undefined {
  if (result === undefined || typeof result === 'string') return result;
  const { note } = result as { readonly note?: unknown };
  return typeof note === 'string' ? note : JSON.stringify(result);
}

type Finish = TurnResult['finish'];

const notices: Partial<Record<Finish, readonly [code: string, message: string]>> = {
  length: ['ANSWER_CUT_OFF', 'The answer was cut off by the length limit of its model: its end is missing.'],
  budget: ['ANSWER_CUT_OFF', 'The answer was cut off by the budget of the run: its end is missing.'],
  filter: ['ANSWER_FILTERED', 'The answer was ended by a content filter: something is missing.'],
};

/**
 * Tell of an answer that did not end by itself, or that lacks what it ended for: nobody is to take a part for the whole.
 * What a filter left nothing of has failed.
 */
function tellEnding(
  execution: Execution,
  step: Step,
  { agent: { name, effect }, finish }: { readonly agent: Agent; readonly finish: Finish },
): void {
  const hasCalls = (step.requests?.size ?? 0) > 0;
  if (finish === 'filter' && textOf(step).trim() === '' && !hasCalls && step.items.length === 0) {
    const doubt = effect === 'pure' ? '' : ' It may have acted on the message all the same.';
    const message = `A content filter ended the answer of ${name} before it said anything.${doubt}`;
    throw new RunError('refused', message, { retryable: false });
  }
  const [code, message] =
    finish === 'calls' && !hasCalls
      ? ['CALLS_MISSING', 'The answer ended to ask for tools, and asked for none.']
      : (notices[finish] ?? []);
  if (code !== undefined && message !== undefined)
    execution.emit({ type: 'notice.posted', step: step.id, code, message });
}

/** How long a stream may say nothing more, once the calls that may run are whole. Milliseconds. */
const patience = 1_000;
/** Characters of calls that will not run, with what each costs before it says anything. */
const mostSurplus = 16_000;
const opening = 200;

/**
 * Where the stream of a model is closed that may run so many calls. It is read on for calls that will not run, so that
 * they are shown however a provider cuts its pieces; text after them, and a stream that only goes on, end it.
 */
export class Surplus {
  readonly #meter: TurnMeter;
  readonly #allowed: number;
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #closed = Promise.withResolvers<true>();
  readonly #known = new Set<string>();
  #isClosed = false;
  #isWaiting = false;
  #read = 0;

  constructor(meter: TurnMeter, allowed: number, wait: (milliseconds: number) => Promise<void>) {
    this.#meter = meter;
    this.#allowed = allowed;
    this.#wait = wait;
  }

  /** Resolves when nothing more came for too long. */
  get closed(): Promise<true> {
    return this.#closed.promise;
  }

  /** Whether the stream is closed before this event. */
  ends(event: AgentEvent): boolean {
    if (this.#meter.completeCalls < this.#allowed) return false;
    return this.#isClosed || this.#isBeyond(event);
  }

  /** What one chunk brought is taken: from here on nothing but further calls is waited for. */
  settle(): void {
    if (this.#meter.completeCalls >= this.#allowed && !this.#isWaiting) void this.#close();
  }

  async #close(): Promise<void> {
    this.#isWaiting = true;
    await this.#wait(patience);
    this.#isClosed = true;
    this.#closed.resolve(true);
  }

  #isBeyond(event: AgentEvent): boolean {
    switch (event.type) {
      case 'call.appended':
        if (this.#meter.isWhole(event.call)) return event.text.trim() !== '';
        this.#read += event.text.length + (this.#known.has(event.call) ? 0 : opening);
        this.#known.add(event.call);
        return this.#read > mostSurplus;
      case 'text.appended':
      case 'item.attached':
      case 'stage.opened':
      case 'stage.titled':
      case 'stage.appended':
      case 'stage.attached':
      case 'stage.closed':
        return true;
      case 'state.reported':
      case 'usage.reported':
      case 'turn.retried':
      case 'notice.posted':
      case 'question.asked':
      case 'turn.finished':
        return false;
    }
  }
}
