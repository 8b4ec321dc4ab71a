import { Command } from '../run/commands.ts';
import { errorOf, failureOf, RunError } from '../run/failure.ts';
import { foldAll } from '../run/fold.ts';
import { present } from '../run/present.ts';
import type { Claim, Fence, Hint, Receipt, RunRow } from '../stores/store.ts';
import { createRun, type RunRequest } from './create-run.ts';
import { Execution } from './execution.ts';
import { flowId, flowOf } from './flow-id.ts';
import { leaseLength, momentOf, type Moment } from './time/lease.ts';
import { loadClaimed, newRun, type Claimed, type Loaded } from './recovery/load.ts';
import { Probation } from './recovery/probation.ts';
import { recordCommands } from './recovery/record-commands.ts';
import { runFlow } from './scope/run-flow.ts';
import { StoreTime } from './time/store-time.ts';
import type { Workplace, World } from './world.ts';

const renewal = 5_000;
/** How often to look for runs whose time has come, should no hint arrive. */
const lookAgain = 1_000;
const claimAtOnce = 16;

export interface WorkSettings {
  /** The others are left alone: a worker that will not stay must not begin what it cannot finish. */
  readonly only?: ReadonlySet<string> | undefined;
  /** How long what has begun may take to come to its end, once the worker is told to leave. Milliseconds. */
  readonly grace?: number;
}

/** A worker: starts runs, takes up those that nobody works on, and passes commands on. */
export class Engine {
  readonly worker: string;
  readonly #world: Workplace;
  readonly #executions = new Map<string, Execution>();
  readonly #probation = new Probation();
  /** What went wrong last, and is tried again every second: said once. */
  readonly #troubles = new Map<string, string>();
  #wake = new AbortController();
  #isLeaving = false;

  constructor(world: World, worker: string) {
    this.#world = { ...world, time: new StoreTime(world.clock, world.store.dispatch) };
    this.worker = worker;
  }

  /** What keeps this worker from its work now, and is tried again. */
  get trouble(): string | undefined {
    return [...this.#troubles.values()].at(-1);
  }

  /** Runs in the hands of this worker. */
  get busyWith(): readonly string[] {
    return [...this.#executions.keys()];
  }

  /** Start a run here. It is durable when this resolves. */
  async start(request: RunRequest): Promise<{ run: string; conversation: string; created: boolean }> {
    const { run, conversation, begun } = await createRun(this.#world, this.worker, request);
    if (!begun) return { run, conversation, created: false };
    this.#world.secrets.vouch(run, 1);
    const loaded = newRun(foldAll(begun.entries), request.definition?.body);
    this.#execute({ run, epoch: 1 }, { ...loaded, claimed: begun.claimed });
    return { run, conversation, created: true };
  }

  /** Hand a command to a run, wherever it is. The same id again gets the same receipt. */
  async send(run: string, command: Command, id = this.#world.newId('command')): Promise<Receipt> {
    const checked = Command.safeParse(command);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      throw new RunError(
        'malformed',
        `The command does not fit: ${issue?.path.join('.') || 'type'}: ${issue?.message ?? ''}.`,
      );
    }
    // A command waits in the store before it becomes an entry.
    const cleaned = this.#world.secrets.cleanAll(checked.data);
    return this.#world.store.mailbox.send({ id, run, command: cleaned });
  }

  /**
   * Take up runs and keep the leases of those in hand, until the signal aborts; then let what has begun come to its end,
   * and hand back what is left.
   */
  async work(signal: AbortSignal, { only, grace = 0 }: WorkSettings = {}): Promise<void> {
    const unlisten = this.#world.store.listen((hint) => this.#hear(hint));
    const over = new AbortController();
    const leases = this.#keepLeases(over.signal);
    await this.#takeUpRuns(signal, only);
    await this.#leave(grace);
    over.abort();
    await leases;
    unlisten();
    await this.#handBack();
  }

  /** What was cut off now would be in doubt, and ask a person for nothing. */
  async #leave(grace: number): Promise<void> {
    this.#isLeaving = true;
    const left = Promise.all([...this.#executions.values()].map((execution) => execution.leave()));
    if (grace === 0) return;
    const enough = new AbortController();
    await Promise.race([left, this.#world.clock.sleep(grace, enough.signal)]);
    enough.abort();
  }

  async #takeUpRuns(signal: AbortSignal, only: ReadonlySet<string> | undefined): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      if (!only) await this.#quietly('claim', () => this.#claimAll(signal));
      for (const run of only ?? []) await this.#quietly('claim', () => this.claim(run));
      await this.#world.clock.sleep(lookAgain, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  /** Apart from taking up runs: after a crash of many that takes longer than a lease, and those in hand would be lost. */
  async #keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#world.time.learn();
      const isKept = await this.#renew();
      await this.#world.clock.sleep(isKept ? renewal : lookAgain, signal);
    }
  }

  /** Take up what can be taken up now; one run if named. */
  async claim(run?: string): Promise<number> {
    await this.#world.time.beSure();
    await this.#beSureOfLeases();
    const claimed = momentOf(this.#world.clock);
    const claims = await this.#world.store.dispatch.claim({
      worker: this.worker,
      flows: this.#world.catalog.flows.map(flowId),
      max: claimAtOnce,
      lease: leaseLength,
      ...(run === undefined ? {} : { run }),
    });
    await Promise.all(
      claims.map((claim) => this.#quietly('load', () => this.#load(claim, claimed), claim.fence.run)),
    );
    return claims.length;
  }

  /** Record what was asked of a run whose flow is not known here. */
  record(row: RunRow): Promise<void> {
    return recordCommands(this.#world, this.worker, row);
  }

  /** After a sleep its own runs look like those of a worker that is gone: it must not take them from itself. */
  async #beSureOfLeases(): Promise<void> {
    const isSure = [...this.#executions.values()].every(({ lease }) => lease.isSure);
    if (!isSure) await this.#renew();
  }

  async #claimAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.claim()) === claimAtOnce);
  }

  async #load({ fence, head, reason }: Claim, claimed: Moment): Promise<void> {
    this.#executions.get(fence.run)?.drop();
    const loaded = await loadClaimed(this.#world.store, { fence, head, reason });
    const execution = this.#execute(fence, { ...loaded, claimed });
    execution.emit({ type: 'worker.took', worker: this.worker, epoch: fence.epoch, reason });
  }

  /** Resolves when this worker has nothing in hand. */
  async idle(): Promise<void> {
    while (this.#executions.size > 0)
      await Promise.race([...this.#executions.values()].map(({ done }) => done));
  }

  /** Resolves when this worker does not have the run in hand: it has ended, is parked, or went to another. */
  async released(run: string): Promise<void> {
    await this.#executions.get(run)?.done;
  }

  #execute(fence: Fence, loaded: Loaded & Claimed): Execution {
    const flow = flowOf(this.#world, loaded.tree.started?.flow ?? { name: '', version: '' });
    const execution = new Execution(this.#world, fence, loaded);
    execution.definition = loaded.definition;
    this.#executions.set(fence.run, execution);
    if (this.#isLeaving) void execution.leave();
    void execution.done.then(() => {
      if (this.#executions.get(fence.run) === execution) this.#executions.delete(fence.run);
    });
    // The first entry of a takeover is emitted by the caller, before the flow gets its turn.
    queueMicrotask(() => {
      runFlow(execution, flow, this.#probation).catch((cause: unknown) => {
        this.#world.log.error({ run: fence.run, cause }, 'A run is left to be recovered.');
        execution.drop();
      });
    });
    return execution;
  }

  #hear(hint: Hint): void {
    if (hint.type === 'shared') return;
    const { type, run } = hint;
    const execution = this.#executions.get(run);
    if (type === 'damaged') this.#world.log.error({ run, cause: errorOf(hint.failure) }, 'A run is damaged.');
    else if (type === 'command') void execution?.look();
    else if (type === 'freed') execution?.line.hear();
    else if (type === 'ready') this.#wake.abort();
  }

  /** False if the store could not be asked. */
  async #renew(): Promise<boolean> {
    const executions = [...this.#executions.values()];
    if (executions.length === 0) return true;
    const asked = momentOf(this.#world.clock);
    try {
      const fences = executions.map(({ writer }) => writer.fence);
      const held = await this.#world.store.dispatch.renew(fences, leaseLength);
      const alive = new Set(held.map(({ run, epoch }) => `${run}#${epoch}`));
      for (const execution of executions) {
        const { run, epoch } = execution.writer.fence;
        if (alive.has(`${run}#${epoch}`)) execution.lease.prove(asked);
        else execution.drop();
        // Should the hint of a command have got lost, the command waits no longer than this.
        void execution.look();
      }
      return true;
    } catch (cause) {
      this.#world.log.error({ cause }, 'The leases could not be renewed.');
      // Another worker may take over soon: whoever cannot prove a lease must not act on it.
      for (const execution of executions) if (execution.lease.isNearlyOver) execution.drop();
      return false;
    }
  }

  async #handBack(): Promise<void> {
    const held = [...this.#executions.values()];
    await Promise.all(held.map((execution) => this.#quietly('hand back', () => execution.handBack())));
  }

  async #quietly(what: string, work: () => Promise<unknown>, run?: string): Promise<void> {
    try {
      await work();
      this.#troubles.delete(what);
    } catch (cause) {
      const { code, message } = failureOf(cause);
      const isKnown = run === undefined && this.#troubles.get(what) === message;
      this.#troubles.set(what, message);
      // A damaged run is named by the store that finds it.
      if (!isKnown && code !== 'damaged')
        this.#world.log.error({ ...present({ run }), cause }, `The worker could not ${what}.`);
    }
  }
}
