import type { World } from '../engine/world.ts';
import type { Command } from '../run/commands.ts';
import type { Entry } from '../run/events.ts';
import { strandedBy } from '../engine/recovery/stranded.ts';
import { failureOf, RunError } from '../run/failure.ts';
import type { Journal, Receipt, RunRow } from '../stores/store.ts';
import type { Front, WorkerBeside } from './front.ts';
import { goodChunks, readThrough } from './good-chunks.ts';
import { flowId } from '../run/values.ts';
import { decodeAll } from '../run/entries.ts';

/**
 * How long a command may take to become an entry before the asker is told that it waits: longer than it takes to repair
 * a hint that got lost. Milliseconds.
 */
const patience = 10_000;

export interface CommandSent {
  readonly command: Command;
  readonly id: string;
}

/** What a command became: an entry, or nothing yet because nobody here can work on the run. */
export interface Outcome {
  readonly receipt: Receipt;
  readonly entry: Entry | undefined;
}

interface Parts {
  readonly world: World;
  readonly worker: WorkerBeside | undefined;
  readonly send: Front['send'];
}

/** Put a command into a run's mailbox and follow the journal to the entry it becomes. The same id again, the same outcome. */
export async function commandRun(
  { world, worker, send }: Parts,
  row: RunRow,
  { command, id }: CommandSent,
): Promise<Outcome> {
  const { journal } = world.store;
  const stranded = worker && strandedBy(world.catalog, row);
  if (stranded !== undefined && isEdit(command))
    throw new RunError('rejected', `${stranded} What shall run instead cannot be checked without it.`);
  const ask = (): Promise<Receipt> => send(row.run, command, id);
  let receipt = await ask();
  if (receipt.used === null && (await isHeard({ world, worker }, row, command))) {
    const entry = await patiently(world, (signal) => becomes(journal, { ...row, id }, signal));
    if (entry) return { receipt: { ...receipt, used: entry.seq }, entry };
    receipt = await again(receipt, ask);
  }
  if (receipt.used === null && command.type === 'stop') {
    // A run that cannot be read is ended by the store that finds it out.
    await readThrough(journal, row.run);
    receipt = await again(receipt, ask);
  }
  return {
    receipt,
    entry: receipt.used === null ? undefined : await entryAt(journal, row.run, receipt.used),
  };
}

/** What shall run instead is judged by the flow and its tools: they have to be here. */
function isEdit(command: Command): boolean {
  return command.type === 'decide' && command.decision === 'edit';
}

/** Whether anybody who is known here can make an entry of a command. */
async function isHeard(
  { world, worker }: Omit<Parts, 'send'>,
  row: RunRow,
  command: Command,
): Promise<boolean> {
  if (!worker) return world.catalog.flows.some((flow) => flowId(flow) === row.flow);
  if (await worker.takeUp(row)) return true;
  if (isEdit(command)) return false;
  await worker.record(row);
  return true;
}

/** Follow a run to the entry that a command became; undefined where it ends, or cannot be read, before that. */
async function becomes(
  journal: Pick<Journal, 'follow'>,
  { run, head, id }: Pick<RunRow, 'run' | 'head'> & { readonly id: string },
  signal: AbortSignal,
): Promise<Entry | undefined> {
  try {
    for await (const { frames } of journal.follow(run, head, signal))
      for (const entry of decodeAll(frames))
        if (entry.seq > head && 'command' in entry.event && entry.event.command === id) return entry;
  } catch (thrown) {
    if (failureOf(thrown).code !== 'damaged') throw thrown;
  }
  return undefined;
}

async function patiently<T>({ clock }: World, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const enough = new AbortController();
  void clock.sleep(patience, over.signal).then(() => enough.abort());
  try {
    return await wait(enough.signal);
  } finally {
    over.abort();
  }
}

/** Asked again with its own id, a command tells what became of it; also of a run that has ended meanwhile. */
async function again(receipt: Receipt, ask: () => Promise<Receipt>): Promise<Receipt> {
  return { ...(await ask()), fresh: receipt.fresh };
}

/** An entry of a run, as far as that is good. */
async function entryAt(journal: Pick<Journal, 'read'>, run: string, seq: number): Promise<Entry | undefined> {
  const chunks = await goodChunks(journal, run, seq - 1);
  return chunks.flatMap(({ frames }) => decodeAll(frames)).find((entry) => entry.seq === seq);
}
