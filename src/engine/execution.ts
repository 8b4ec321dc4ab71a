import type { EventOf, RunEvent } from '../run/events.ts';
import { RunError } from '../run/failure.ts';
import { undecidedApprovals, type Approval, type RunTree } from '../run/tree.ts';
import type { Fence, SentCommand } from '../stores/store.ts';
import { entryFor } from './control.ts';
import { closings } from './ending.ts';
import { fingerprintOf } from './fingerprint.ts';
import { Line } from './line.ts';
import type { Loaded } from './load.ts';
import type { Recorded } from './recorded.ts';
import type { World } from './world.ts';
import { Writer } from './writer.ts';

export type Decided = NonNullable<Approval['decided']>;

/** How a worker let go of a run. */
export type Ending = 'ended' | 'parked' | 'lost';

/** How long effects get to end by themselves after a stop, in milliseconds. */
const grace = 200;
const retryPause = 100;

/**
 * One run in the hands of this worker. When the worker lets go (parked, stopped, lost) nothing is thrown into the flow:
 * whatever it awaits simply never resolves, so no `catch` of a flow can act on it.
 */
export class Execution {
  readonly world: World;
  readonly run: string;
  readonly tree: RunTree;
  readonly recorded: Recorded;
  readonly writer: Writer;
  readonly line = new Line();
  readonly done: Promise<Ending>;
  /** Until when this worker may act on the run, as far as it knows. */
  leaseUntil = 0;
  readonly #letGo: (ending: Ending) => void;
  readonly #effects = new AbortController();
  readonly #dropped = new AbortController();
  readonly #deciders = new Map<string, (decided: Decided) => void>();
  readonly #applied = new Set<string>();
  #mode: 'working' | 'stopping' | 'ending' | 'gone' = 'working';
  #inFlight = 0;
  #waits = 0;
  #settling = false;
  #gate = Promise.withResolvers<void>();
  #quiet = Promise.withResolvers<void>();
  /** Commands are applied, and the run is parked or ended, one at a time. */
  #control: Promise<void> = Promise.resolve();

  constructor(world: World, fence: Fence, { tree, recorded }: Loaded) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.world = world;
    this.run = fence.run;
    this.tree = tree;
    this.recorded = recorded;
    this.done = promise;
    this.#letGo = resolve;
    this.writer = new Writer({ ...world, fence, tree, signal: this.#dropped.signal });
    void this.writer.lost.then((why) => {
      if (why.failure.code !== 'rejected') world.log.error({ run: this.run, cause: why }, why.message);
      this.drop('lost');
    });
    for (const approval of undecidedApprovals(tree)) this.#watchExpiry(approval);
  }

  /** Aborts when effects must end: a stop, or the run was lost. */
  get signal(): AbortSignal {
    return this.#effects.signal;
  }

  /**
   * Whether an effect may begin now. A worker that slept through its lease finds its intent committed and the run with
   * somebody else, who may have asked a person about it already.
   */
  mayAct(): boolean {
    if (this.isLive && this.world.clock.now() >= this.leaseUntil) this.drop('lost');
    return this.isLive;
  }

  /** Whether the flow may go on. */
  get isLive(): boolean {
    return this.#mode === 'working';
  }

  /** What effects bring is recorded while a run is stopping, and no longer once it is ending. */
  emit(event: RunEvent): void {
    if (this.#mode === 'working' || this.#mode === 'stopping') this.writer.emit(event);
  }

  /** Everything emitted so far is durable. */
  barrier(): Promise<void> {
    return this.writer.barrier();
  }

  /** Work that keeps the run from being parked. Settles only while the flow may go on. */
  async busy<T>(work: Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await work;
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#quiet.resolve();
      if (!this.isLive) await forever();
      this.#considerParking();
    }
  }

  /** Resolves when new work may be opened. Undefined, so that opening stays synchronous, if that is now. */
  gate(): Promise<void> | undefined {
    if (!this.isLive) return forever();
    if (!this.tree.paused) return undefined;
    this.#considerParking();
    return this.#gate.promise;
  }

  /** Ask a person, and watch the time if the question has one. */
  request(question: EventOf<'approval.requested'>): void {
    this.emit(question);
    this.#watchExpiry(question);
  }

  /** The final decision on an approval, whenever it comes. The run may be parked meanwhile. */
  async decision(id: string): Promise<Decided> {
    const known = this.tree.approvals.get(id)?.decided;
    if (known) return known;
    this.#waits += 1;
    this.#considerParking();
    const decided = await new Promise<Decided>((resolve) => this.#deciders.set(id, resolve));
    this.#waits -= 1;
    return decided;
  }

  /** A command may have arrived. */
  look(): Promise<void> {
    return this.#exclusively(() => this.#applyCommands());
  }

  /** What the flow does now is not what was recorded: keep the run for a person, in case the right code comes back. */
  async diverge(message: string): Promise<never> {
    if (this.isLive) {
      this.emit({ type: 'notice.posted', step: 0, code: 'FLOW_DIVERGED', message });
      if (!this.tree.paused) this.emit({ type: 'run.paused', by: 'engine', reason: message });
      this.#considerParking();
    }
    return forever();
  }

  /** The flow is through. A stop that came before the end wins. */
  end(ended: Omit<EventOf<'run.ended'>, 'type' | 'usage'>): Promise<void> {
    return this.#exclusively(async () => {
      await this.#applyCommands();
      if (this.isLive) await this.#finish(ended);
    });
  }

  /** Let go: record nothing more, end all effects, tell nobody inside. */
  drop(ending: Ending): void {
    if (this.#mode === 'gone') return;
    this.#mode = 'gone';
    this.#dropped.abort();
    this.#effects.abort();
    this.#letGo(ending);
  }

  async #applyCommands(): Promise<void> {
    if (!this.isLive) return;
    const pending = await this.#insist(() => this.world.store.mailbox.pending(this.run));
    for (const sent of pending ?? []) {
      if (!this.isLive || this.#applied.has(sent.id)) continue;
      this.#applied.add(sent.id);
      this.#apply(sent);
    }
  }

  #apply(sent: SentCommand): void {
    const event = entryFor(sent, this.tree, ({ step }, edited = null) => {
      const attempt = this.tree.steps.get(step)?.attempt ?? 1;
      return fingerprintOf(this, { step, attempt, purpose: 'begin', bytes: edited });
    });
    this.writer.emit(event, sent.id);
    if (event.type === 'stop.requested') void this.stop();
    if (event.type === 'approval.decided') this.#settle(event.approval);
    if (event.type === 'run.resumed') {
      this.#gate.resolve();
      this.#gate = Promise.withResolvers();
    }
    if (event.type === 'run.paused') this.#considerParking();
  }

  /** End everything: effects are told to end, get a moment to do so, and what is left open is closed. */
  async stop(): Promise<void> {
    this.#mode = 'stopping';
    this.#effects.abort();
    if (this.#inFlight > 0) {
      const enough = new AbortController();
      await Promise.race([this.#quiet.promise, this.world.clock.sleep(grace, enough.signal)]);
      enough.abort();
    }
    await this.#exclusively(() => this.#finish({ outcome: 'stopped' }));
  }

  async #finish(ended: Omit<EventOf<'run.ended'>, 'type' | 'usage'>): Promise<void> {
    if (this.#mode === 'gone' || this.#mode === 'ending') return;
    this.#mode = 'ending';
    this.#effects.abort();
    for (const event of closings(this.tree, ended.outcome)) this.writer.emit(event);
    this.writer.emit({ type: 'run.ended', ...ended, usage: { ...this.tree.usage } });
    await Promise.race([this.barrier(), this.done]);
    this.drop('ended');
  }

  #settle(approval: string): void {
    const decided = this.tree.approvals.get(approval)?.decided;
    if (!decided) return;
    this.#deciders.get(approval)?.(decided);
    this.#deciders.delete(approval);
  }

  #watchExpiry({ approval, expiresAt }: Pick<Approval, 'approval' | 'expiresAt'>): void {
    if (expiresAt === undefined) return;
    void this.world.clock
      .sleep(Math.max(0, expiresAt - this.world.clock.now()), this.#dropped.signal)
      .then(() =>
        this.#exclusively(async () => {
          if (!this.isLive || this.tree.approvals.get(approval)?.decided) return;
          this.emit({ type: 'approval.decided', approval, decision: 'expire', by: 'clock' });
          this.#settle(approval);
        }),
      );
  }

  /** Nothing is under way, and only a person or the clock can change that. */
  get #isIdle(): boolean {
    return this.isLive && this.#inFlight === 0 && (this.#waits > 0 || this.tree.paused);
  }

  #considerParking(): void {
    if (this.#settling || !this.#isIdle) return;
    this.#settling = true;
    void this.world.clock.settle().then(() => {
      this.#settling = false;
      if (this.#isIdle) void this.#exclusively(() => this.#park());
    });
  }

  async #park(): Promise<void> {
    await Promise.race([this.barrier(), this.done]);
    if (!this.#isIdle) return;
    const { fence, head } = this.writer;
    const times = undecidedApprovals(this.tree).flatMap(({ expiresAt }) => expiresAt ?? []);
    const wakeAt = times.length > 0 ? { wakeAt: Math.min(...times) } : {};
    const state = await this.#insist(async () => {
      const row = await this.world.store.dispatch.get(this.run);
      if (row?.epoch === fence.epoch && row.state === 'waiting') return 'waiting';
      return this.world.store.dispatch.release({ fence, head, ...wakeAt });
    });
    if (state === 'waiting') this.drop('parked');
    else await this.#applyCommands();
    this.#considerParking();
  }

  /** Ask the store until it answers; a refusal means that the run is another worker's. */
  async #insist<T>(question: () => Promise<T>): Promise<T | undefined> {
    while (this.#mode !== 'gone') {
      try {
        return await question();
      } catch (thrown) {
        if (!(thrown instanceof RunError)) throw thrown;
        if (thrown.failure.code === 'rejected' || thrown.failure.code === 'unknown') this.drop('lost');
        else await this.world.clock.sleep(retryPause, this.#dropped.signal);
      }
    }
    return undefined;
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    this.#control = this.#control.then(work).catch((cause: unknown) => {
      this.world.log.error({ run: this.run, cause }, 'A run is left to be recovered.');
      this.drop('lost');
    });
    return this.#control;
  }
}

/** What a dropped flow waits for. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
