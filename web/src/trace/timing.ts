import type { Entry, RunStore } from '../../../src/client/client.ts';
import type { Outcome, RunEvent } from '../../../src/run/events.ts';

/** A stretch of time. What has no end yet goes on. */
export interface Span {
  readonly from: number;
  to?: number;
}

/** When what happened to a step, in milliseconds since 1970. */
export interface StepTimes {
  opened?: number;
  /** When its work began: what lies between is waiting for its turn. */
  started?: number;
  /** When the first of what it says was there. */
  first?: number;
  closed?: number;
  outcome?: Outcome;
  /** Tries before the last. */
  readonly earlier: Required<Span>[];
  /** While a person was asked. */
  readonly waits: Span[];
}

/** Something in a run that one wants to get to. */
export interface Mark {
  readonly is: 'failure' | 'asked' | 'decided' | 'takeover';
  readonly seq: number;
  readonly at: number;
}

/** When everything in a run happened. Entries are only ever added, so each is looked at once. */
export class Timing {
  readonly steps = new Map<number, StepTimes>();
  readonly marks: Mark[] = [];
  /** While nobody worked, since its process was gone. */
  readonly gaps: Required<Span>[] = [];
  begin: number | undefined;
  /** Of the last entry. */
  end = 0;
  isOver = false;
  #read = 0;
  readonly #asked = new Map<string, Span>();

  read(entries: readonly Entry[]): this {
    for (; this.#read < entries.length; this.#read += 1) {
      const entry = entries[this.#read];
      if (!entry) continue;
      this.begin ??= entry.at;
      this.#look(entry);
      this.end = Math.max(this.end, entry.at);
    }
    return this;
  }

  #look(entry: Entry): void {
    const { seq, at, event } = entry;
    if (event.type === 'run.started') this.#of(0).opened = at;
    else if (event.type === 'run.ended') {
      this.#of(0).closed = at;
      this.isOver = true;
      if (event.outcome === 'failed') this.marks.push({ is: 'failure', seq, at });
    } else if (event.type === 'worker.took' && event.reason === 'recovered') {
      this.gaps.push({ from: this.end, to: at });
      this.marks.push({ is: 'takeover', seq, at });
    } else if ('approval' in event) this.#ask(entry, event);
    else if ('step' in event) this.#work(entry, this.#of(event.step));
  }

  #work({ seq, at, event }: Entry, times: StepTimes): void {
    if (event.type === 'step.opened') {
      times.opened = at;
      if (event.started === true) times.started = at;
    } else if (event.type === 'step.started') times.started = at;
    else if (event.type === 'text.appended' || event.type === 'item.attached') times.first ??= at;
    else if (event.type === 'step.retried') this.#retry(times, at);
    else if (event.type === 'step.closed') {
      times.closed = at;
      times.outcome = event.outcome;
      if (event.outcome === 'failed') this.marks.push({ is: 'failure', seq, at });
    }
  }

  #ask({ seq, at }: Entry, event: Extract<RunEvent, { readonly approval: string }>): void {
    if (event.type === 'approval.requested') {
      const wait: Span = { from: at };
      this.#asked.set(event.approval, wait);
      this.#of(event.step).waits.push(wait);
      this.marks.push({ is: 'asked', seq, at });
      return;
    }
    const isPutOff = event.type === 'approval.decided' && event.decision === 'defer';
    const wait = this.#asked.get(event.approval);
    if (wait && !isPutOff) wait.to ??= at;
    if (event.type === 'approval.decided') this.marks.push({ is: 'decided', seq, at });
  }

  /** A try that was cut off ended when its process did, which is before another one took over. */
  #retry(times: StepTimes, at: number): void {
    const from = times.earlier.at(-1)?.to ?? times.started ?? times.opened ?? at;
    const gap = this.gaps.at(-1);
    times.earlier.push({ from, to: gap && gap.from >= from ? gap.from : at });
    times.started = at;
    delete times.first;
  }

  #of(step: number): StepTimes {
    const known = this.steps.get(step);
    if (known) return known;
    const times: StepTimes = { earlier: [], waits: [] };
    this.steps.set(step, times);
    return times;
  }
}

const timings = new WeakMap<RunStore, Timing>();

/** When everything happened that has arrived of a run. */
export function timingOf(run: RunStore): Timing {
  const timing = timings.get(run) ?? new Timing();
  timings.set(run, timing);
  return timing.read(run.entries());
}
