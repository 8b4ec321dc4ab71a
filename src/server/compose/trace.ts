import { projectAll } from '../../projections/projection.ts';
import { fittingEvents, queryTrace } from '../../projections/trace/query.ts';
import { traceProjection } from '../../projections/trace/trace.ts';
import { withPrompts } from '../../projections/trace/prompts.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll, decodeAll } from '../../run/entries.ts';
import { type RunTree, filled, present } from '../../run/tree.ts';
import { TraceFilter, type TraceEvent } from '../../wire/trace.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import type { RunRow } from '../../stores/store.ts';
import type { RunQuery } from '../runs/run-filter.ts';

export type { TraceEvent };

/** What a run has recorded, and what it keeps beside that. */
interface Recorded {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly load: (blob: string) => Promise<string | undefined>;
}

/** The trace of a run, with what each model call was sent. */
export async function traceOf(
  { run, entries, load }: Recorded,
  filter: Omit<TraceFilter, 'projectId'>,
): Promise<readonly TraceEvent[]> {
  const [, all] = projectAll(traceProjection(run), entries);
  const { events } = queryTrace(all, { projectId: all[0]?.projectId ?? run, ...filter });
  return withPrompts(events, foldAll(entries), load);
}

type Runs = Pick<OpenFolder, 'dispatch' | 'journal' | 'blobs' | 'runs'>;

/**
 * The trace of a project: of those runs that say so in a label, or by their app. Runs are read from the newest on, until there
 * are more events than are wanted: `total` counts what fits in them.
 */
export async function traceOfProject(
  home: Runs,
  { tenant, hidden }: { readonly tenant: string; readonly hidden?: ReadonlySet<string> },
  filter: TraceFilter,
): Promise<{ readonly events: readonly TraceEvent[]; readonly total: number }> {
  const { limit, offset, since } = TraceFilter.parse(filter);
  const traces: { readonly events: readonly TraceEvent[]; readonly tree: RunTree }[] = [];
  let total = 0;
  for await (const { run, app, updatedAt } of runsOfProject(home, tenant, filter)) {
    if (hidden?.has(app)) continue;
    if (since !== undefined && updatedAt < Date.parse(since)) continue;
    const entries = await entriesOf(home, run);
    const events = fittingEvents(projectAll(traceProjection(run), entries)[1], filter);
    if (events.length > 0) traces.unshift({ events, tree: foldAll(entries) });
    total += events.length;
    if (total > limit + offset) break;
  }
  const { events } = queryTrace(
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

/** The newest first, each once, whatever it is found by. */
async function* runsOfProject(
  home: Runs,
  tenant: string,
  { projectId, requestId, until }: TraceFilter,
): AsyncGenerator<RunRow> {
  const request = requestId === undefined ? undefined : await home.dispatch.get(requestId);
  if (request) {
    if (request.tenant === tenant) yield request;
    return;
  }
  const asked = requestId === undefined ? [] : [`requestId=${requestId}`];
  const before = until === undefined ? {} : { until: Date.parse(until) };
  const ways = [
    { label: [`projectId=${projectId}`, ...asked] },
    { label: [`project=${projectId}`, ...asked] },
    ...(projectId.length > longestApp ? [] : [{ app: projectId, ...present({ label: filled(asked) }) }]),
  ].map((query) => newestFirst(home, tenant, { ...query, ...before }));
  const heads = await Promise.all(ways.map(async (rows) => (await rows.next()).value ?? undefined));
  const seen = new Set<string>();
  for (;;) {
    const newest = heads.filter((row) => row !== undefined).toSorted((a, b) => b.createdAt - a.createdAt)[0];
    if (!newest) return;
    if (!seen.has(newest.run)) yield newest;
    seen.add(newest.run);
    const place = heads.indexOf(newest);
    heads[place] = (await ways[place]?.next())?.value ?? undefined;
  }
}

/** No app has a longer name. */
const longestApp = 100;

/** How many runs are asked for at once. */
const page = 50;

async function* newestFirst(home: Runs, tenant: string, query: RunQuery): AsyncGenerator<RunRow, undefined> {
  for (let after: string | undefined; ;) {
    const rows = await home.runs(tenant, { ...query, limit: page, ...present({ after }) });
    yield* rows;
    after = rows.at(-1)?.run;
    if (rows.length < page || after === undefined) return undefined;
  }
}

async function entriesOf(home: Runs, run: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const chunks = await goodChunks(home.journal, run, entries.at(-1)?.seq ?? 0);
    if (chunks.length === 0) return entries;
    entries.push(...chunks.flatMap(({ frames }) => decodeAll(frames)));
  }
}
