import type { EventOf } from '../../run/events.ts';
import { undecidedApprovals, type Approval } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';

/** Timers know nothing of a clock that is set, or of a night the machine slept through. Milliseconds. */
const lookAgain = 15_000;

/** A decision that settles a question. */
export type Decided = NonNullable<Approval['decided']>;

/** What a run asks people, until each question is decided or its time is over. */
export class Questions {
  readonly #execution: Execution;
  readonly #awaited = new Map<string, PromiseWithResolvers<Decided>>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** What an earlier worker asked has its time still. */
  watchAll(): void {
    for (const approval of undecidedApprovals(this.#execution.tree)) this.#watch(approval);
  }

  put(question: EventOf<'approval.requested'>): void {
    this.#execution.emit(question);
    this.#watch(question);
  }

  /** The final decision, whenever it comes. The run may be parked meanwhile. */
  async decision(id: string): Promise<Decided> {
    return this.#execution.tree.approvals.get(id)?.decided ?? this.#execution.waiting(this.#await(id));
  }

  /** The same, or undefined when there is news that may change the question. */
  async decisionUnless(id: string, news: Promise<void>): Promise<Decided | undefined> {
    const execution = this.#execution;
    const decided = execution.tree.approvals.get(id)?.decided;
    if (decided) return decided;
    const heard = await execution.waiting(Promise.race([this.#await(id), news.then(() => undefined)]));
    if (!heard) await execution.parking.over();
    return heard;
  }

  #await(id: string): Promise<Decided> {
    const awaited = this.#awaited.get(id) ?? Promise.withResolvers<Decided>();
    this.#awaited.set(id, awaited);
    return awaited.promise;
  }

  /** Whoever waits for it goes on, if it was decided for good. */
  settle(id: string): void {
    const decided = this.#execution.tree.approvals.get(id)?.decided;
    if (!decided) return;
    this.#awaited.get(id)?.resolve(decided);
    this.#awaited.delete(id);
  }

  #watch({ approval, expiresAt }: Pick<Approval, 'approval' | 'expiresAt'>): void {
    if (expiresAt === undefined) return;
    const { world, dropped } = this.#execution;
    const left = Math.max(0, expiresAt - world.time.now());
    void world.clock.sleep(Math.min(left, lookAgain), dropped).then(() => {
      if (!this.#execution.isLive) return undefined;
      if (world.time.now() < expiresAt) return this.#watch({ approval, expiresAt });
      return void this.#execution.alone(() => this.#expire(approval));
    });
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
