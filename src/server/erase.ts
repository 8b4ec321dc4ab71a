import { failureOf } from '../run/failure.ts';
import type { Dispatch, RunRow } from '../stores/store.ts';

/** What erasing needs of whoever works on runs. */
export interface Erasing {
  readonly dispatch: Pick<Dispatch, 'list' | 'erase'>;
  /** Effects that are under way are told to end. */
  stop(row: RunRow): Promise<unknown>;
  /** Resolves when nobody here works on the run. */
  released(run: string): Promise<void>;
  /** Nothing is left of a run: whoever shows it forgets it. */
  forget(run: string): void;
}

export interface Conversation {
  readonly tenant: string;
  readonly conversation: string;
}

/** Stop the runs of a conversation and take every trace of them away. Gives how many there were. */
export async function eraseConversation(erasing: Erasing, which: Conversation): Promise<number> {
  const rows = await runsOf(erasing.dispatch, which);
  for (const row of rows) {
    if (row.state !== 'ended') await stopped(erasing, row);
    await erasing.dispatch.erase(row.run);
    erasing.forget(row.run);
  }
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

/** Whoever shows runs hears of those of which nothing is left. */
export interface Erasures {
  onErased(hear: (run: string) => void): void;
  readonly tellErased: (run: string) => void;
}

export function erasures(): Erasures {
  const hearing = new Set<(run: string) => void>();
  return {
    onErased: (hear) => void hearing.add(hear),
    tellErased: (run) => hearing.forEach((hear) => hear(run)),
  };
}
