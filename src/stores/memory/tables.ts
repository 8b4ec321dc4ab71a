import { memoryFeed, type MemoryFeed } from './feed.ts';
import { memoryLists, type Listed, type Lists } from './lists.ts';
import { memoryBlobs, memoryDefinitions, memoryLines, type Hold } from './parts.ts';
import { memoryShared } from './shared.ts';
import type { Chunk, Receipt, RunRow } from '../store.ts';
import {
  counted,
  countedFlows,
  countedOpen,
  dueAt,
  pageSize,
  placeOfRun,
  type Claimable,
  type ListPlace,
  type Tables,
} from '../rules/tables.ts';

interface Kept extends Listed {
  readonly key: string | undefined;
  readonly chunks: Chunk[];
  readonly commands: Map<string, Omit<Receipt, 'fresh'>>;
}

/** Rows in memory. They outlive the workers that use them, not the process. */
export function memoryTables(): Tables {
  const runs = new Map<string, Kept>();
  const kept = (run: string): Kept => {
    const found = runs.get(run);
    if (!found) throw new RangeError(`rows of run ${run} were asked for without looking whether it exists`);
    return found;
  };
  const held = new Map<string, number>();
  const hold: Hold = (tenant, bytes) => void held.set(tenant, (held.get(tenant) ?? 0) + bytes);
  return {
    ...runRows(runs, kept, hold),
    ...entryRows(kept, hold),
    ...memoryLines(),
    ...memoryBlobs(hold, (run) => runs.get(run)?.row.app),
    ...memoryShared(),
    ...memoryDefinitions(),
    held: (tenant) => held.get(tenant) ?? 0,
  };
}

function runRows(
  runs: Map<string, Kept>,
  kept: (run: string) => Kept,
  hold: Hold,
): Pick<
  Tables,
  'run' | 'runWithKey' | 'addRun' | 'changeRun' | 'removeRun' | 'count' | keyof FoundRows | keyof OpenRows
> {
  const lists = memoryLists();
  const feed = memoryFeed();
  const gone = new Map<string, Gone>();
  let added = 0;
  const unfinished = new Map<string, Kept>();
  const keys = new Map<string, string>();
  const keyOf = (tenant: string, key: string): string => JSON.stringify([tenant, key]);
  return {
    run: (run) => runs.get(run)?.row,
    runWithKey: (tenant, key) => keys.get(keyOf(tenant, key)),
    addRun(row, key) {
      added += 1;
      const run = keptRun(row, key, added);
      runs.set(row.run, run);
      lists.add(run);
      feed.move(row.tenant, row.run);
      unfinished.set(row.run, run);
      if (key !== undefined) keys.set(keyOf(row.tenant, key), row.run);
    },
    changeRun(row, isNews = false) {
      lists.change(kept(row.run), { ...row });
      if (isNews) feed.move(row.tenant, row.run);
      if (row.state === 'ended') unfinished.delete(row.run);
    },
    removeRun(run) {
      const removed = runs.get(run);
      if (!removed) return;
      const { row, key, commands } = removed;
      if (key !== undefined) keys.delete(keyOf(row.tenant, key));
      hold(row.tenant, -row.bytes);
      for (const { command } of commands.values()) hold(row.tenant, -sizeOf(command));
      runs.delete(run);
      gone.set(run, { tenant: row.tenant, place: placeOfRun(removed) });
      lists.remove(removed);
      feed.move(row.tenant, run);
      unfinished.delete(run);
    },
    ...openRows(unfinished),
    ...foundRows(runs, kept, { lists, feed, gone }),
  };
}

/** Where a run that was erased stood in the lists of its tenant. */
interface Gone {
  readonly tenant: string;
  readonly place: ListPlace;
}

function keptRun(row: RunRow, key: string | undefined, number: number): Kept {
  return { row: { ...row }, number, key, terms: new Set(), chunks: [], commands: new Map() };
}

function copyOf(run: Kept | undefined): RunRow | undefined {
  return run && { ...run.row };
}

type FoundRows = Pick<Tables, 'count' | 'list' | 'feed' | 'addTerms' | 'dropTerms'>;

function foundRows(
  runs: ReadonlyMap<string, Kept>,
  kept: (run: string) => Kept,
  {
    lists,
    feed,
    gone,
  }: { readonly lists: Lists; readonly feed: MemoryFeed; readonly gone: ReadonlyMap<string, Gone> },
): FoundRows {
  const placeIn = (tenant: string, run: string): ListPlace | undefined => {
    const known = runs.get(run);
    if (known) return known.row.tenant === tenant ? placeOfRun(known) : undefined;
    const left = gone.get(run);
    return left?.tenant === tenant ? left.place : undefined;
  };
  return {
    count: (which) =>
      counted(
        [...runs.values()].map(({ row }) => row),
        which,
      ),
    list({ after, ...filter }) {
      if (after === undefined) return lists.list(filter, undefined);
      const from = placeIn(filter.tenant, after);
      return from && lists.list(filter, from);
    },
    feed: (from) => feed.read(from, (run) => copyOf(runs.get(run))),
    addTerms: (run, terms) => lists.addTerms(kept(run), terms),
    dropTerms: (run) => lists.dropTerms(kept(run)),
  };
}

type OpenRows = Pick<Tables, 'claimable' | 'questions' | 'unfinished' | 'flows'>;

function openRows(unfinished: ReadonlyMap<string, Kept>): OpenRows {
  return {
    claimable: (request) => due(unfinished.values(), request),
    questions: () => unfinished.values().reduce((sum, { row }) => sum + row.approvals, 0),
    flows: () => countedFlows([...unfinished.values()].map(({ row }) => row)),
    unfinished(tenant) {
      const open: RunRow[] = [];
      for (const { row } of unfinished.values()) if (row.tenant === tenant) open.push(row);
      return countedOpen(open);
    },
  };
}

function sizeOf(command: Receipt['command']): number {
  return Buffer.byteLength(JSON.stringify(command));
}

function entryRows(
  kept: (run: string) => Kept,
  hold: Hold,
): Pick<
  Tables,
  'addChunk' | 'chunksAfter' | 'command' | 'addCommand' | 'useCommand' | 'pending' | 'hasPending'
> {
  return {
    addChunk(chunk, at) {
      const run = kept(chunk.run);
      run.chunks.push(chunk);
      const more = Buffer.byteLength(chunk.frames);
      hold(run.row.tenant, more);
      run.row.head = chunk.last;
      run.row.bytes += more;
      run.row.updatedAt = at;
    },
    chunksAfter: (run, after) => page(kept(run).chunks, after),
    command: (run, id) => kept(run).commands.get(id),
    addCommand({ run, id, command }) {
      const { commands, row } = kept(run);
      commands.set(id, { id, command, used: null });
      hold(row.tenant, sizeOf(command));
    },
    useCommand(run, id, seq) {
      const { commands } = kept(run);
      const command = commands.get(id);
      if (command) commands.set(id, { ...command, used: seq });
    },
    pending: (run) =>
      [...kept(run).commands.values()]
        .filter(({ used }) => used === null)
        .map(({ id, command }) => ({ id, run, command })),
    hasPending: (run) => [...kept(run).commands.values()].some(({ used }) => used === null),
  };
}

function due(runs: Iterable<Kept>, { flows, now, max }: Claimable): readonly RunRow[] {
  const found: { readonly row: RunRow; readonly at: number }[] = [];
  for (const { row } of runs) {
    const at = dueAt(row);
    if (at !== null && at <= now && flows.includes(row.flow)) found.push({ row, at });
  }
  found.sort((one, other) => one.at - other.at);
  return found.slice(0, max).map(({ row }) => row);
}

function page(chunks: readonly Chunk[], after: number): readonly Chunk[] {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunks[middle]?.last ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  let size = 0;
  let end = low;
  while (end < chunks.length && size < pageSize) {
    size += chunks[end]?.frames.length ?? 0;
    end += 1;
  }
  return chunks.slice(low, end);
}
