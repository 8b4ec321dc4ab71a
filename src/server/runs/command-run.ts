import { createHash } from 'node:crypto';
import { flowId } from '../../engine/flow-id.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Command } from '../../run/commands.ts';
import type { Entry } from '../../run/events.ts';
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
  { run, flow }: RunRow,
  sent: { readonly command: Command; readonly id: string },
): Promise<Outcome> {
  const { engine, store } = context.home;
  const ask = (): Promise<Receipt> => engine.send(run, sent.command, sent.id);
  let receipt = await ask();
  const isKnown = context.home.apps.some((app) => flowId(app.flow) === flow);
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

/** A name for a command that is the same whenever the same is asked: asking twice is asking once. */
export function sameAgain(kind: string, ...parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${kind}_${digest.slice(0, 32)}`;
}
