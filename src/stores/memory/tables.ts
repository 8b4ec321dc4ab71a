import { memoryBlobs, memoryLines } from './parts.ts';
import type { Chunk, Receipt, RunRow } from '../store.ts';
import { counted, dueAt, pageSize, pick, type Claimable, type Tables } from '../rules/tables.ts';

interface Kept {
  row: RunRow;
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
  const { blobBytes, ...blobs } = memoryBlobs();
  return {
    ...runRows(runs, kept),
    ...entryRows(kept),
    ...memoryLines(),
    ...blobs,
    held(tenant) {
      let bytes = blobBytes(tenant);
      for (const { row, commands } of runs.values()) {
        if (row.tenant !== tenant) continue;
        bytes += row.bytes;
        for (const { command } of commands.values()) bytes += Buffer.byteLength(JSON.stringify(command));
      }
      return bytes;
    },
  };
}

function runRows(
  runs: Map<string, Kept>,
  kept: (run: string) => Kept,
): Pick<
  Tables,
  'run' | 'runWithKey' | 'addRun' | 'changeRun' | 'removeRun' | 'claimable' | 'list' | 'questions' | 'count'
> {
  const unfinished = new Set<string>();
  const keys = new Map<string, string>();
  const keyOf = (tenant: string, key: string): string => JSON.stringify([tenant, key]);
  return {
    run: (run) => runs.get(run)?.row,
    runWithKey: (tenant, key) => keys.get(keyOf(tenant, key)),
    addRun(row, key) {
      runs.set(row.run, { row, key, chunks: [], commands: new Map() });
      unfinished.add(row.run);
      if (key !== undefined) keys.set(keyOf(row.tenant, key), row.run);
    },
    changeRun(row) {
      kept(row.run).row = row;
      if (row.state === 'ended') unfinished.delete(row.run);
    },
    removeRun(run) {
      const { row, key } = runs.get(run) ?? {};
      if (row && key !== undefined) keys.delete(keyOf(row.tenant, key));
      runs.delete(run);
      unfinished.delete(run);
    },
    claimable: (request) =>
      due(
        [...unfinished].map((run) => kept(run).row),
        request,
      ),
    questions: () => [...unfinished].reduce((sum, run) => sum + kept(run).row.approvals, 0),
    count: (which) =>
      counted(
        [...runs.values()].map(({ row }) => row),
        which,
      ),
    list: (filter) => pick([...runs.values()].map(({ row }) => row).reverse(), filter),
  };
}

function entryRows(
  kept: (run: string) => Kept,
): Pick<
  Tables,
  'addChunk' | 'chunksAfter' | 'command' | 'addCommand' | 'useCommand' | 'pending' | 'hasPending'
> {
  return {
    addChunk(chunk, at) {
      const run = kept(chunk.run);
      run.chunks.push(chunk);
      const bytes = run.row.bytes + Buffer.byteLength(chunk.frames);
      run.row = { ...run.row, head: chunk.last, bytes, updatedAt: at };
    },
    chunksAfter: (run, after) => page(kept(run).chunks, after),
    command: (run, id) => kept(run).commands.get(id),
    addCommand({ run, id, command }) {
      kept(run).commands.set(id, { id, command, used: null });
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

function due(rows: readonly RunRow[], { flows, now, max }: Claimable): readonly RunRow[] {
  const found: { readonly row: RunRow; readonly at: number }[] = [];
  for (const row of rows) {
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
