import type { DatabaseSync } from 'node:sqlite';
import { failureOf } from '../../run/failure.ts';
import { blobName } from '../blob-name.ts';
import { keptChunks, chunkRows } from '../sqlite/chunks.ts';
import { indexChecks } from '../sqlite/index-check.ts';
import { openForReading } from './folder.ts';
import { rebuilder } from '../sqlite/rebuilt.ts';
import { query } from '../sqlite/rows.ts';
import { strangeShared } from '../sqlite/shared.ts';
import { rowOf, runRows, selectRuns, type StoredRun } from '../sqlite/runs.ts';
import { briefly, structureOf, tableProblems, wholeProblems } from '../sqlite/structure.ts';
import { isCorrupt, wordsOf } from '../sqlite/damage.ts';

/** What a check of a whole folder found. */
export interface Verified {
  readonly runs: number;
  readonly entries: number;
  readonly blobs: number;
  /** Runs whose journal is good only up to an entry. */
  readonly damaged: readonly { readonly run: string; readonly after: number; readonly head: number }[];
  /** Runs that the index finds otherwise than their journals say: the first of them, and how many there are. */
  readonly index: {
    readonly runs: number;
    readonly first: readonly { readonly run: string; readonly differs: readonly string[] }[];
  };
  /** What else is not as it was written. */
  readonly problems: readonly string[];
}

/** Read all that a folder keeps against its checksums. `untouched`: a copy, in which not a byte changes. */
export function verify(folder: string, untouched: boolean): Verified {
  const { database, close } = openForReading(folder, untouched);
  try {
    database.exec('BEGIN');
    const structure = [...structureOf(database).problems, ...briefly(wholeProblems(database))];
    const tables = ['chunk', 'chunkPlace', 'blob', 'shared'].flatMap((table) =>
      briefly(tableProblems(database, table)),
    );
    const blobs = strangeBlobs(database);
    const journals = readJournals(database);
    const shared = readable(() => strangeShared(database)) ?? [];
    const strange = shared.map((key) => `what is kept as «${wordsOf(key)}»`);
    const found = [...structure, ...tables, ...strange, ...blobs.problems, ...journals.problems];
    const problems = [...new Set(found)];
    return { ...journals, blobs: blobs.count, problems };
  } finally {
    close();
  }
}

/** So many runs whose index differs are named. */
const mostNamed = 20;

function readJournals(database: DatabaseSync): Omit<Verified, 'blobs'> {
  const numbers = readable(() =>
    query<{ readonly number: number }>(database, 'SELECT number FROM run').all(),
  );
  const byNumber = query<StoredRun>(database, `${selectRuns} WHERE number = ?`);
  const checkIndex = indexChecks(database);
  const first: { run: string; differs: readonly string[] }[] = [];
  let otherwise = 0;
  const rebuilt = rebuilder(database);
  const { chunksAfter } = chunkRows(runRows(database, { remember: false }), keptChunks(database, false));
  const damaged: { run: string; after: number; head: number }[] = [];
  const problems: string[] = numbers ? [] : ['The table of runs cannot be read.'];
  let entries = 0;
  for (const { number } of numbers ?? []) {
    const stored = readable(() => byNumber.one(number));
    if (!stored) {
      problems.push(`what is kept about run number ${number}`);
      continue;
    }
    const { run } = stored;
    const head = stored.last ?? 0;
    const row = rowOf(stored);
    if (!row) {
      const told = rebuilt(stored);
      if (told) damaged.push({ run, after: told.damaged ?? 0, head: told.head });
      problems.push(`what is kept about run ${run}`);
      continue;
    }
    let after = 0;
    const index = checkIndex();
    try {
      for (let chunks = chunksAfter(run, after); chunks.length > 0; chunks = chunksAfter(run, after)) {
        index.add(chunks);
        after = chunks.at(-1)?.last ?? after;
      }
      const differs =
        row.damaged === null ? (readable(() => index.differences(row, number)) ?? ['terms']) : [];
      if (differs.length > 0) otherwise += 1;
      if (differs.length > 0 && first.length < mostNamed) first.push({ run, differs });
    } catch (thrown) {
      if (failureOf(thrown).code !== 'damaged') throw thrown;
      damaged.push({ run, after, head });
    }
    entries += after;
  }
  return { runs: numbers?.length ?? 0, entries, damaged, problems, index: { runs: otherwise, first } };
}

function strangeBlobs(database: DatabaseSync): {
  readonly count: number;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  let count = 0;
  const all = query<{ readonly blob: string; readonly text: string }>(
    database,
    'SELECT blob, text FROM blob',
  );
  const isRead = readable(() => {
    for (const { blob, text } of all.each()) {
      count += 1;
      if (blobName(text) !== blob) problems.push(`the large text ${blob}`);
    }
    return true;
  });
  return { count, problems: isRead ? problems : [...problems, 'The table of large texts cannot be read.'] };
}

function readable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
    return undefined;
  }
}
