import { type Begun, apology, leave } from '../engine/recovery/recorded.ts';
import { failureOf, RunError } from '../run/failure.ts';
import { foldAll } from '../run/entries.ts';
import type { Claim, Fence, Hint, RunRow } from '../stores/store.ts';
import { Execution } from '../engine/execution.ts';
import { leaseLength, momentOf, type Moment } from '../engine/time/deadlines.ts';
import { loadClaimed, type Claimed, type Loaded, Probation } from '../engine/recovery/load.ts';
import { newRun } from '../engine/recovery/recorded.ts';
import { recordCommands } from '../engine/recovery/record-commands.ts';
import type { Workplace } from '../engine/world.ts';
import { flowId, flowNamed, isBlobRef } from '../run/values.ts';
import { failureIn } from '../engine/scope/broken.ts';
import { unanswered } from '../engine/conversation/conversation.ts';
import { definitionOf } from '../engine/record/definition.ts';
import { answerLimit, loadInput, isLarge, keepLarge, runGuardsIn } from '../engine/record/recordable.ts';
import type { Flow, RunInput } from '../engine/scope.ts';
import { ScopeIn } from '../engine/scope/scope-in.ts';
import { owned } from '../engine/scope/composite.ts';
import { present } from '../run/tree.ts';

const renewal = 5_000;
/** How often to look for runs whose time has come, should no hint arrive. */
const lookAgain = 1_000;
const claimAtOnce = 16;
/** As many as one tenant may have at work, so that what one process had in hand another takes up without a pause. */
const usuallyAtMost = 1_000;

/** Which runs a worker takes: all, or those it was asked for: one that will not stay must not begin what it cannot finish. */
export type Takes = 'everything' | 'asked';

export interface WorkSettings {
  /** How long what has begun may take to come to its end, once the worker is told to leave. Milliseconds. */
  readonly grace?: number;
  /** With so many runs in hand it takes up no more than a few each second. Those that are parked are in nobody's hand. */
  readonly most?: number;
}

/** Claims runs that nobody works on, executes them, and keeps their leases. */
export class Worker {
  readonly name: string;
  readonly takes: Takes;
  readonly #world: Workplace;
  readonly #executions = new Map<string, Execution>();
  readonly #asked = new Set<string>();
  readonly #probation = new Probation();
  /** What went wrong last, and is tried again every second: said once. */
  readonly #troubles = new Map<string, string>();
  #wake = new AbortController();
  /** Called when a run in hand is over. */
  #over: () => void = () => {};
  #isLeaving = false;

  constructor(world: Workplace, name: string, takes: Takes = 'everything') {
    this.#world = world;
    this.name = name;
    this.takes = takes;
  }

  /** What keeps this worker from its work now, and is tried again. */
  get trouble(): string | undefined {
    return [...this.#troubles.values()].at(-1);
  }

  /** Runs in the hands of this worker. */
  get busyWith(): readonly string[] {
    return [...this.#executions.keys()];
  }

  /** Whether this worker has the flow that a run needs. */
  knows({ flow }: Pick<RunRow, 'flow'>): boolean {
    return this.#world.catalog.flows.some((known) => flowId(known) === flow);
  }

  /** Whether it takes a run up, once that wants a worker. */
  isMine(run: string): boolean {
    return this.takes === 'everything' || this.#asked.has(run);
  }

  /** Execute a run that was created in this worker's hand. */
  begin(run: string, { entries, claimed, definition }: Begun): void {
    if (this.takes === 'asked') this.#asked.add(run);
    this.#world.secrets.vouch(run, 1);
    this.#execute({ run, epoch: 1 }, { ...newRun(foldAll(entries), definition), claimed });
  }

  /** Take a run up, and again whenever it wants a worker; false where its flow is not known here. */
  async takeUp(row: RunRow): Promise<boolean> {
    if (!this.knows(row)) return false;
    if (this.takes === 'everything') return true;
    this.#asked.add(row.run);
    await this.claim(row.run);
    return true;
  }

  /**
   * Take up runs and keep the leases of those in hand, until the signal aborts; then let what has begun come to its end,
   * and hand back what is left.
   */
  async work(signal: AbortSignal, { grace = 0, most = usuallyAtMost }: WorkSettings = {}): Promise<void> {
    const unlisten = this.#world.store.listen((hint) => this.#hear(hint), ['command', 'freed', 'ready']);
    const over = new AbortController();
    const leases = this.#keepLeases(over.signal);
    await this.#takeUpRuns(signal, most);
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

  async #takeUpRuns(signal: AbortSignal, most: number): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      if (this.takes === 'everything') await this.#quietly('claim', () => this.#claimAll(signal, most));
      else for (const run of this.#asked) await this.#quietly('claim', () => this.claim(run));
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
      worker: this.name,
      flows: this.#world.catalog.flows.map(flowId),
      max: claimAtOnce,
      lease: leaseLength,
      run,
    });
    await Promise.all(
      claims.map((claim) => this.#quietly('load', () => this.#load(claim, claimed), claim.fence.run)),
    );
    return claims.length;
  }

  /** Record what was asked of a run whose flow is not known here. */
  record(row: RunRow): Promise<void> {
    return recordCommands(this.#world, this.name, row);
  }

  /** After a sleep its own runs look like those of a worker that is gone: it must not take them from itself. */
  async #beSureOfLeases(): Promise<void> {
    const isSure = [...this.#executions.values()].every(({ lease }) => lease.isSure);
    if (!isSure) await this.#renew();
  }

  async #claimAll(signal: AbortSignal, most: number): Promise<void> {
    while (!signal.aborted && (await this.claim()) === claimAtOnce)
      if (this.#executions.size >= most) await this.#untilRoom(signal, most);
  }

  /** No longer than a second: those in hand may wait for what somebody has yet to take up. */
  async #untilRoom(signal: AbortSignal, most: number): Promise<void> {
    const room = new AbortController();
    this.#over = () => this.#executions.size < most && room.abort();
    await this.#world.clock.sleep(lookAgain, AbortSignal.any([signal, room.signal]));
  }

  async #load({ fence, head, reason }: Claim, claimed: Moment): Promise<void> {
    this.#executions.get(fence.run)?.drop();
    const loaded = await loadClaimed(this.#world.store, { fence, head, reason });
    const execution = this.#execute(fence, { ...loaded, claimed });
    execution.emit({ type: 'worker.took', worker: this.name, epoch: fence.epoch, reason });
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
    const flow = flowNamed(this.#world.catalog.flows, loaded.tree.started?.flow ?? { name: '', version: '' });
    const execution = new Execution(this.#world, fence, loaded);
    execution.definition = loaded.definition;
    this.#executions.set(fence.run, execution);
    if (this.#isLeaving) void execution.leave();
    void execution.done.then(() => {
      if (this.#executions.get(fence.run) === execution) this.#executions.delete(fence.run);
      this.#over();
      if (execution.tree.ended) this.#asked.delete(fence.run);
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

  #hear({ type, run }: Extract<Hint, { readonly type: 'command' | 'freed' | 'ready' }>): void {
    const execution = this.#executions.get(run);
    if (type === 'command') void execution?.look();
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
        this.#world.log.error({ run, cause }, `The worker could not ${what}.`);
    }
  }
}

/** Go through a run's flow, from the top: what is recorded is recalled, the rest is done. */
async function runFlow(execution: Execution, flow: Flow, probation: Probation): Promise<void> {
  // What is sent to a new run is hinted at to the worker that has it already.
  if (!execution.isNew) await execution.look();
  if (execution.tree.stopping) return execution.stop();
  while (execution.isGated) await execution.gate();
  if (!execution.isNew) await probation.pass(execution);
  const root = execution.tree.steps.get(0);
  if (!root) throw new Error('a tree without a root');
  try {
    const input = await inputOf(execution);
    execution.definition ??= await definitionOf(execution);
    execution.guardBy(runGuardsIn(execution.definition, execution.world.secrets));
    const work = (): Promise<string> => flow.run(new ScopeIn(execution, root), input);
    const given = textOf(await owned(execution, root, { name: flow.name, work }));
    const answer = isLarge(given) ? await execution.busy(guardedAnswer(execution, given)) : given;
    await leave(execution, 0);
    const kept = await execution.busy(keepLarge(execution, answer, answerLimit));
    await execution.end({ outcome: 'completed', answer: isBlobRef(kept) ? kept : answer });
  } catch (thrown) {
    if (!(thrown instanceof RunError))
      execution.world.log.error({ run: execution.run, cause: thrown }, 'A flow broke.');
    await leave(execution, 0);
    const failure = failureIn(flow.name, thrown);
    await execution.end({ outcome: 'failed', failure, answer: apology(failure) });
  }
}

async function guardedAnswer({ guarding, writer, world }: Execution, given: string): Promise<string> {
  const { value, kinds } = await guarding.guardAnswer(given, world.clock.breather());
  for (const kind of kinds) writer.tellFound(0, kind);
  return value;
}

/** An answer is text, and a flow in plain JavaScript may return anything: nothing is no words, all else is told as JSON. */
function textOf(returned: unknown): string {
  if (typeof returned === 'string') return returned;
  try {
    return JSON.stringify(returned, null, 2) ?? '';
  } catch (cause) {
    throw new RunError('malformed', 'The flow returned something that is not JSON: return a text.', {
      cause,
    });
  }
}

async function inputOf(execution: Execution): Promise<RunInput> {
  const { started } = execution.tree;
  if (!started) throw new Error(`run ${execution.run} has no beginning`);
  const { input, app, labels } = started;
  const { text, attachments, data } = await execution.busy(loadInput(execution, input));
  const sent = started.history === undefined ? [] : await execution.busy(execution.sent.messages());
  const before = unanswered(sent ?? []);
  const words = [before.text, text].filter((part) => part !== '').join('\n\n');
  const whole = before.attachments.map((one) => execution.remembered.whole(one));
  return {
    text: words,
    attachments:
      whole.length === 0 ? attachments : [...(await execution.busy(Promise.all(whole))), ...attachments],
    app,
    labels,
    ...present({ data }),
  };
}
