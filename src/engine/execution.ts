import type { EventOf, RunEvent } from '../run/events.ts';
import type { RunTree } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import type { Fence, Haste, KeptText } from '../stores/store.ts';
import { stopped } from '../run/stopped.ts';
import { aborted } from './aborted.ts';
import { Commands, apology, askingIn, closings, type Recorded } from './recovery/recorded.ts';
import { Conversation, SentHistory } from './conversation/conversation.ts';
import type { CutOffs, Claimed, Loaded } from './recovery/load.ts';
import { Deadlines, Lease, leaseLength, momentOf } from './time/deadlines.ts';
import { forever } from './forever.ts';
import { Line } from './conversation/line.ts';
import { cancelAsking, Parking, Questions } from './question/questions.ts';
import { Prompts } from './turn/turn-meter.ts';
import { Remembered } from './conversation/remembered.ts';
import { bytesBeside, lastSpace, Space, Writer } from './record/writer.ts';
import { StepWatch, Activity } from './scope/composite.ts';
import type { Workplace } from './world.ts';
import { failureOf } from '../run/failure.ts';
import { Guarding, type RunGuards } from './record/recordable.ts';

/** How long effects get to end by themselves after a stop, in milliseconds. */
const grace = 200;
/** How long a worker that gives a run back waits for what is being written. */
const farewell = 1_000;

/**
 * One run in the hands of this worker. When the worker lets go (parked, stopped, lost) nothing is thrown into the flow:
 * whatever it awaits simply never resolves, so no `catch` of a flow can act on it.
 */
export class Execution {
  readonly world: Workplace;
  readonly run: string;
  readonly tree: RunTree;
  /** What it runs, where that is data; known once its flow begins. */
  definition?: Json | undefined;
  /** Whether it began in this worker's hand: nobody has known of it for longer than this worker. */
  readonly isNew: boolean;
  readonly recorded: Recorded;
  readonly writer: Writer;
  readonly guarding: Guarding;
  /** Absent where no worker could have been cut off yet. */
  readonly cutOffs: CutOffs | undefined;
  readonly space: Space;
  readonly sent = new SentHistory(this);
  readonly conversation = new Conversation(this);
  readonly prompts = new Prompts(this);
  readonly commands = new Commands(this);
  readonly steps = new StepWatch();
  readonly deadlines = new Deadlines(this);
  /** Resolves when this worker has let go of the run. */
  readonly done: Promise<void>;
  readonly lease: Lease;
  readonly #letGo: () => void;
  readonly #effects = new AbortController();
  readonly #dropped = new AbortController();
  readonly #activity = new Activity();
  #remembered: Remembered | undefined;
  #line: Line | undefined;
  #questions: Questions | undefined;
  #parking: Parking | undefined;
  #mode: 'working' | 'stopping' | 'ending' | 'gone' = 'working';
  #isAside = false;
  #isLeaving = false;
  #isFull = false;
  #control: Promise<void> = Promise.resolve();

  constructor(world: Workplace, fence: Fence, loaded: Loaded & Claimed) {
    const { tree, recorded, cutOffs, bytes, claimed, isNew = false } = loaded;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.world = world;
    this.run = fence.run;
    this.tree = tree;
    this.isNew = isNew;
    this.recorded = recorded;
    this.lease = new Lease(world.clock, claimed);
    this.cutOffs = cutOffs;
    this.done = promise;
    this.#letGo = resolve;
    this.guarding = new Guarding(world.secrets);
    this.space = new Space({ ...world, tree, bytes });
    this.writer = new Writer({ ...world, fence, tree, signal: this.#dropped.signal, space: this.space });
    void this.writer.lost.then((why) => {
      if (why.failure.code !== 'rejected') world.log.error({ run: this.run, cause: why }, why.message);
      this.drop();
    });
    if (!isNew) this.questions.watchAll();
  }

  // What few runs need is made for those.

  get remembered(): Remembered {
    return (this.#remembered ??= new Remembered(this));
  }

  get line(): Line {
    return (this.#line ??= new Line());
  }

  get questions(): Questions {
    return (this.#questions ??= new Questions(this));
  }

  get parking(): Parking {
    return (this.#parking ??= new Parking(this));
  }

  /** Aborts when effects must end: a stop, or the run was lost. */
  get signal(): AbortSignal {
    return this.#effects.signal;
  }

  /** Aborts when this worker has let go of the run. */
  get dropped(): AbortSignal {
    return this.#dropped.signal;
  }

  /**
   * Whether an effect may begin now. A worker that slept through its lease finds its intent committed and the run with
   * somebody else, who may have asked a person about it already. Only the store knows.
   */
  async mayAct(): Promise<boolean> {
    while (this.isLive && !this.lease.isSure) await this.#renew();
    return this.isLive;
  }

  /** Whether the flow may go on. */
  get isLive(): boolean {
    return this.#mode === 'working';
  }

  /** Whether nothing is under way, and only a person, a time or another run can change that. */
  get isIdle(): boolean {
    if (!this.isLive || !this.#activity.isQuiet) return false;
    return this.#activity.isWaiting || this.tree.paused || this.#isAside;
  }

  /** Park the run if nothing of it can go on by itself. */
  considerParking(): void {
    if (this.isIdle) this.parking.consider();
  }

  /** Whether the flow turned out to be another than the recorded one: nothing it does counts any more. */
  get isAside(): boolean {
    return this.#isAside;
  }

  /** What effects bring is recorded while a run is stopping, and no longer once it is ending. */
  emit(event: RunEvent, kept?: Omit<KeptText, 'tenant'>): void {
    if (this.#mode !== 'working' && this.#mode !== 'stopping') return;
    if (this.deadlines.isLate(event)) return;
    this.writer.emit(event, { kept });
    this.space.take(bytesBeside(event));
    if (event.type === 'step.closed' || event.type === 'step.opened') this.steps.look();
    if (this.#mode === 'working' && !this.#isFull) this.#endIfFull();
  }

  /** A flow that goes on although it was told that its budget is used up comes to its end all the same. */
  #endIfFull(): void {
    const message = this.space.used(lastSpace);
    if (message === undefined) return;
    this.#isFull = true;
    const failure = { code: 'over-budget', message } as const;
    this.emit({ type: 'notice.posted', step: 0, code: 'BUDGET_EXHAUSTED', message });
    void this.end({ outcome: 'failed', failure, answer: apology(failure) });
  }

  /** What this run may say, by what it was started to do. */
  guardBy(guards: RunGuards | undefined): void {
    this.guarding.guardBy(guards);
    this.writer.guardBy(guards);
  }

  /** What a flow or a tool says in one go. What was recorded by an earlier worker is not recorded again. */
  say(event: EventOf<'text.appended'>, isRecorded = false): void {
    if (this.#mode !== 'working' && this.#mode !== 'stopping') return;
    if (this.deadlines.isLate(event)) return;
    this.writer.say(event, isRecorded);
    if (this.#mode === 'working' && !this.#isFull) this.#endIfFull();
  }

  /** Everything emitted so far is durable. */
  barrier(haste?: Haste): Promise<void> {
    return this.writer.barrier(haste);
  }

  /** Work that keeps the run from being parked. Settles only while the flow may go on. */
  async busy<T>(work: Promise<T>): Promise<T> {
    this.#activity.takeOff();
    try {
      return await work;
    } finally {
      this.#activity.land();
      if (!this.isLive) await forever();
      this.considerParking();
    }
  }

  /** Something that only a person, a time or another run can bring about: the run may be parked meanwhile. */
  async waiting<T>(what: Promise<T>): Promise<T> {
    const waited = this.#activity.waiting(what);
    this.considerParking();
    try {
      return await waited;
    } finally {
      if (!this.isLive) await forever();
    }
  }

  /** Record what is known already. A stop waits for it, however long the store takes. */
  recording(work: () => Promise<void>): Promise<void> {
    return this.#activity.recording(work);
  }

  /** Whether nothing new may be opened now. */
  get isGated(): boolean {
    return !this.isLive || this.#isAside || this.#isLeaving || this.tree.paused;
  }

  /** Resolves when the run is resumed. Looked at again afterwards: it may have been paused anew. */
  gate(): Promise<void> {
    if (!this.isLive || this.#isAside || this.#isLeaving) return forever();
    this.considerParking();
    return this.commands.resumed;
  }

  /** A command may have arrived. */
  look(): Promise<void> {
    return this.alone(() => this.commands.apply());
  }

  /** What the flow does now is not what was recorded: keep the run for a person, in case the right code comes back. */
  diverge(message: string): Promise<never> {
    return this.setAside('FLOW_DIVERGED', message);
  }

  /** Pause the run with a notice. Whoever resumes it gets it run from the top again. */
  setAside(code: string, message: string): Promise<never> {
    if (this.isLive && !this.#isAside) {
      this.#isAside = true;
      this.emit({ type: 'notice.posted', step: 0, code, message });
      if (!this.tree.paused) this.emit({ type: 'run.paused', by: 'engine', reason: message });
      this.considerParking();
    }
    return forever();
  }

  /** The flow is through. A stop that came before the end wins. */
  end(ended: Omit<EventOf<'run.ended'>, 'type' | 'usage'>): Promise<void> {
    return this.alone(async () => {
      await this.commands.apply();
      if (this.isLive) await this.#finish(ended);
    });
  }

  /** End everything: effects are told to end, get a moment to do so, and what is left open is closed. */
  async stop(): Promise<void> {
    if (!this.isLive) return;
    this.#mode = 'stopping';
    this.#effects.abort(stopped);
    const enough = new AbortController();
    await Promise.race([this.#activity.quiet(), this.world.clock.sleep(grace, enough.signal)]);
    enough.abort(aborted);
    await Promise.race([this.#activity.recorded(), this.done]);
    await this.alone(() => this.#finish({ outcome: 'stopped' }));
  }

  /** Begin nothing more. Resolves when what has begun is over and recorded. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await Promise.race([this.#activity.quiet(), this.done]);
    await Promise.race([this.#activity.recorded(), this.done]);
  }

  /** Give the run back unfinished, for anyone to take up at once. What is known is written first. */
  async handBack(): Promise<void> {
    const enough = new AbortController();
    const written = this.isLive ? Promise.race([this.barrier(), this.done]) : this.done;
    await Promise.race([written, this.world.clock.sleep(farewell, enough.signal)]);
    enough.abort(aborted);
    if (this.#mode === 'gone') return;
    this.drop();
    await this.world.store.dispatch.handBack(this.writer.fence);
  }

  /** Let go: record nothing more, end all effects, tell nobody inside. */
  drop(): void {
    if (this.#mode === 'gone') return;
    this.#mode = 'gone';
    this.#dropped.abort(aborted);
    this.#effects.abort(aborted);
    this.#letGo();
  }

  /**
   * Ask the store until it answers; a refusal means that the run is another worker's. A flow never hears of either. The
   * run is not parked meanwhile: whoever asks goes on by itself, and nobody would wake it.
   */
  async insist<T>(question: () => Promise<T>): Promise<T> {
    this.#activity.takeOff();
    let told: { readonly answer: T } | undefined;
    try {
      told = await answered(this, question);
    } finally {
      this.#activity.land();
      this.considerParking();
    }
    return told ? told.answer : forever();
  }

  /** Commands are applied, and the run is parked or ended, one at a time. */
  alone(work: () => Promise<void>): Promise<void> {
    this.#control = this.#control.then(work).catch((cause: unknown) => {
      this.world.log.error({ run: this.run, cause }, 'A run is left to be recovered.');
      this.drop();
    });
    return this.#control;
  }

  async #renew(): Promise<void> {
    const asked = momentOf(this.world.clock);
    const { fence } = this.writer;
    const held = await this.insist(() => this.world.store.dispatch.renew([fence], leaseLength));
    if (held.length > 0) this.lease.prove(asked);
    else this.drop();
  }

  async #finish(ended: Omit<EventOf<'run.ended'>, 'type' | 'usage'>): Promise<void> {
    if (this.#mode === 'gone' || this.#mode === 'ending') return;
    // The run is over, and nobody will answer what agents elsewhere still ask.
    const asking = askingIn(this.tree);
    if (asking.length > 0) await cancelAsking(this, asking);
    this.#mode = 'ending';
    this.#effects.abort(aborted);
    for (const event of closings(this.tree, ended.outcome)) this.writer.emit(event);
    this.writer.emit({ type: 'run.ended', ...ended, usage: { ...this.tree.usage } });
    await Promise.race([this.barrier('some'), this.done]);
    this.drop();
  }
}

const retryPause = 100;

/** Ask the store until it answers; a refusal means that the run is another worker's. Undefined once it was let go of. */
async function answered<T>(
  execution: Execution,
  question: () => Promise<T>,
): Promise<{ readonly answer: T } | undefined> {
  const { world, dropped } = execution;
  while (!dropped.aborted) {
    try {
      return { answer: await question() };
    } catch (thrown) {
      const { code } = failureOf(thrown);
      if (code === 'rejected' || code === 'unknown') execution.drop();
      else if (code !== 'unavailable' && code !== 'timed-out') throw thrown;
      else await world.clock.sleep(retryPause, dropped);
    }
  }
  return undefined;
}
