import { RunError } from '../../run/failure.ts';
import type { RunEvent, StepId, Entry } from '../../run/events.ts';
import {
  millisecondsLeftIn,
  isResting,
  isAtWork,
  isOpen,
  stepOf,
  undecidedApprovals,
  type Step,
} from '../../run/tree.ts';
import { aborted } from '../aborted.ts';
import type { Execution } from '../execution.ts';
import { closingOf } from '../recovery/recorded.ts';
import { type Clock, drift } from './clock.ts';
import type { Dispatch } from '../../stores/store.ts';

/** How often to look whether a step goes on that only waits. Milliseconds. */
const lookAgain = 1_000;

interface Deadline {
  /** Aborts what is under way below the step. */
  readonly effects: Within;
  /** Resolves when the step, or one above it, was cut off, with why. */
  readonly cut: PromiseWithResolvers<RunError>;
}

/**
 * Steps that may work only so long, or until nobody needs them. When its time is over a step fails, one that is not needed is skipped,
 * and all below it ends with it: what is under way is told to end, and what its flow does from there on is not recorded and gets no answer.
 */
export class Deadlines {
  readonly #execution: Execution;
  readonly #running = new Map<StepId, Deadline>();
  readonly #cut = new Set<StepId>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Do the work of a step in its time, while it is needed. Fails once that is over; the step is closed by then. */
  async keep<T>(step: Step, work: () => Promise<T>, over?: Promise<string>): Promise<T> {
    if (!step.clock && !over) return work();
    const deadline = {
      effects: new Within(this.signalAt(step.parent)),
      cut: Promise.withResolvers<RunError>(),
    };
    this.#running.set(step.id, deadline);
    try {
      // What was cut off when its worker died is not gone through again.
      if (this.#left(step) <= 0) this.#end(step, 'failed', timedOut(step));
      else if (step.clock) void this.#watch(step, deadline);
      void over?.then((reason) => this.#skip(step, reason));
      const tooLate = deadline.cut.promise.then((why) => Promise.reject(why));
      return await Promise.race([tooLate, ...(this.hasCut(step.id) ? [] : [work()])]);
    } finally {
      this.#running.delete(step.id);
      deadline.effects.abort(aborted);
    }
  }

  /** Aborts when what is done for a step must end: with the run, or with the time of a step above. */
  signalAt(step: StepId): AbortSignal {
    return this.#above(step)?.effects.signal ?? this.#execution.signal;
  }

  /** What comes of work for a step; undefined once that was cut off. */
  async unlessCut<T>(step: StepId, work: Promise<T>): Promise<T | undefined> {
    const deadline = this.#above(step);
    return deadline ? Promise.race([work, deadline.cut.promise.then(() => undefined)]) : work;
  }

  /** Whether the time of a step, or of one above it, was over before its work was. */
  hasCut(step: StepId): boolean {
    return this.#cut.has(step);
  }

  /** Whether nothing is recorded of this any more. What comes late is told all the same. */
  isLate(event: RunEvent): boolean {
    if (this.#cut.size === 0 || event.type === 'notice.posted' || !('step' in event)) return false;
    return this.#cut.has('parent' in event ? event.parent : event.step);
  }

  #above(step: StepId): Deadline | undefined {
    if (this.#running.size === 0) return undefined;
    const { steps } = this.#execution.tree;
    for (let at = steps.get(step); at && at.id !== 0; at = steps.get(at.parent)) {
      const deadline = this.#running.get(at.id);
      if (deadline) return deadline;
    }
    return undefined;
  }

  async #watch(step: Step, { effects }: Deadline): Promise<void> {
    const { world, tree } = this.#execution;
    for (;;) {
      const left = this.#left(step);
      const isStill = tree.paused || !isAtWork(tree) || (step.clock !== undefined && isResting(step.clock));
      if (left <= 0 && !isStill)
        return this.#execution.alone(async () => this.#end(step, 'failed', timedOut(step)));
      await world.clock.sleep(isStill ? lookAgain : Math.max(1, left), effects.signal);
      if (effects.signal.aborted) return;
    }
  }

  #left(step: Step): number {
    const { tree, writer } = this.#execution;
    return millisecondsLeftIn(tree, step, writer.now()) ?? Infinity;
  }

  /** Nobody needs a step any more, nor the answers to what is asked below it. */
  #skip(step: Step, reason: string): Promise<void> {
    const { tree, writer } = this.#execution;
    return this.#execution.alone(async () => {
      if (!this.#mayEnd(step)) return;
      for (const { approval, fingerprint, step: asking } of undecidedApprovals(tree))
        if (this.#isBelow(asking, step))
          writer.emit({ type: 'approval.lapsed', approval, fingerprint, reason });
      this.#end(step, 'skipped', new RunError('refused', reason));
    });
  }

  #mayEnd(step: Step): boolean {
    return this.#execution.isLive && isOpen(step) && this.#running.has(step.id);
  }

  /** All of it is recorded in one go, so that no crash leaves a part of it. */
  #end(step: Step, outcome: 'failed' | 'skipped', why: RunError): void {
    const { tree, writer, recorded } = this.#execution;
    if (!this.#mayEnd(step)) return;
    const below = [...tree.open].filter((id) => this.#isBelow(id, step)).toSorted((a, b) => b - a);
    for (const id of [step.id, ...below]) this.#cut.add(id);
    for (const id of below) for (const event of closingOf(stepOf(tree, id), 'abandoned')) writer.emit(event);
    for (const event of closingOf(step, outcome, why.failure)) writer.emit(event);
    // What is below is not gone through any more: nothing of it is ahead.
    recorded.visit(step);
    this.#execution.steps.look();
    for (const id of [...below, step.id]) {
      const deadline = this.#running.get(id);
      deadline?.effects.abort(why);
      deadline?.cut.resolve(why);
    }
  }

  #isBelow(id: StepId, { id: above }: Step): boolean {
    const { steps } = this.#execution.tree;
    for (let at = steps.get(id); at && at.id !== 0; at = steps.get(at.parent))
      if (at.parent === above) return true;
    return false;
  }
}

function timedOut({ title, clock }: Step): RunError {
  return new RunError('timed-out', `«${title}» took longer than ${(clock?.within ?? 0) / 1_000} seconds.`);
}

/** A bound that is none would end its step at once, or never. */
export function expectWithin(title: string, within: number | undefined): void {
  if (within === undefined || (Number.isFinite(within) && within > 0)) return;
  throw new RunError('malformed', `«within» of «${title}» must be a number of milliseconds above 0.`);
}

/** A worker that is silent for a lease has lost its runs. Milliseconds. */
export const leaseLength = 15_000;

/** A moment on both clocks of a worker. */
export interface Moment {
  readonly now: number;
  readonly worked: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), worked: clock.worked() };
}

/**
 * How far a worker can be sure that a run is still its own. Only the store knows: a worker that slept, or whose clock
 * was set, cannot tell how much of its lease is left, and has to ask again before it acts.
 */
export class Lease {
  readonly #clock: Clock;
  #proven: Moment;

  constructor(clock: Clock, proven: Moment) {
    this.#clock = clock;
    this.#proven = proven;
  }

  /** The store said yes, to a question asked at that moment. */
  prove(asked: Moment): void {
    this.#proven = asked;
  }

  get isSure(): boolean {
    const passed = this.#clock.now() - this.#proven.now;
    return this.#worked < leaseLength && Math.abs(passed - this.#worked) < drift;
  }

  /** Whether another worker may take over soon. */
  get isNearlyOver(): boolean {
    return this.#worked > (leaseLength * 2) / 3;
  }

  get #worked(): number {
    return this.#clock.worked() - this.#proven.worked;
  }
}

/**
 * The store's clock, as far as a worker has learned it: what was said last, and the time worked since. Whatever is
 * compared with what others wrote down (when a question is over, when a run is to be woken) goes by it; two clocks that
 * disagree would park and wake a run for ever.
 */
export class StoreTime {
  readonly #clock: Clock;
  readonly #ask: () => Promise<number>;
  #said: { readonly time: number; readonly at: Moment } | undefined;

  constructor(clock: Clock, dispatch: Pick<Dispatch, 'time'>) {
    this.#clock = clock;
    this.#ask = () => dispatch.time();
  }

  /** `worked` is the time worked by now, of whoever has just looked. */
  now(worked = this.#clock.worked()): number {
    if (!this.#said) return this.#clock.now();
    return Math.floor(this.#said.time + worked - this.#said.at.worked);
  }

  /**
   * Ask the store. One that does not answer is believed to go on as before. What it said counts from its arrival: an
   * answer that took its time makes this clock late, which only delays, and never early.
   */
  async learn(): Promise<void> {
    const time = await this.#ask().catch(() => undefined);
    if (time !== undefined) this.#said = { time, at: momentOf(this.#clock) };
  }

  /**
   * Ask the store, unless what it said last still holds as far as this machine can tell. One that never said anything is
   * away: times of a clock that may be a year ahead must not get into a journal.
   */
  async beSure(): Promise<void> {
    if (!this.#said) await this.learn();
    if (!this.#said) throw new RunError('unavailable', 'The store does not say what time it is.');
    const { now, worked } = momentOf(this.#clock);
    const { at } = this.#said;
    const isStale =
      worked - at.worked > longestTrust || Math.abs(now - at.now - (worked - at.worked)) > drift;
    if (isStale) await this.learn();
  }
}

/** Clocks that nobody sets come apart as well. Milliseconds. */
const longestTrust = 60_000;

/**
 * The time of one run in the hands of a worker. It is the store's, but moves on only as the worker works and never goes
 * back; where the store's is found to be ahead, because a clock was set or the machine slept, the next entry says by how
 * much, so that it is not taken for work.
 */
export class RunTime {
  readonly #clock: Clock;
  readonly #store: StoreTime;
  #base: number;
  #since: number;

  /** `last` is the time of the last entry. */
  constructor(clock: Clock, store: StoreTime, last: number) {
    this.#clock = clock;
    this.#store = store;
    this.#base = Math.max(store.now(), last);
    this.#since = clock.worked();
  }

  /** The time of an entry written now, if the worker has worked all the while. */
  now(worked = this.#clock.worked()): number {
    return Math.floor(this.#base + worked - this.#since);
  }

  /** An entry that is written now. */
  entry(seq: number, event: RunEvent): Entry {
    const worked = this.#clock.worked();
    const at = this.now(worked);
    const jump = this.#store.now(worked) - at;
    if (jump <= drift) return { seq, at, event };
    this.#base += jump;
    return { seq, at: at + jump, jump, event };
  }
}

/**
 * A signal of one's own that also aborts with another. `AbortSignal.any` says the same, and keeps both in weak references that
 * the collector has to look after for every turn and every call.
 */
export class Within {
  readonly #outer: AbortSignal;
  readonly #own = new AbortController();

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#own.abort(outer.reason);
    else outer.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** It must come to this: the outer one may live much longer, and holds whoever listens to it. */
  abort(reason: unknown): void {
    this.#outer.removeEventListener('abort', this.#follow);
    this.#own.abort(reason);
  }

  readonly #follow = (): void => this.#own.abort(this.#outer.reason);
}
