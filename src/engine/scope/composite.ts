import { errorOf, RunError, sentenceOf } from '../../run/failure.ts';
import { isOpen, type Step, present } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { failureIn, strayIn } from './broken.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { keepClean, resultOf, plain, cleanResult } from '../record/recordable.ts';
import { leave, meet } from '../recovery/recorded.ts';
import type { StepOptions } from '../scope.ts';
import { expectWithin } from '../time/deadlines.ts';
import type { EventOf } from '../../run/events.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

interface Placed extends StepOptions {
  readonly parent: number;
  readonly key: string;
  readonly kind: string;
  /** Opened already, together with its siblings. */
  readonly opened?: Step | Promise<never> | undefined;
  /** Siblings that are come to in any order. */
  readonly among?: ReadonlySet<string> | undefined;
  /** Resolves once nobody needs it any more, with why: then it is skipped, and ended with all below it. */
  readonly over?: Promise<string> | undefined;
}

/**
 * A step made of other steps. Recorded as closed, it returns what it returned; recorded as open, it is gone through
 * again and everything recorded inside it is recalled.
 */
export async function composite<T>(
  execution: Execution,
  placed: Placed,
  work: (step: Step) => Promise<T>,
): Promise<T> {
  expectWithin(placed.title ?? placed.key, placed.within);
  if (!placed.opened) while (execution.isGated) await execution.gate();
  const step = placed.opened ?? openComposite(execution, placed);
  if (step instanceof Promise) return step;
  if (!isOpen(step)) return recall<T>(execution, step);
  let result: Json;
  try {
    // A copy: the flow may change what it returned or what it gets, and what is recorded must not change with it.
    const doing = () => owned(execution, step, { name: step.title, work: () => work(step) });
    const given = await execution.deadlines.keep(step, doing, placed.over);
    const clean = cleanResult(execution, step, jsonOf(step, given));
    result = clean instanceof Promise ? await execution.busy(clean) : clean;
  } catch (thrown) {
    if (execution.deadlines.hasCut(step.id)) throw thrown;
    if (!(thrown instanceof RunError))
      execution.world.log.error({ run: execution.run, cause: thrown }, `«${step.title}» broke.`);
    const failure = execution.guarding.cleanIn(failureIn(step.title, thrown), ['message']);
    await leave(execution, step.id);
    execution.emit({ type: 'step.closed', step: step.id, outcome: 'failed', failure });
    if (thrown instanceof RunError && thrown.failure === failure) throw thrown;
    const { code, message, ...more } = failure;
    throw new RunError(code, message, { ...more, cause: thrown });
  }
  await leave(execution, step.id);
  const kept = await execution.busy(keepClean(execution, result));
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result: kept });
  return plain(result) as T;
}

function jsonOf({ title }: Step, given: unknown): Json {
  try {
    return plain(given);
  } catch (cause) {
    const message = `«${title}» returned something that is not JSON: return texts, numbers, lists and plain objects.`;
    throw new RunError('malformed', message, { cause });
  }
}

/** The recorded step at this place, or a new one. */
export function openComposite(
  execution: Execution,
  { parent, key, kind, title, icon, agent, query, reasoning, within, among }: Placed,
): Step | Promise<never> {
  const known = meet(execution, { parent, key, kind, agent, among });
  if (known) return known;
  if (!execution.isLive || execution.isAside) return forever();
  const looks = present({ icon, agent, query, reasoning, within });
  return openStep(execution, { parent, key, kind, title: title ?? key, ...looks });
}

async function recall<T>(execution: Execution, step: Step): Promise<T> {
  if (step.status === 'completed') return (await execution.busy(resultOf(execution, step))) as T;
  throw errorOf(step.failure ?? { code: 'unavailable', message: `«${step.title}» was ${step.status}.` });
}

/** Open a step in its place: the one that was planned there, or a new one. */
export function openStep(execution: Execution, opening: Omit<EventOf<'step.opened'>, 'type' | 'step'>): Step {
  const { recorded, tree, deadlines } = execution;
  if (deadlines.hasCut(opening.parent))
    throw new RunError('timed-out', `«${opening.title}» comes when the time of its step is over.`);
  const id = recorded.child(opening.parent, opening.key)?.id ?? tree.nextStep;
  execution.emit({ type: 'step.opened', step: id, ...opening });
  const step = tree.steps.get(id);
  if (!step) throw new Error(`step ${id} was opened and is not in the tree`);
  return step;
}

/**
 * Keys within one scope. They are how a recovery finds a step again, so a key used twice, or two unnamed operations at
 * once (whose order nobody can promise), fail at the first execution and not at the first crash.
 */
export class Keys {
  readonly #where: string;
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();
  #unnamed: string | undefined;

  constructor(where: string) {
    this.#where = where || 'the run';
  }

  async use<T>(kind: string, given: string | undefined, work: (key: string) => Promise<T>): Promise<T> {
    if (given !== undefined) return work(this.claim(given));
    if (this.#unnamed !== undefined) {
      const message = `In «${this.#where}» two unnamed operations are under way at once (${this.#unnamed}, ${kind}); give each a key.`;
      throw new RunError('malformed', message);
    }
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const key = this.claim(`${kind}${count}`);
    this.#unnamed = key;
    try {
      return await work(key);
    } finally {
      this.#unnamed = undefined;
    }
  }

  claim(key: string): string {
    if (this.#used.has(key))
      throw new RunError('malformed', `In «${this.#where}» the key «${key}» is used twice.`);
    this.#used.add(key);
    return key;
  }
}

/** Whoever waits for a step to be over. */
export class StepWatch {
  /** Resolves when a step was opened or closed here. */
  readonly moved: Promise<void>;
  readonly #move: () => void;
  readonly #watched = new Map<Step, readonly (() => void)[]>();

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.moved = promise;
    this.#move = resolve;
  }

  /** Resolves when a step that is open now is not any more. Nothing is in flight meanwhile: the step itself is. */
  async over(step: Step): Promise<void> {
    if (!isOpen(step)) return;
    await new Promise<void>((resolve) =>
      this.#watched.set(step, [...(this.#watched.get(step) ?? []), resolve]),
    );
  }

  /** The end of a step ends those below it too, so all that are watched are looked at. */
  look(): void {
    this.#move();
    for (const [step, waiting] of this.#watched) {
      if (isOpen(step)) continue;
      this.#watched.delete(step);
      for (const resolve of waiting) resolve();
    }
  }
}

/** What goes on in a run: effects in flight, waits that only others can end, and outcomes being recorded. */
export class Activity {
  readonly #recordings = new Set<Promise<void>>();
  #inFlight = 0;
  #waits = 0;
  #quiet: PromiseWithResolvers<void> | undefined;

  get isQuiet(): boolean {
    return this.#inFlight === 0;
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /** Something is in flight, until `land`. */
  takeOff(): void {
    this.#inFlight += 1;
  }

  land(): void {
    this.#inFlight -= 1;
    if (this.isQuiet) this.#quiet?.resolve();
  }

  async waiting<T>(what: Promise<T>): Promise<T> {
    this.#waits += 1;
    try {
      return await what;
    } finally {
      this.#waits -= 1;
    }
  }

  recording(work: () => Promise<void>): Promise<void> {
    const recorded = work().finally(() => this.#recordings.delete(recorded));
    this.#recordings.add(recorded);
    return recorded;
  }

  /** Resolves when nothing is in flight. */
  quiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    if (!this.#quiet) {
      this.#quiet = Promise.withResolvers();
      void this.#quiet.promise.then(() => (this.#quiet = undefined));
    }
    return this.#quiet.promise;
  }

  /** Resolves when what is being recorded now is recorded. */
  async recorded(): Promise<void> {
    await Promise.allSettled(this.#recordings);
  }
}

/** Whose code is running: it answers for what that code leaves behind. */
interface Owner {
  take(cause: unknown): void;
}

const owners = new AsyncLocalStorage<Owner | undefined>();

/**
 * Run code of somebody else as part of a step. A rejection it never awaits, or a throw in one of its timers, has no caller to go
 * to: it fails this step, and nobody else's work.
 */
export async function owned<T>(
  execution: Execution,
  step: Step,
  { name, work }: { readonly name: string; readonly work: () => Promise<T> },
): Promise<T> {
  const stray = Promise.withResolvers<never>();
  const owner: Owner = {
    take(cause) {
      execution.world.log.error({ run: execution.run, cause }, `«${name}» left an error that nobody caught.`);
      const failure = strayIn(name, cause);
      if (isOpen(step) && !isOver) return stray.reject(errorOf(failure));
      const message = sentenceOf(failure);
      execution.emit({ type: 'notice.posted', step: step.id, code: 'STRAY_ERROR', message });
    },
  };
  let isOver = false;
  const working = owners.run(owner, work);
  try {
    return await Promise.race([working, stray.promise]);
  } finally {
    isOver = true;
    // What it does from here on is nobody's result any more.
    working.catch(() => {});
  }
}

/** To run without an owner makes a context for each piece of text; this one is made once, where there is none. */
const nobodys = AsyncLocalStorage.snapshot();

/** Work of our own that somebody else's code has only set off: what goes wrong in it is not theirs. */
export function unowned(work: () => void): void {
  if (owners.getStore() === undefined) work();
  else nobodys(work);
}

/** An error nobody caught reached the process: hand it to the step whose code left it. False if it is nobody's. */
export function takeStray(cause: unknown): boolean {
  const owner = owners.getStore();
  owner?.take(cause);
  return owner !== undefined;
}
