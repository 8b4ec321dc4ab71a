import type { StepId } from '../../run/events.ts';
import { type RunTree, type Step, undecidedApprovals } from '../../run/tree.ts';
import { aborted } from '../aborted.ts';
import { waitingForPerson } from '../../run/notices.ts';
import { doubtAhead } from './doubt-ahead.ts';
import type { Execution } from '../execution.ts';
import { failureOf } from '../../run/failure.ts';
import { goneOn } from '../leaf/leaf.ts';
import { otherRuns, sendToOther, treeOfOther } from './other-runs.ts';
import type { BegunTurn } from './sent-traces.ts';
import { positionOf } from './standing.ts';

/** How long to wait before looking again whether it is our turn, should the hint get lost. */
const lookAgain = 1_000;
const code = 'WAITING_FOR_TURN';

/**
 * One turn at a time per conversation and agent. Between runs the store keeps the line, so it survives a crash; within
 * a run, branches stand in line here.
 */
export class Line {
  readonly #holders = new Map<string, StepId>();
  readonly #waiting = new Set<() => void>();
  #news = Promise.withResolvers<void>();

  /** Resolves at the next word of any line, or of what was asked there. */
  get news(): Promise<void> {
    return this.#news.promise;
  }

  /** Resolves when it is this step's turn; people see that it waits. The run may be parked meanwhile. */
  async take(execution: Execution, step: Step, name: string): Promise<void> {
    while (!(await this.#isFirst(execution, step, name))) {
      if (execution.deadlines.hasCut(step.id)) return;
      const word = this.#word(execution);
      await execution.busy(tell(execution, step));
      await execution.waiting(word);
    }
  }

  /** The next in line may build on what this turn left behind, so that must be durable first. */
  async stepAside(execution: Execution, name: string): Promise<void> {
    await execution.insist(async () => {
      await execution.barrier();
      return execution.world.store.dispatch.letGo(execution.writer.fence, name);
    });
    this.#holders.delete(name);
    this.hear();
  }

  /** Word that this run, or another branch of it, may be first somewhere. */
  hear(): void {
    for (const wake of this.#waiting) wake();
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #isFirst(execution: Execution, step: Step, name: string): Promise<boolean> {
    const holder = this.#holders.get(name) ?? underWay(execution.tree, step);
    if (holder !== undefined && holder !== step.id) return false;
    // Said before the store is asked, or a second branch would be told yes as well: to the store they are one run.
    this.#holders.set(name, step.id);
    const { dispatch } = execution.world.store;
    const isFirst = await execution.busy(execution.insist(() => dispatch.hold(execution.writer.fence, name)));
    if (!isFirst) this.#holders.delete(name);
    return isFirst;
  }

  async #word(execution: Execution): Promise<void> {
    const { world, signal } = execution;
    const heard = new AbortController();
    const wake = (): void => heard.abort(aborted);
    this.#waiting.add(wake);
    await world.clock.sleep(lookAgain, AbortSignal.any([heard.signal, signal]));
    this.#waiting.delete(wake);
    await execution.parking.over();
  }
}

/** The name of the line for an agent's turns in a conversation. */
export function lineName(conversation: string, agent: string): string {
  return `${conversation}/${agent}`;
}

/** The lines in which a turn of this run is under way, or in doubt. */
export function linesBegun({ open, steps, started }: RunTree): string[] {
  return [...open].flatMap((id) => {
    const { kind, started: isBegun, agent } = steps.get(id) ?? {};
    return kind === 'turn' && isBegun && agent !== undefined
      ? lineName(started?.conversation ?? '', agent)
      : [];
  });
}

/** A turn of the same agent that was begun here, or by an earlier worker, and is not over. */
function underWay(tree: RunTree, { id, agent }: Step): StepId | undefined {
  for (const open of tree.open) {
    const other = tree.steps.get(open);
    if (other?.kind === 'turn' && other.started && other.agent === agent && other.id !== id) return other.id;
  }
  return undefined;
}

/** What it waits for: a person, where the turn before it is in doubt, or else that turn. Each is said once. */
async function tell(execution: Execution, step: Step): Promise<void> {
  await execution.barrier();
  const doubt = await execution.insist(() => doubtAhead(execution, step));
  const isSaid = (other: string): boolean => step.notices.some((notice) => notice.code === other);
  const post = (said: string, message: string): void =>
    execution.emit({ type: 'notice.posted', step: step.id, code: said, message });
  if (doubt !== undefined) {
    if (!step.notices.some(({ message }) => message === doubt)) post(waitingForPerson, doubt);
  } else if (!isSaid(code) && !isSaid(waitingForPerson))
    post(
      code,
      `Another turn of «${step.agent ?? step.title}» is under way in this conversation; this one waits.`,
    );
}

/**
 * A turn is over: the next one may begin. Whoever waits for a person's word on a turn of the same agent is told as well,
 * since what was shown to that person is not how things stand now. Should this process die before, it is found out when
 * that turn is about to begin.
 */
export async function leaveLine(execution: Execution, step: Step, exclusive: string): Promise<void> {
  await execution.line.stepAside(execution, exclusive);
  await execution.insist(() =>
    tellWhoAsks(execution, step).catch((thrown: unknown) => unlessAway(execution, thrown)),
  );
}

/** What another run's journal is like is no reason for this one to fail. */
function unlessAway({ world, run }: Execution, thrown: unknown): void {
  const { code } = failureOf(thrown);
  if (code === 'unavailable' || code === 'timed-out') throw thrown;
  world.log.error({ run, cause: thrown }, 'Those who ask about the same agent could not be told.');
}

async function tellWhoAsks(execution: Execution, { agent = '', title }: Step): Promise<void> {
  const asking = await otherRuns(execution, { withApprovals: true });
  if (asking.length === 0) return;
  const begun = await execution.remembered.begun(agent);
  const reason = goneOn({ agent, title });
  for (const row of asking) {
    const { run } = row;
    const other = await treeOfOther(execution, row);
    for (const { approval, step: id, position } of undecidedApprovals(other)) {
      const about = other.steps.get(id);
      if (about?.agent !== agent || about.started) continue;
      if (position === positionOf(execution, without(begun, run, id))) continue;
      const command = { type: 'lapse', by: execution.run, approval, reason } as const;
      await sendToOther(execution, { id: `lapse_${approval}`, run, command });
    }
  }
}

function without(turns: readonly BegunTurn[], run: string, step: number): readonly BegunTurn[] {
  return turns.filter((turn) => turn.run !== run || turn.step !== step);
}
