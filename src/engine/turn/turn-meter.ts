import type { AgentEvent } from '../../gateways/gateway.ts';
import { deepest } from '../../run/depth.ts';
import { limitsOf, millisecondsLeft } from '../../run/limits.ts';
import { tokensIn } from '../../run/tokens.ts';
import type { Execution } from '../execution.ts';
import { lastSpace } from '../record/space.ts';

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
    const tokensLeft = limitsOf(tree).tokens - tree.spent.tokens - tokensIn(sent);
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
    const { tokens } = limitsOf(tree);
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
    return `The run has used up its ${limitsOf(this.#execution.tree).seconds} seconds.`;
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
