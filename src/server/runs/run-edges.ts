import type { Entry, EventOf } from '../../run/events.ts';
import type { Journal, RunRow } from '../../stores/store.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import { decodeAll, framesAfter } from '../../run/entries.ts';

type Place = Pick<RunRow, 'run' | 'head' | 'state'>;

/** Whoever has journals to read. */
export interface Reading {
  readonly home: { readonly journal: Pick<Journal, 'read'> };
}

/** One entry of a run, without what stands around it; undefined where it cannot be read. */
export async function entryAt(
  { home }: Reading,
  { run, seq }: { readonly run: string; readonly seq: number },
): Promise<Entry | undefined> {
  const [chunk] = await goodChunks(home.journal, run, seq - 1);
  const frames = framesAfter(chunk?.frames ?? '', seq - 1);
  const [entry] = decodeAll(frames.slice(0, frames.indexOf('\n\n')));
  return entry;
}

/** How a run began, without reading what came after. */
export async function startedOf(
  context: Reading,
  { run }: Place,
): Promise<EventOf<'run.started'> | undefined> {
  const entry = await entryAt(context, { run, seq: 1 });
  return entry?.event.type === 'run.started' ? entry.event : undefined;
}

/** How a run ended, if it has, without reading what came before. */
export async function endedOf(
  context: Reading,
  { run, head, state }: Place,
): Promise<EventOf<'run.ended'> | undefined> {
  const last = state === 'ended' ? await entryAt(context, { run, seq: head }) : undefined;
  return last?.event.type === 'run.ended' ? last.event : undefined;
}
