import { strictest, type Deciders } from '../../run/deciders.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import { undecidedApprovals, type Approval, type RunTree, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { atTime } from '../time/at-time.ts';

/** A decision that settles a question. */
export type Decided = NonNullable<Approval['decided']>;

/** What a run asks people, until each question is decided or its time is over. */
export class Questions {
  readonly #execution: Execution;
  readonly #deciders = new Map<StepId, Deciders>();
  readonly #awaited = new Map<string, PromiseWithResolvers<Decided>>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** What an earlier worker asked has its time still. */
  watchAll(): void {
    for (const approval of undecidedApprovals(this.#execution.tree)) {
      this.#watch(approval);
      this.#watchReturn(approval);
    }
  }

  /** What is asked below a step from now on is decided by these, at least. */
  require(step: StepId, deciders: Deciders): void {
    this.#deciders.set(step, deciders);
  }

  /** Who decides what a step asks, where that is stricter than what its run was started with. */
  decidersAt({ id, agent, call }: Step): Deciders | undefined {
    const { tree, world } = this.#execution;
    const { agents, tools } = world.catalog;
    const rules = [
      tree.started?.approvals,
      agents.find(({ name }) => name === agent)?.approvals,
      tools.find(({ name }) => name === call?.tool)?.approvals,
      ...[...withParents(tree, id)].map((step) => this.#deciders.get(step)),
    ];
    const strict = strictest(rules);
    return strict === tree.started?.approvals ? undefined : strict;
  }

  put(question: EventOf<'approval.requested'>): void {
    this.#execution.emit(question);
    this.#watch(question);
  }

  /** The final decision, whenever it comes. The run may be parked meanwhile. */
  async decision(id: string): Promise<Decided> {
    const execution = this.#execution;
    const { decided, step = 0 } = execution.tree.approvals.get(id) ?? {};
    const heard = decided ?? (await execution.waiting(execution.deadlines.unlessCut(step, this.#await(id))));
    return heard ?? forever();
  }

  /** The same, or undefined when there is news that may change the question. */
  async decisionUnless(id: string, news: Promise<void>): Promise<Decided | undefined> {
    const execution = this.#execution;
    const { decided, step = 0 } = execution.tree.approvals.get(id) ?? {};
    if (decided) return decided;
    const either = Promise.race([this.#await(id), news.then(() => undefined)]);
    const heard = await execution.waiting(execution.deadlines.unlessCut(step, either));
    if (execution.deadlines.hasCut(step)) return forever();
    if (!heard) await execution.parking.over();
    return heard;
  }

  #await(id: string): Promise<Decided> {
    const awaited = this.#awaited.get(id) ?? Promise.withResolvers<Decided>();
    this.#awaited.set(id, awaited);
    return awaited.promise;
  }

  /** Whoever waits for it goes on, if it was decided for good. What was put off is watched. */
  settle(id: string): void {
    const approval = this.#execution.tree.approvals.get(id);
    if (!approval?.decided) return approval && this.#watchReturn(approval);
    this.#awaited.get(id)?.resolve(approval.decided);
    this.#awaited.delete(id);
  }

  /** Nobody needs the answer any more. A decision that is there already was earlier. */
  withdraw(id: string, reason: string): Promise<void> {
    const execution = this.#execution;
    return execution.alone(async () => {
      await execution.commands.apply();
      const approval = execution.tree.approvals.get(id);
      if (!execution.isLive || !approval || approval.decided || approval.lapsedAt !== undefined) return;
      const { fingerprint } = approval;
      execution.emit({ type: 'approval.lapsed', approval: id, fingerprint, reason });
    });
  }

  #watch({ approval, expiresAt }: Pick<Approval, 'approval' | 'expiresAt'>): void {
    const execution = this.#execution;
    if (expiresAt === undefined) return;
    void atTime(execution, expiresAt).then(() => execution.alone(() => this.#expire(approval)));
  }

  /** What was put off until a time is to be decided again then. */
  #watchReturn({ approval, deferred }: Pick<Approval, 'approval' | 'deferred'>): void {
    const execution = this.#execution;
    if (deferred?.until === undefined) return;
    void atTime(execution, deferred.until).then(() =>
      execution.alone(() => this.#giveBack(approval, deferred)),
    );
  }

  async #giveBack(id: string, deferred: Approval['deferred']): Promise<void> {
    const execution = this.#execution;
    await execution.commands.apply();
    const approval = execution.tree.approvals.get(id);
    const isStill = approval?.deferred === deferred && !approval?.decided && approval?.lapsedAt === undefined;
    if (!execution.isLive || !isStill) return;
    execution.emit({ type: 'approval.returned', approval: id });
    execution.parking.consider();
  }

  /** A decision that is there already was earlier than the clock. */
  async #expire(approval: string): Promise<void> {
    const execution = this.#execution;
    await execution.commands.apply();
    const { decided, lapsedAt, fingerprint: shown } = execution.tree.approvals.get(approval) ?? {};
    if (!execution.isLive || decided || lapsedAt !== undefined) return;
    execution.emit({
      type: 'approval.decided',
      approval,
      decision: 'expire',
      by: 'clock',
      shown,
    });
    this.settle(approval);
    execution.parking.consider();
  }
}

/** A step and all above it. */
function* withParents({ steps }: RunTree, id: StepId): Generator<StepId> {
  for (let at: StepId = id; ;) {
    yield at;
    const parent = steps.get(at)?.parent;
    if (parent === undefined || parent === at) return;
    at = parent;
  }
}
