import { createHash } from 'node:crypto';
import { strandedBy } from '../../engine/recovery/stranded.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Command } from '../../run/commands.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Receipt, RunRow } from '../../stores/store.ts';
import { goodChunks, readThrough } from './good-chunks.ts';
import type { ServerContext } from '../context.ts';

/** How long a command may take to become an entry before the asker is told that it waits. Milliseconds. */
const patience = 10_000;
const firstPause = 2;
const longestPause = 100;

/** What a command became: an entry, or nothing yet because nobody here can work on the run. */
export interface Outcome {
  readonly receipt: Receipt;
  readonly entry: Entry | undefined;
}

/** Hand a command to a run and wait until it is used. The same id again gets the same outcome. */
export async function commandRun(
  context: ServerContext,
  row: RunRow,
  sent: { readonly command: Command; readonly id: string },
): Promise<Outcome> {
  const { engine, store, catalog } = context.home;
  const { run } = row;
  const stranded = strandedBy(catalog.flows, row);
  if (stranded !== undefined && isEdit(sent.command))
    throw new RunError('rejected', `${stranded} What shall run instead cannot be checked without it.`);
  const ask = (): Promise<Receipt> => engine.send(run, sent.command, sent.id);
  let receipt = await ask();
  if (stranded !== undefined && receipt.used === null) {
    await engine.record(row);
    receipt = await ask();
  }
  const isKnown = stranded === undefined;
  const until = context.now() + patience;
  for (let pause = firstPause; receipt.used === null && isKnown && context.now() < until; pause *= 2) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, longestPause)));
    receipt = await ask();
  }
  if (receipt.used === null && sent.command.type === 'stop') {
    await readThrough(store.journal, run);
    receipt = await ask();
  }
  if (receipt.used === null) return { receipt, entry: undefined };
  const { used } = receipt;
  const chunks = await goodChunks(store.journal, run, used - 1);
  const entry = chunks.flatMap(({ frames }) => decodeAll(frames)).find(({ seq }) => seq === used);
  return { receipt, entry };
}

export function isEdit(command: Command): boolean {
  return command.type === 'decide' && command.decision === 'edit';
}

/** A name for a command that is the same whenever the same is asked: asking twice is asking once. */
export function sameAgain(kind: string, ...parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${kind}_${digest.slice(0, 32)}`;
}
