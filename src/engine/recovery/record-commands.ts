import { failureOf } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import { Execution } from '../execution.ts';
import { leaseLength, momentOf } from '../time/deadlines.ts';
import { linesBegun } from '../conversation/line.ts';
import { loadClaimed } from './load.ts';
import { strandedWords } from './stranded.ts';
import type { Workplace } from '../world.ts';

/**
 * Record what was asked of a run whose flow is not known here, and leave the rest to whoever has it. To stop needs no
 * flow.
 */
export async function recordCommands(world: Workplace, worker: string, { run, flow }: RunRow): Promise<void> {
  const { store, clock, time } = world;
  await time.beSure();
  const claimed = momentOf(clock);
  const request = { worker, flows: [flow], max: 1, lease: leaseLength, run };
  const [claim] = await store.dispatch.claim(request);
  if (!claim) return;
  const { fence, reason } = claim;
  const loaded = await loadClaimed(store, claim).catch((thrown: unknown) => {
    // A stop that waits for it has ended it; nothing else can be asked of it.
    if (failureOf(thrown).code !== 'damaged') throw thrown;
  });
  if (!loaded) return;
  const execution = new Execution(world, fence, { ...loaded, claimed });
  execution.emit({ type: 'worker.took', worker, epoch: fence.epoch, reason });
  await execution.look();
  if (!execution.tree.stopping && !world.catalog.isUnread) sayStranded(execution, flow);
  if (!execution.tree.stopping) return execution.alone(() => letGo(execution));
  await execution.stop();
  await execution.done;
}

/** What was asked is recorded, and nothing comes of it now: whoever asked is told why, once. */
function sayStranded(execution: Execution, flow: string): void {
  const message = strandedWords(flow);
  const { notices } = execution.tree;
  if (notices.some((notice) => notice.code === 'RUN_STRANDED' && notice.message === message)) return;
  execution.emit({ type: 'notice.posted', step: 0, code: 'RUN_STRANDED', message });
}

/** Paused, it is parked, so that it leaves the lines in which others wait behind it; to resume it wakes it. */
async function letGo(execution: Execution): Promise<void> {
  const { tree, writer, world } = execution;
  if (!tree.paused) return execution.handBack();
  await execution.barrier();
  const { fence, head } = writer;
  const state = await world.store.dispatch.release({ fence, head, begun: linesBegun(tree) });
  return state === 'waiting' ? execution.drop() : execution.handBack();
}
