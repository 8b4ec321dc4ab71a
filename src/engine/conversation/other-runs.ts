import type { Command } from '../../run/commands.ts';
import { failureOf } from '../../run/failure.ts';
import { emptyTree, type RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Execution } from '../execution.ts';
import { loadRun } from '../recovery/load.ts';

/** The other runs of a run's conversation that wait for a person, or that have not ended. */
export async function otherRuns(
  { world, tree, run: own }: Execution,
  which: { readonly withApprovals: true } | { readonly unfinished: true },
): Promise<readonly RunRow[]> {
  if (!tree.started) return [];
  const { tenant, conversation } = tree.started;
  const rows = await world.store.dispatch.list({ tenant, conversation, ...which });
  return rows.filter(({ run }) => run !== own);
}

/** Another run as it stands. What its journal is like is no reason for this one to fail. */
export async function treeOfOther({ world, run }: Execution, row: RunRow): Promise<RunTree> {
  try {
    return (await loadRun(world.store.journal, row)).tree;
  } catch (thrown) {
    const { code } = failureOf(thrown);
    if (code === 'unavailable' || code === 'timed-out') throw thrown;
    world.log.error({ run, cause: thrown }, `Run ${row.run} of the same conversation cannot be read.`);
    return emptyTree();
  }
}

/** Send another run a command. One that has ended, or was erased, needs none. */
export async function sendToOther(
  { world }: Execution,
  sent: { readonly id: string; readonly run: string; readonly command: Command },
): Promise<void> {
  await world.store.mailbox.send(sent).catch((thrown: unknown) => {
    const { code } = failureOf(thrown);
    if (code !== 'rejected' && code !== 'unknown') throw thrown;
  });
}
