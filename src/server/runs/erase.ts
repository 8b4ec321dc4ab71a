import { decodeAll } from '../../run/codec.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Dispatch, Journal, RunRow } from '../../stores/store.ts';
import { goodChunks } from './good-chunks.ts';

/** What erasing needs of whoever works on runs. */
export interface Erasing {
  readonly dispatch: Pick<Dispatch, 'list' | 'erase'>;
  readonly journal: Pick<Journal, 'read'>;
  /** Effects that are under way are told to end. */
  stop(row: RunRow): Promise<unknown>;
  /** Resolves when nobody here works on the run. */
  released(run: string): Promise<void>;
}

export interface Conversation {
  readonly tenant: string;
  readonly conversation: string;
}

/**
 * Stop the runs of a conversation and take every trace of them away. Gives how many there were. What the stop cuts off may
 * have happened, and nothing but its run would tell: then nothing is erased, and whoever asks again knows of it.
 */
export async function eraseConversation(erasing: Erasing, which: Conversation): Promise<number> {
  const rows = await runsOf(erasing.dispatch, which);
  const doubts: string[] = [];
  for (const row of rows) {
    if (row.state === 'ended') continue;
    await stopped(erasing, row);
    doubts.push(...(await cutOff(erasing, row)));
  }
  if (doubts.length > 0) throw inDoubt(doubts);
  for (const row of rows) await erasing.dispatch.erase(row.run);
  return rows.length;
}

/** What has ended meanwhile, or nobody works on, is simply erased. */
async function stopped(erasing: Erasing, row: RunRow): Promise<void> {
  try {
    await erasing.stop(row);
  } catch (thrown) {
    const { code } = failureOf(thrown);
    if (code !== 'rejected' && code !== 'unknown') throw thrown;
  }
  await erasing.released(row.run);
}

/** What a stop could not wait for, in words. */
async function cutOff({ journal }: Erasing, { run, head }: RunRow): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = head; ;) {
    const chunks = await goodChunks(journal, run, after);
    const last = chunks.at(-1)?.last;
    if (last === undefined) return found;
    for (const { event } of chunks.flatMap(({ frames }) => decodeAll(frames)))
      if (event.type === 'notice.posted' && event.code === 'IN_DOUBT') found.push(`${run}: ${event.message}`);
    after = last;
  }
}

function inDoubt(doubts: readonly string[]): RunError {
  const message = `Nothing was erased yet: what was under way was stopped, and of some of it nobody knows. ${doubts.join(' ')} See to it, then erase again.`;
  return new RunError('rejected', message);
}

const page = 200;

/** All runs of a conversation, the oldest first. */
export async function runsOf(
  dispatch: Pick<Dispatch, 'list'>,
  { tenant, conversation }: Conversation,
): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for (let after: string | undefined; ;) {
    const paging = after === undefined ? {} : { after };
    const more = await dispatch.list({ tenant, conversation, limit: page, ...paging });
    rows.push(...more);
    after = more.at(-1)?.run;
    if (more.length < page) return rows.reverse();
  }
}
