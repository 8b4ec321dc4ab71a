import { failureOf } from '../../run/failure.ts';
import { undecidedApprovals, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import type { Leaf } from '../leaf/leaf.ts';
import { otherRuns, sendToOther, treeOfOther } from './other-runs.ts';
import { goneOn } from '../leaf/permit.ts';
import type { BegunTurn } from './traces.ts';
import { positionOf } from './standing.ts';

/**
 * A turn is over: the next one may begin. Whoever waits for a person's word on a turn of the same agent is told as well,
 * since what was shown to that person is not how things stand now. Should this process die before, it is found out when
 * that turn is about to begin.
 */
export async function leaveLine(execution: Execution, step: Step, { exclusive }: Leaf): Promise<void> {
  if (exclusive === undefined) return;
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
