import { undecidedApprovals, type RunTree } from '../../run/tree.ts';
import type { RunState } from '../../stores/store.ts';
import type { Execution } from '../execution.ts';
import { linesBegun } from '../conversation/line.ts';

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
