import { projectAll } from '../../projections/projection.ts';
import { queryTrace } from '../../projections/trace/query.ts';
import { traceProjection } from '../../projections/trace/trace.ts';
import { withPrompts } from '../../projections/trace/prompts.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { termsFor } from '../../run/facts.ts';
import { foldAll } from '../../run/fold.ts';
import type { RunTree } from '../../run/tree.ts';
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

/** Of a project so many runs are read, the newest. */
const mostRuns = 50;

/** The trace of a project, over its newest runs: those that say so in a label, or by their app. */
export async function traceOfProject(
  home: FolderReader,
  tenant: string,
  filter: TraceFilter,
): Promise<{ readonly events: readonly TraceEvent[]; readonly total: number }> {
  const traces: { readonly row: RunRow; readonly events: readonly TraceEvent[]; readonly tree: RunTree }[] =
    [];
  for (const row of (await runsOfProject(home, tenant, filter)).toReversed()) {
    const entries = await entriesOf(home, row.run);
    traces.push({ row, events: projectAll(traceProjection(row.run), entries)[1], tree: foldAll(entries) });
  }
  const { events, total } = queryTrace(
    traces.flatMap((trace) => trace.events),
    filter,
  );
  const chosen = new Set(events);
  const load = (blob: string): Promise<string | undefined> => home.blobs.get(tenant, blob);
  const told = traces.map((trace) =>
    withPrompts(
      trace.events.filter((event) => chosen.has(event)),
      trace.tree,
      load,
    ),
  );
  return { events: (await Promise.all(told)).flat(), total };
}

async function runsOfProject(
  home: FolderReader,
  tenant: string,
  { projectId, requestId }: Pick<TraceFilter, 'projectId' | 'requestId'>,
): Promise<readonly RunRow[]> {
  const request = requestId === undefined ? [] : await home.dispatch.get(requestId);
  if (request && 'run' in request) return request.tenant === tenant ? [request] : [];
  const asked = requestId === undefined ? [] : [`requestId=${requestId}`];
  const found = await Promise.all([
    ...['projectId', 'project'].map((name) =>
      home.dispatch.list({
        tenant,
        terms: termsFor({ labels: [`${name}=${projectId}`, ...asked] }),
        limit: mostRuns,
      }),
    ),
    home.dispatch.list({
      tenant,
      app: projectId,
      limit: mostRuns,
      ...(asked.length > 0 && { terms: termsFor({ labels: asked }) }),
    }),
  ]);
  const rows = new Map(found.flat().map((row) => [row.run, row]));
  return [...rows.values()].toSorted((one, other) => other.createdAt - one.createdAt).slice(0, mostRuns);
}

async function entriesOf(home: FolderReader, run: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const chunks = await goodChunks(home.journal, run, entries.at(-1)?.seq ?? 0);
    if (chunks.length === 0) return entries;
    entries.push(...chunks.flatMap(({ frames }) => decodeAll(frames)));
  }
}
