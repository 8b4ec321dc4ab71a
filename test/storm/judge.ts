// What must hold of every run, whatever happened to those who worked on it.
import type { Entry } from '../../src/run/events.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import { type RunTree } from '../../src/run/tree.ts';
import { drift } from '../../src/engine/time/clock.ts';
import { entriesOf } from '../world.ts';
import type { Scene } from './scene.ts';

/** When every simulation begins. */
const dawn = 1_000_000;
/** Crashes, freezes and commands take a run up again; nothing else may. */
const mostWakes = 60;

export async function judge({ scene, trees }: { scene: Scene; trees: RunTree[] }): Promise<string[]> {
  const wrongs: string[] = scene.problems.map((problem) => `a bug: ${String(problem)}`);
  wrongs.push(...scene.sim.shared.wrongs());
  for (const [i, run] of scene.runs.entries()) {
    const tree = trees[i];
    const entries = await entriesOf(scene.sim.store, run);
    if (!tree?.ended) wrongs.push(`${run} never ended: ${await whereabouts(scene, run, entries)}`);
    wrongs.push(
      ...judgeJournal(run, entries),
      ...judgeTimes(scene, run, entries),
      ...judgeAppends(scene, run, entries),
      ...judgeDeeds(scene, run, tree),
    );
    wrongs.push(...(await judgeCommands(scene, run, entries)));
    if ((await scene.sim.store.mailbox.pending(run)).length > 0) wrongs.push(`${run} left commands unused`);
  }
  return wrongs;
}

async function whereabouts({ sim }: Scene, run: string, entries: readonly Entry[]): Promise<string> {
  const row = await sim.store.dispatch.get(run);
  return JSON.stringify({ at: sim.now, row, entries: entries.map(({ at, event }) => [at, event]) });
}

function judgeJournal(run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  entries.forEach(({ seq }, i) => seq === i + 1 || wrongs.push(`${run} has ${seq} at place ${i + 1}`));
  const ends = entries.filter(({ event }) => event.type === 'run.ended');
  if (ends.length > 1 || (ends.length === 1 && ends[0] !== entries.at(-1)))
    wrongs.push(`${run} goes on after its end`);
  const epochs = entries.flatMap(({ event }) => (event.type === 'worker.took' ? event.epoch : []));
  if (epochs.some((epoch, i) => i > 0 && epoch <= (epochs[i - 1] ?? 0)))
    wrongs.push(`${run} has epochs ${epochs.join()}`);
  for (const { message } of foldAll(entries).notices.filter(
    ({ code }) => code === 'OUT_OF_PLACE' || code === 'FLOW_DIVERGED',
  ))
    wrongs.push(`${run}: ${message}`);
  return wrongs;
}

/** No clock of a worker, however wrong, moves the times of a run, ends a question early or keeps waking the run. */
function judgeTimes({ sim }: Scene, run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  const tree = foldAll(entries);
  entries.forEach(({ at }, i) => at >= (entries[i - 1]?.at ?? 0) || wrongs.push(`${run} goes back at ${i}`));
  if ((entries.at(-1)?.at ?? 0) > sim.now + drift) wrongs.push(`${run} has times that are yet to come`);
  if (tree.spent.milliseconds > sim.now - dawn + drift)
    wrongs.push(`${run} worked for ${tree.spent.milliseconds} ms`);
  for (const { decided, expiresAt = 0 } of tree.approvals.values())
    if (decided?.decision === 'expire' && decided.at < expiresAt)
      wrongs.push(`${run} expired a question early`);
  if (tree.epoch > mostWakes) wrongs.push(`${run} was taken up ${tree.epoch} times`);
  return wrongs;
}

/** What a command became must say so, or be the end that overtook it. */
async function judgeCommands(
  { sim, sent }: Scene,
  run: string,
  entries: readonly Entry[],
): Promise<string[]> {
  const wrongs: string[] = [];
  for (const { id, command } of sent.filter((one) => one.run === run)) {
    const { used } = await sim.store.mailbox.send({ id, run, command });
    const event = used === null ? undefined : entries[used - 1]?.event;
    const isIt =
      event?.type === 'run.ended' ||
      event?.type === 'notice.posted' ||
      (event && 'command' in event && event.command === id);
    if (!isIt)
      wrongs.push(`command ${id} (${command.type}) became entry ${used}, which is ${JSON.stringify(event)}`);
  }
  return wrongs;
}

function judgeAppends({ sim }: Scene, run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  let epoch = 0;
  const appends = sim.appends.filter((append) => append.fence.run === run);
  for (const { fence, frames, process } of appends.toSorted((one, other) => one.head - other.head)) {
    if (fence.epoch < epoch) wrongs.push(`${process} wrote with epoch ${fence.epoch} after ${epoch}`);
    epoch = fence.epoch;
    for (const entry of decodeAll(frames)) {
      if (JSON.stringify(entries[entry.seq - 1]) !== JSON.stringify(entry))
        wrongs.push(`${run} lost entry ${entry.seq}`);
    }
  }
  return wrongs;
}

function judgeDeeds(scene: Scene, run: string, tree: RunTree | undefined): string[] {
  const wrongs: string[] = [];
  const counts = new Map<string, number>();
  for (const { key, what, intended, recorded } of scene.deeds.filter((deed) => deed.run === run)) {
    if (!intended) wrongs.push(`${key} was done before its intent was durable`);
    if (recorded) wrongs.push(`${key} was done after its outcome was recorded`);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const step = tree?.steps.get(Number(key.split('-')[1]));
    if (count > (what === 'once' ? 1 : (step?.attempt ?? 1)))
      wrongs.push(`${key} (${what}) was done ${count} times`);
  }
  return wrongs;
}
