import type { Step } from '../run/tree.ts';
import type { Execution } from './execution.ts';

/** How long to wait before looking again whether it is our turn, should the hint get lost. */
const lookAgain = 1_000;

/**
 * One turn at a time per conversation and agent. Between runs the store keeps the line, so it survives a crash; within
 * a run, branches stand in line here.
 */
export class Line {
  readonly #last = new Map<string, Promise<void>>();
  readonly #leave = new Map<string, () => void>();
  readonly #waiting = new Set<() => void>();

  /** Resolves when it is this step's turn; people see that it waits. */
  async take(execution: Execution, step: Step, name: string): Promise<void> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(name, promise);
    if (before) {
      tell(execution, step);
      await before;
    }
    this.#leave.set(name, resolve);
    let isTold = before !== undefined;
    while (execution.isLive && !(await execution.world.store.dispatch.hold(execution.writer.fence, name))) {
      if (!isTold) tell(execution, step);
      isTold = true;
      await this.#word(execution);
    }
  }

  /** The next in line may build on what this turn left behind, so that must be durable first. */
  async stepAside(execution: Execution, name: string): Promise<void> {
    await execution.barrier();
    await execution.world.store.dispatch.letGo(execution.writer.fence, name);
    this.#leave.get(name)?.();
  }

  /** Word from the store that this run may be first somewhere. */
  hear(): void {
    for (const wake of this.#waiting) wake();
  }

  async #word({ world, signal }: Execution): Promise<void> {
    const heard = new AbortController();
    const wake = (): void => heard.abort();
    this.#waiting.add(wake);
    await world.clock.sleep(lookAgain, AbortSignal.any([heard.signal, signal]));
    this.#waiting.delete(wake);
  }
}

function tell(execution: Execution, step: Step): void {
  const message = `Another turn of «${step.agent ?? step.title}» is under way in this conversation; this one waits.`;
  execution.emit({ type: 'notice.posted', step: step.id, code: 'WAITING_FOR_TURN', message });
}
