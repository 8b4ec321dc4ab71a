import { projectAll } from '../../projections/projection.ts';
import { queryTrace } from '../../projections/trace/query.ts';
import { traceProjection } from '../../projections/trace/trace.ts';
import { withPrompts } from '../../projections/trace/prompts.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll } from '../../run/fold.ts';
import type { TraceEvent, TraceFilter } from '../../wire/trace.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { FolderReader, RunRow } from '../folder/home.ts';

export type { TraceEvent };

/** The trace of a run, with what each model call was sent; of a damaged one, as far as it is good. */
export async function traceOf(
  home: FolderReader,
  { run, tenant }: RunRow,
  filter: Omit<TraceFilter, 'projectId'>,
): Promise<{ readonly events: readonly TraceEvent[]; readonly total: number }> {
  const entries = await entriesOf(home, run);
  const [, all] = projectAll(traceProjection(run), entries);
  const projectId = all[0]?.projectId ?? run;
  const { events, total } = queryTrace(all, { projectId, ...filter });
  const load = (blob: string): Promise<string | undefined> => home.blobs.get(tenant, blob);
  return { events: await withPrompts(events, foldAll(entries), load), total };
}

async function entriesOf(home: FolderReader, run: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const chunks = await goodChunks(home.journal, run, entries.at(-1)?.seq ?? 0);
    if (chunks.length === 0) return entries;
    entries.push(...chunks.flatMap(({ frames }) => decodeAll(frames)));
  }
}
