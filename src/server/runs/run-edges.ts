import { decodeAll } from '../../run/codec.ts';
import type { EventOf } from '../../run/events.ts';
import type { RunRow } from '../../stores/store.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { ServerContext } from '../context.ts';

type Place = Pick<RunRow, 'run' | 'head' | 'state'>;

/** How a run began, without reading what came after. */
export async function startedOf(
  { home }: ServerContext,
  { run }: Place,
): Promise<EventOf<'run.started'> | undefined> {
  const [chunk] = await goodChunks(home.journal, run, 0);
  const end = chunk?.frames.indexOf('\n\n') ?? -1;
  const [entry] = decodeAll(chunk?.frames.slice(0, end) ?? '');
  return entry?.event.type === 'run.started' ? entry.event : undefined;
}

/** How a run ended, if it has, without reading what came before. */
export async function endedOf(
  { home }: ServerContext,
  { run, head, state }: Place,
): Promise<EventOf<'run.ended'> | undefined> {
  if (state !== 'ended') return undefined;
  const frames = (await goodChunks(home.journal, run, head - 1)).at(-1)?.frames ?? '';
  const last = decodeAll(frames.slice(frames.lastIndexOf('\n\n', frames.length - 3) + 2)).at(-1);
  return last?.event.type === 'run.ended' ? last.event : undefined;
}
