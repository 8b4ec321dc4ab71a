import type { AgentEvent } from '../../gateways/gateway.ts';
import type { TurnMeter } from './turn-meter.ts';

/** How long a stream may say nothing more, once the calls that may run are whole. Milliseconds. */
const patience = 1_000;
/** Characters of calls that will not run, with what each costs before it says anything. */
const most = 16_000;
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
        return this.#read > most;
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
