import { decodeAll } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { fold } from '../../run/fold.ts';
import { emptyTree, type RunTree } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { failureOf } from '../../run/failure.ts';
import type { Claim, Journal, Store } from '../../stores/store.ts';
import { cutOffsIn, type CutOffs } from './cut-offs.ts';
import type { Moment } from '../time/lease.ts';
import { recordedIn, type Recorded } from './recorded.ts';
import { bytesBeside } from '../record/space.ts';

export interface Claimed {
  /** When this worker asked for the run. */
  readonly claimed: Moment;
}

export interface Loaded {
  readonly tree: RunTree;
  readonly recorded: Recorded;
  readonly cutOffs: CutOffs;
  /** Whether it was created in this worker's hand, a moment ago. */
  readonly isNew?: boolean;
  /** What its journal, and what is kept beside it, takes up. */
  readonly bytes: number;
  /** What it runs, where that is known already. */
  readonly definition?: Json | undefined;
}

/** A run that has only just begun. */
export function newRun(tree: RunTree, definition?: Json): Loaded {
  const recorded = recordedIn(tree, []);
  return { tree, recorded, cutOffs: cutOffsIn([], 'started'), isNew: true, bytes: 0, definition };
}

/** A run that was claimed. A damaged one is let go: the store gives it to nobody any more, and ends it if that was asked. */
export async function loadClaimed(
  { journal, dispatch }: Pick<Store, 'journal' | 'dispatch'>,
  { fence, head, reason }: Claim,
): Promise<Loaded> {
  try {
    return await loadRun(journal, { run: fence.run, head, reason });
  } catch (thrown) {
    if (failureOf(thrown).code === 'damaged') await dispatch.release({ fence, head });
    throw thrown;
  }
}

/** A run as recorded up to `head`. */
export async function loadRun(
  journal: Pick<Journal, 'read'>,
  {
    run,
    head,
    reason = 'woken',
  }: { readonly run: string; readonly head: number; readonly reason?: Claim['reason'] },
): Promise<Loaded> {
  const tree = emptyTree();
  const entries: Entry[] = [];
  let bytes = 0;
  while (tree.seq < head) {
    const before = tree.seq;
    for (const { frames } of await journal.read(run, tree.seq)) {
      bytes += Buffer.byteLength(frames);
      for (const entry of decodeAll(frames)) {
        if (entry.seq <= tree.seq || entry.seq > head) continue;
        fold(tree, entry);
        entries.push(entry);
        bytes += bytesBeside(entry.event);
      }
    }
    if (tree.seq === before)
      throw new Error(`the journal of ${run} ends at ${before}, but its head is ${head}`);
  }
  return { tree, recorded: recordedIn(tree, entries), cutOffs: cutOffsIn(entries, reason), bytes };
}
