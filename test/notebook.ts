import type { Call, Entry, Outcome, RunEvent } from '../src/run/events.ts';
import type { Effect } from '../src/run/values.ts';

/** How a step that fails says so. */
export const silence = { code: 'unavailable', message: 'The model does not answer.' } as const;

export interface Opening {
  readonly kind: string;
  readonly title?: string;
  readonly planned?: number | undefined;
  readonly started?: boolean;
  readonly origin?: string;
  readonly effect?: Effect;
  readonly agent?: string;
  readonly query?: string;
  readonly reasoning?: string;
  readonly call?: Pick<Call, 'tool' | 'arguments' | 'effect'>;
}

interface Closing {
  readonly result?: { readonly ok: boolean };
  readonly reusedFrom?: number;
}

/** A journal that is being made up: entries in order, and which steps are open. */
export class Notebook {
  readonly entries: Entry[] = [];
  readonly #picks: readonly number[];
  /** Whether what is left open below a step is closed without a word, by the end of the step. */
  readonly #isTerse: boolean;
  readonly #open: { id: number; parent: number }[] = [];
  #picked = 0;
  #steps = 0;
  #names = 0;

  constructor(picks: readonly number[], isTerse: boolean) {
    this.#picks = picks;
    this.#isTerse = isTerse;
  }

  plan(parent: number, kind: string): number {
    this.#steps += 1;
    this.emit({
      type: 'step.planned',
      step: this.#steps,
      parent,
      key: `k${this.#steps}`,
      kind,
      title: kind,
    });
    return this.#steps;
  }

  open(parent: number, how: Opening): number {
    const { kind, planned, call, ...details } = how;
    const step = planned ?? (this.#steps += 1);
    this.emit({
      type: 'step.opened',
      step,
      parent,
      key: `k${step}`,
      kind,
      title: kind,
      ...details,
      ...(call ? { call: { id: `c${step}`, signature: `s${step}`, ...call } } : {}),
    });
    this.#open.push({ id: step, parent });
    return step;
  }

  close(step: number, outcome: Outcome, more: Closing = {}): void {
    this.#forget(step);
    const usage = outcome === 'completed' ? { usage: { input: 2, output: 1 } } : {};
    const failure = outcome === 'failed' ? { failure: silence } : {};
    this.emit({ type: 'step.closed', step, outcome, ...usage, ...failure, ...more });
  }

  closeBelow(step: number, outcome: Outcome): void {
    for (const { id } of this.#open.filter(({ parent }) => parent === step).reverse()) {
      if (!this.#isTerse) this.close(id, outcome);
      else this.#forget(id);
    }
  }

  #forget(step: number): void {
    this.closeBelow(step, 'abandoned');
    this.#open.splice(
      this.#open.findIndex(({ id }) => id === step),
      1,
    );
  }

  pick(): number {
    this.#picked += 1;
    return this.#picks[this.#picked % Math.max(1, this.#picks.length)] ?? 0;
  }

  name(what: string): string {
    this.#names += 1;
    return `${what}-${this.#names}`;
  }

  emit(event: RunEvent): void {
    const at = 1_000 + this.entries.length * 7 + this.pick();
    this.entries.push({
      seq: this.entries.length + 1,
      at: Math.max(at, this.entries.at(-1)?.at ?? 0),
      event,
    });
  }
}
