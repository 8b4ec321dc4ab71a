import { strictest, type Deciders } from '../../run/deciders.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import { undecidedApprovals, type Approval, type RunTree, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { atTime } from '../time/at-time.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Json } from '../../run/values.ts';
import { RunError, sentenceOf, failureOf } from '../../run/failure.ts';
import { aborted } from '../aborted.ts';
import { resultOf } from '../record/recordable.ts';
import type { AgentQuestion } from '../../gateways/gateway.ts';
import type { RunState } from '../../stores/store.ts';
import { linesBegun } from '../conversation/line.ts';

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
    execution.considerParking();
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
    execution.considerParking();
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

/** How long an agent elsewhere gets to hear that a run is over, in milliseconds; the run ends all the same. */
const patience = 5_000;

/** Work elsewhere: whose it is, the step it is shown at, and what it goes by there. */
interface Elsewhere {
  readonly agent: Agent;
  readonly step: StepId;
  readonly token: () => Promise<Json | undefined>;
}

/** Tells an agent elsewhere that what it does for this run is not wanted any more. That it could not be told is told here. */
export async function cancelTurn(execution: Execution, { agent, step, token }: Elsewhere): Promise<void> {
  const { gateway, name } = agent;
  if (!gateway.cancel) return;
  const enough = new AbortController();
  const tell = async (): Promise<void> => {
    const known = await token();
    if (known !== undefined) await gateway.cancel?.(known, enough.signal);
  };
  const tooLate = execution.world.clock.sleep(patience, enough.signal).then(() => {
    throw new RunError('timed-out', `It did not answer within ${patience / 1_000} seconds.`);
  });
  try {
    await Promise.race([tell(), tooLate]);
  } catch (thrown) {
    const message = `${name} could not be told to stop and may go on. ${sentenceOf(failureOf(thrown))}`;
    execution.emit({ type: 'notice.posted', step, code: 'STOP_NOT_HEARD', message });
  } finally {
    enough.abort(aborted);
  }
}

/** Tells agents elsewhere that nobody will answer what these turns of theirs ask. */
export async function cancelAsking(execution: Execution, asking: readonly Step[]): Promise<void> {
  const { catalog } = execution.world;
  await Promise.all(
    asking.map(async (step) => {
      const agent = catalog.agents.find(({ name }) => name === step.agent);
      const token = async (): Promise<Json | undefined> => {
        const result = await resultOf(execution, step);
        const { questions = [] } = result as { readonly questions?: readonly AgentQuestion[] };
        return questions[0]?.token;
      };
      if (agent) await cancelTurn(execution, { agent, step: step.id, token });
    }),
  );
}

/** A run whose next time is this near is not parked: to take it up again costs more than to wait. Milliseconds. */
const nearby = 15_000;

/** Gives a run back to the store while only a person, a time or another run can bring it on. */
export class Parking {
  readonly #execution: Execution;
  #isSettling = false;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Park the run if it is idle, also after everything that could go on by itself has done so. */
  consider(): void {
    const execution = this.#execution;
    if (this.#isSettling || !execution.isIdle) return;
    this.#isSettling = true;
    void execution.world.clock.settle().then(() => {
      this.#isSettling = false;
      if (execution.isIdle) void execution.alone(() => this.#park());
    });
  }

  /** Resolves when the run is not being parked: what goes on by itself meanwhile would be parked with the rest. */
  over(): Promise<void> {
    return this.#execution.alone(async () => {});
  }

  async #park(): Promise<void> {
    const execution = this.#execution;
    const { tree, world, line } = execution;
    await Promise.race([execution.barrier(), execution.done]);
    if (!execution.isIdle) return;
    // Somebody resumed what this flow cannot go on with: it has to begin at the top, with whoever takes it up.
    if (execution.isAside && !tree.paused) return execution.handBack();
    const times = timesIn(tree);
    const wakeAt = times.length > 0 ? Math.min(...times) : undefined;
    if (wakeAt !== undefined && wakeAt - world.time.now() < nearby) return;
    if ((await this.#release(wakeAt)) === 'waiting') return execution.drop();
    line.hear();
    await execution.commands.apply();
    this.consider();
  }

  async #release(wakeAt: number | undefined): Promise<RunState> {
    const { writer, world, run, tree } = this.#execution;
    const { fence, head } = writer;
    let isAsked = false;
    return this.#execution.insist(async () => {
      if (!isAsked) {
        isAsked = true;
        const begun = linesBegun(tree);
        return world.store.dispatch.release({
          fence,
          head,
          begun,
          wakeAt,
        });
      }
      // The answer that was lost may have been a yes. It may also have told of a turn in line, which is told once: so
      // whoever still has the run looks for it again before parking anew.
      const row = await world.store.dispatch.get(run);
      return row?.epoch === fence.epoch && row.state === 'waiting' ? row.state : 'running';
    });
  }
}

/** What a run is to be woken for: questions that are over, or put off until then, and waits, unless it is paused. */
function timesIn(tree: RunTree): readonly number[] {
  const asked = undecidedApprovals(tree).flatMap(({ expiresAt, deferred }) => [
    expiresAt ?? [],
    deferred?.until ?? [],
  ]);
  const waits = tree.paused ? [] : [...tree.open].map((id) => tree.steps.get(id)?.until ?? []);
  return [...asked, ...waits].flat();
}
