import { memoryTables } from '../memory/tables.ts';
import type { BlobKey } from '../rules/needs.ts';
import type { RunRow } from '../store.ts';
import type { Tables } from '../rules/tables.ts';
import type { Change, DefinitionChange, KeptRun, RunChange, Rows, SharedSet, Wanted } from './port.ts';

export interface WorkingSet {
  readonly tables: Tables;
  /** What became of the rows, as it is to be written: each run once, what hangs on runs in the order it happened. */
  changes(): readonly Change[];
  /** All that were loaded or added. */
  runs(): readonly string[];
  /** A run as it is when the changes have been applied. */
  kept(run: string): KeptRun | undefined;
}

/**
 * The rows that were loaded, as the tables that rules know. Nothing outside changes: what they do is written down. What was
 * not wanted is not known to be missing, so whoever asks for it fails.
 */
export function workingSet(rows: Rows, wanted: Wanted): WorkingSet {
  const tables = filled(rows);
  const runs = runRows(tables, rows);
  let log: RunChange[] = [];
  const others: (SharedSet | DefinitionChange)[] = [];
  return {
    tables: {
      ...tables,
      ...answers(rows),
      ...writtenDown(tables, rows, (change) => log.push(change)),
      ...definitionsWrittenDown(tables, (change) => others.push(change)),
      ...runs.tables,
      setShared(value) {
        tables.setShared(value);
        others.push({ type: 'shared.set', value });
      },
      ...onlyWanted(tables, rows, wanted),
      removeRun(run) {
        runs.tables.removeRun(run);
        log = log.filter((change) => change.run !== run || change.type.startsWith('blob'));
      },
    },
    changes: () => [...runs.changes(), ...log, ...others],
    runs: runs.all,
    kept: runs.kept,
  };
}

function onlyWanted(
  tables: Tables,
  rows: Rows,
  { runs = [], lines = [] }: Wanted,
): Pick<Tables, 'run' | 'firstInLine'> {
  const known = new Set([...runs, ...rows.keys.map(({ run }) => run)]);
  return {
    run(run) {
      if (!known.has(run)) throw new RangeError(`run ${run} was not loaded`);
      return tables.run(run);
    },
    firstInLine(tenant, name) {
      if (!lines.some((line) => line.tenant === tenant && line.name === name))
        throw new RangeError(`line ${name} of ${tenant} was not loaded`);
      return tables.firstInLine(tenant, name);
    },
  };
}

type RunTables = Pick<Tables, 'runWithKey' | 'addRun' | 'changeRun' | 'removeRun'>;

interface RunRows {
  readonly tables: RunTables;
  readonly changes: () => readonly RunChange[];
  readonly all: () => readonly string[];
  readonly kept: (run: string) => KeptRun | undefined;
}

function runRows(tables: Tables, rows: Rows): RunRows {
  const loaded = new Map(rows.runs.map((kept) => [kept.row.run, kept]));
  const touched = new Map<string, Touch>();
  const removed = new Set<string>();
  const isChanged = (run: string): boolean => {
    const former = loaded.get(run);
    return touched.has(run) && !(former && isLeaseAlone(former.row, tables.run(run)));
  };
  /** A new run begins at the time, so that one that was erased and is created again has other versions. */
  const versionOf = (run: string): number => {
    const former = loaded.get(run);
    if (!former || touched.get(run)?.isNew) return rows.now;
    return isChanged(run) ? former.version + 1 : former.version;
  };
  const changeOf = (run: string): readonly RunChange[] => {
    const row = tables.run(run);
    const { key, isNew = false, isNews = false } = touched.get(run) ?? {};
    if (!row) return [];
    const version = versionOf(run);
    if (isNew) return [{ type: 'run.added', run, row, version, key }];
    if (isChanged(run)) return [{ type: 'run.changed', run, row, version, isNews }];
    return [{ type: 'lease.moved', run, until: row.leaseUntil }];
  };
  return {
    tables: touching(tables, rows, { touched, removed }),
    changes: () => [
      ...[...removed].map((run) => ({ type: 'run.removed', run }) as const),
      ...[...touched.keys()].flatMap(changeOf),
    ],
    all: () => [...new Set([...loaded.keys(), ...touched.keys()])],
    kept(run) {
      const row = tables.run(run);
      return row && { row, version: versionOf(run) };
    },
  };
}

interface Touch {
  readonly key?: string | undefined;
  readonly isNew: boolean;
  /** Whether it moves to the end of the feed. */
  readonly isNews: boolean;
}

interface Touched {
  readonly touched: Map<string, Touch>;
  readonly removed: Set<string>;
}

function touching(tables: Tables, rows: Rows, { touched, removed }: Touched): RunTables {
  const keys = new Map(rows.keys.map(({ tenant, key, run }) => [keyName(tenant, key), run]));
  const isLoaded = (run: string): boolean => rows.runs.some(({ row }) => row.run === run);
  return {
    runWithKey: (tenant, key) => keys.get(keyName(tenant, key)),
    addRun(row, key) {
      tables.addRun(row, key);
      touched.set(row.run, { key, isNew: true, isNews: true });
      if (key !== undefined) keys.set(keyName(row.tenant, key), row.run);
    },
    changeRun(row, isNews = false) {
      tables.changeRun(row);
      const before = touched.get(row.run) ?? { isNew: false, isNews: false };
      touched.set(row.run, { ...before, isNews: before.isNews || isNews });
    },
    removeRun(run) {
      tables.removeRun(run);
      touched.delete(run);
      for (const [key, of] of keys) if (of === run) keys.delete(key);
      if (isLoaded(run)) removed.add(run);
    },
  };
}

function filled(rows: Rows): Tables {
  const tables = memoryTables();
  for (const { row } of rows.runs) tables.addRun(row, undefined);
  for (const chunk of rows.chunks) tables.addChunk(chunk, 0);
  for (const { row } of rows.runs) tables.changeRun(row);
  for (const { run, id, command, used } of rows.commands) {
    tables.addCommand({ run, id, command });
    if (used !== null) tables.useCommand(run, id, used);
  }
  for (const place of rows.places) tables.addPlace(place);
  for (const { tenant, blob, users } of rows.blobs)
    for (const run of users) tables.addBlob({ tenant, run }, blob, '');
  for (const value of rows.shared) tables.setShared(value);
  for (const row of rows.definitions) tables.keepDefinition(row);
  return tables;
}

function keyName(tenant: string, key: string): string {
  return JSON.stringify([tenant, key]);
}

/** What only the database can count. */
function answers({
  text,
  users,
  list,
  unfinished,
  count,
  questions,
  flows,
  held,
  definitionList,
  feed,
}: Rows): Pick<
  Tables,
  | 'blob'
  | 'blobUsers'
  | 'list'
  | 'feed'
  | 'unfinished'
  | 'count'
  | 'questions'
  | 'flows'
  | 'held'
  | 'listDefinitions'
> {
  return {
    blob: () => text,
    blobUsers: () => users ?? { apps: [], owners: [] },
    list: () => list,
    feed: () => feed ?? { items: [], last: '0' },
    unfinished: () => unfinished ?? { working: 0, waiting: 0 },
    count: () => count ?? [],
    questions: () => questions ?? 0,
    flows: () => flows ?? [],
    held: () => held ?? 0,
    listDefinitions: () => definitionList ?? [],
  };
}

type Written =
  | 'addChunk'
  | 'addTerms'
  | 'dropTerms'
  | 'addCommand'
  | 'useCommand'
  | 'addPlace'
  | 'tellPlace'
  | 'removePlace'
  | 'addBlob'
  | 'useBlob'
  | 'dropBlobs';

function writtenDown(tables: Tables, rows: Rows, write: (change: RunChange) => void): Pick<Tables, Written> {
  const blobs: BlobKey[] = [...rows.blobs];
  return {
    addChunk(chunk, at) {
      tables.addChunk(chunk, at);
      write({ type: 'chunk.added', run: chunk.run, chunk, at });
    },
    addTerms(run, terms) {
      if (terms.length > 0) write({ type: 'terms.added', run, terms });
    },
    dropTerms: (run) => write({ type: 'terms.dropped', run }),
    addCommand(sent) {
      tables.addCommand(sent);
      write({ type: 'command.added', run: sent.run, sent });
    },
    useCommand(run, id, seq) {
      tables.useCommand(run, id, seq);
      write({ type: 'command.used', run, id, seq });
    },
    addPlace(place) {
      tables.addPlace(place);
      write({ type: 'place.added', run: place.run, place });
    },
    tellPlace(place) {
      tables.tellPlace(place);
      write({ type: 'place.told', run: place.run, place });
    },
    removePlace(place) {
      tables.removePlace(place);
      write({ type: 'place.removed', run: place.run, place });
    },
    addBlob({ tenant, run }, blob, text) {
      tables.addBlob({ tenant, run }, blob, text);
      blobs.push({ tenant, blob });
      write({ type: 'blob.added', run, tenant, blob, text });
    },
    useBlob({ tenant, run }, blob) {
      const isThere = tables.useBlob({ tenant, run }, blob);
      if (isThere) write({ type: 'blob.added', run, tenant, blob, text: '' });
      return isThere;
    },
    dropBlobs(run) {
      const known = blobs.filter(({ tenant, blob }) => tables.blob(tenant, blob) !== undefined);
      tables.dropBlobs(run);
      const gone = known.filter(({ tenant, blob }) => tables.blob(tenant, blob) === undefined);
      write({ type: 'blobs.dropped', run, gone: gone.map(({ tenant, blob }) => ({ tenant, blob })) });
    },
  };
}

function definitionsWrittenDown(
  tables: Tables,
  write: (change: DefinitionChange) => void,
): Pick<Tables, 'keepDefinition' | 'removeDefinition'> {
  return {
    keepDefinition(row) {
      tables.keepDefinition(row);
      write({ type: 'definition.kept', row });
    },
    removeDefinition(key) {
      tables.removeDefinition(key);
      write({ type: 'definition.removed', key });
    },
  };
}

/** A lease is renewed all the time, and says nothing about who may append. */
function isLeaseAlone(former: RunRow, row: RunRow | undefined): boolean {
  return (
    row !== undefined && JSON.stringify({ ...row, leaseUntil: former.leaseUntil }) === JSON.stringify(former)
  );
}
