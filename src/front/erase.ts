import { failureOf, RunError } from '../run/failure.ts';
import type { Dispatch, Journal, RunRow } from '../stores/store.ts';
import type { Front, WorkerBeside } from './front.ts';
import { goodChunks } from './good-chunks.ts';
import { stopOf } from './same-again.ts';
import { decodeAll } from '../run/entries.ts';

/** What erasing needs of a front. */
export interface Erasing extends Pick<Front, 'command'> {
  readonly store: {
    readonly dispatch: Pick<Dispatch, 'list' | 'erase'>;
    readonly journal: Pick<Journal, 'read' | 'follow'>;
  };
  readonly worker: Pick<WorkerBeside, 'released'> | undefined;
}

/** What is to go, and who wants it gone. */
export interface Erased extends Conversation {
  readonly by: string;
}

export interface Conversation {
  readonly tenant: string;
  readonly conversation: string;
}

/**
 * Stop the runs of a conversation and take every trace of them away. Gives how many there were. What the stop cuts off may
 * have happened, and nothing but its run would tell: then nothing is erased, and whoever asks again knows of it.
 */
export async function eraseConversation(erasing: Erasing, { by, ...which }: Erased): Promise<number> {
  const { dispatch } = erasing.store;
  const rows = await runsOf(dispatch, which);
  const doubts: string[] = [];
  for (const row of rows) {
    if (row.state === 'ended') continue;
    await stopped(erasing, row, by);
    doubts.push(...(await cutOff(erasing, row)));
  }
  if (doubts.length > 0) throw inDoubt(doubts);
  for (const row of rows) await dispatch.erase(row.run);
  return rows.length;
}

/** Effects that are under way are told to end. What has ended meanwhile, or nobody works on, is simply erased. */
async function stopped({ command, store, worker }: Erasing, row: RunRow, by: string): Promise<void> {
  const stop = { type: 'stop', by, reason: 'The conversation is erased.' } as const;
  try {
    const { entry } = await command(row, { command: stop, id: stopOf(row.run) });
    if (entry) await endOf(store.journal, row.run, entry.seq);
  } catch (thrown) {
    const { code } = failureOf(thrown);
    if (code !== 'rejected' && code !== 'unknown' && code !== 'damaged') throw thrown;
  }
  await worker?.released(row.run);
}

/** Resolves when a run has ended, whoever works on it. */
async function endOf(journal: Pick<Journal, 'follow'>, run: string, after: number): Promise<void> {
  const { signal } = new AbortController();
  for await (const _ of journal.follow(run, after, signal));
}

/** What a stop could not wait for, in words. */
async function cutOff({ store: { journal } }: Erasing, { run, head }: RunRow): Promise<readonly string[]> {
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
    const more = await dispatch.list({ tenant, conversation, limit: page, after });
    rows.push(...more);
    after = more.at(-1)?.run;
    if (more.length < page) return rows.reverse();
  }
}
