import { LRUCache } from 'lru-cache';
import type { DatabaseSync } from 'node:sqlite';
import { keptChunks, type KeptChunks, chunkRows, commandRows } from './chunks.ts';
import { definitionRows } from './definitions.ts';
import { blobRows, lineRows, change, query } from './rows.ts';
import {
  heldRows,
  type HeldRows,
  runRows,
  type RunRows,
  type RunRowsSettings,
  openCounts,
  type OpenCounts,
} from './runs.ts';
import { runSearch } from './search.ts';
import { sharedRows } from './shared.ts';
import type { RunRow } from '../store.ts';
import type { Tables } from '../rules/tables.ts';

export interface SqliteTables extends Tables {
  /** What is written once for a whole transaction: before each commit. */
  finish(): void;
  /** A transaction was undone: what is remembered of it must go too. */
  forget(): void;
}

/** The rows of a store in SQLite. Only the writer may remember them: anyone else would miss its changes. */
export function sqliteTables(database: DatabaseSync, settings: RunRowsSettings): SqliteTables {
  const runs = runRows(database, settings);
  const held = heldRows(database);
  const kept = keptChunks(database, settings.remember);
  const chunks = chunkRows(runs, kept);
  const { isSound = () => true } = settings;
  const commands = commandRows(database, runs, isSound('command'));
  const add = (run: string, bytes: number): void => held.add(runs.run(run)?.tenant ?? '', bytes);
  const terms = termRows(database);
  const removal = runRemoval(database, { held, terms, kept });
  const counted = countedRuns(runs, openCounts(database, settings.remember), removal);
  return {
    ...counted,
    ...runSearch(database, terms, isSound('run')),
    ...termTables(terms, runs),
    ...chunks,
    ...commands,
    addChunk(chunk, at) {
      chunks.addChunk(chunk, at);
      add(chunk.run, Buffer.byteLength(chunk.frames));
    },
    addCommand(sent) {
      commands.addCommand(sent);
      add(sent.run, Buffer.byteLength(JSON.stringify(sent.command)));
    },
    held: (tenant) => held.held(tenant),
    ...lineRows(database),
    ...blobRows(database, held),
    ...sharedRows(database),
    ...definitionRows(database),
    finish: () => held.write(),
    forget() {
      counted.forget();
      kept.forget();
      terms.forget();
      held.forget();
    },
  };
}

/** Runs as they come, change and go; those that have not ended are counted along. */
function countedRuns(
  runs: RunRows,
  { moved, forget, ...counts }: OpenCounts,
  removed: (row: RunRow, number: number) => void,
): Pick<SqliteTables, 'run' | 'addRun' | 'changeRun' | 'removeRun' | 'questions' | 'unfinished' | 'forget'> {
  return {
    ...counts,
    run: runs.run,
    addRun(row, key) {
      runs.addRun(row, key);
      moved(undefined, row);
    },
    changeRun(row, isNews) {
      moved(runs.run(row.run), row);
      runs.changeRun(row, isNews);
    },
    removeRun(run) {
      const row = runs.run(run);
      if (!row) return;
      removed(row, runs.number(run));
      moved(row, undefined);
      runs.forgetRun(run);
    },
    forget() {
      runs.forgetAll();
      forget();
    },
  };
}

interface Counted {
  readonly held: HeldRows;
  readonly terms: TermRows;
  readonly kept: KeptChunks;
}

/** All of it goes, the feed knows that it has gone, and the conversation's newest run is the one before. */
function runRemoval(
  database: DatabaseSync,
  { held, terms, kept }: Counted,
): (row: RunRow, number: number) => void {
  const commandBytes = query<{ readonly bytes: number }>(
    database,
    'SELECT coalesce(sum(octet_length(command)), 0) AS bytes FROM command WHERE run = ?',
  );
  const tables = ['command', 'head'];
  const removals = tables.map((table) => change(database, `DELETE FROM ${table} WHERE run = ?`));
  const remove = change(database, 'DELETE FROM run WHERE number = ?');
  const tell = change(
    database,
    `INSERT INTO erased (moved, number, tenant, run, createdAt)
      VALUES ((SELECT count + 1 FROM commits), ?, ?, ?, ?)`,
  );
  const renew = change(
    database,
    `UPDATE run SET newest = 1 WHERE number =
      (SELECT number FROM run WHERE tenant = ? AND conversation = ? ORDER BY number DESC LIMIT 1)`,
  );
  return ({ run, tenant, conversation, bytes, createdAt }, number) => {
    held.add(tenant, -bytes - (commandBytes.one(number)?.bytes ?? 0));
    kept.remove(number);
    for (const empty of removals) empty(number);
    terms.drop(tenant, number);
    remove(number);
    tell(number, tenant, run, createdAt);
    renew(tenant, conversation);
  };
}

function termTables(terms: TermRows, { run, number }: RunRows): Pick<Tables, 'addTerms' | 'dropTerms'> {
  const tenantOf = (name: string): string => run(name)?.tenant ?? '';
  return {
    addTerms: (name, more) => terms.add(tenantOf(name), number(name), more),
    dropTerms: (name) => terms.drop(tenantOf(name), number(name)),
  };
}

/** What runs are found by. */
export interface TermRows {
  add(tenant: string, number: number, terms: readonly string[]): void;
  drop(tenant: string, number: number): void;
  /** All terms of a run, by its number. */
  of(number: number): readonly string[];
  readonly ofRun: (run: string) => ReadonlySet<string>;
  /** About how many runs a term finds, counted up to a limit. */
  count(tenant: string, term: string): number;
  /** A transaction was undone. */
  forget(): void;
}

/** Of so many runs the terms are known by heart, a few thousand characters each. */
const mostByHeart = 200;

/** More than so many are as many as all: counting is to cost no more than finding. */
const mostCounted = 2_000;

/**
 * Each term leads to its runs in the order of their numbers. What a run has stands once more in one row, by which its terms
 * are found again when it is erased: an index for that alone would double what every run writes.
 */
export function termRows(database: DatabaseSync): TermRows {
  const fresh = freshTerms(database);
  const note = change(
    database,
    `INSERT INTO termsOf (holder, terms) VALUES (?1, ?2)
      ON CONFLICT (holder) DO UPDATE SET terms = terms || '${separator}' || excluded.terms`,
  );
  const noted = query<{ readonly terms: string }>(database, 'SELECT terms FROM termsOf WHERE holder = ?');
  const numbers = query<{ readonly number: number }>(database, 'SELECT number FROM run WHERE run = ?');
  const remove = change(database, 'DELETE FROM term WHERE owner = ? AND term = ? AND holder = ?');
  const forget = change(database, 'DELETE FROM termsOf WHERE holder = ?');
  const counted = query<{ readonly count: number }>(
    database,
    `SELECT count(*) AS count FROM (SELECT 1 FROM term WHERE owner = ? AND term = ? LIMIT ${mostCounted})`,
  );
  const of = (number: number): readonly string[] => noted.one(number)?.terms.split(separator) ?? [];
  // A run brings words several times before it ends, and who adds them is the only writer.
  const byHeart = new LRUCache<number, Set<string>>({ max: mostByHeart });
  return {
    add(tenant, number, terms) {
      const known = byHeart.get(number) ?? new Set(of(number));
      byHeart.set(number, known);
      const added = terms.filter((term) => known.size < known.add(term).size);
      if (added.length === 0) return;
      note(number, added.join(separator));
      fresh.note(tenant, number);
    },
    drop(tenant, number) {
      for (const term of of(number)) remove(tenant, term, number);
      forget(number);
      byHeart.delete(number);
      fresh.drop(number);
    },
    of,
    ofRun: (run) => new Set(of(numbers.one(run)?.number ?? 0)),
    count: (tenant, term) => counted.one(tenant, term)?.count ?? 0,
    forget() {
      byHeart.clear();
      fresh.forget();
    },
  };
}

/** No term has one in it. */
export const separator = '\n';

/** Runs that have terms which are not in the index yet. */
export interface FreshTerms {
  note(owner: string, holder: number): void;
  drop(holder: number): void;
  /** A transaction was undone. */
  forget(): void;
}

/** So many runs come before their terms are put into the index: by then most of its pages are written for several of them. */
const placedTogether = 64;
/** Terms that are put there at once. Whoever waits for the commit waits for them, and a run has about two hundred. */
const atOnce = 300;

interface Posting {
  readonly owner: string;
  readonly term: string;
  readonly holder: number;
}

interface Fresh {
  readonly holder: number;
  readonly owner: string;
  readonly terms: string;
}

/** What is being put into the index, in its order, and what of it is left. */
interface Pass {
  /** Those that got no more since it began. */
  readonly runs: Set<number>;
  left: readonly Posting[];
}

/**
 * The words of a run lie all over the index, so that each would cost a page of its own when the run ends. Those of many runs are
 * put there together, a part with each commit that brings more. Until then they are found in what is kept of their run.
 */
export function freshTerms(database: DatabaseSync): FreshTerms {
  const all = query<Fresh>(
    database,
    'SELECT holder, owner, terms FROM freshTerm CROSS JOIN termsOf USING (holder) ORDER BY holder',
  );
  const holders = query<{ readonly holder: number }>(database, 'SELECT holder FROM freshTerm');
  const insert = change(database, 'INSERT OR IGNORE INTO freshTerm (holder, owner) VALUES (?, ?)');
  const place = change(database, 'INSERT OR IGNORE INTO term (owner, term, holder) VALUES (?, ?, ?)');
  const remove = change(database, 'DELETE FROM freshTerm WHERE holder = ?');
  // The only writer knows them by heart: a run brings words several times before it ends.
  let known: Set<number> | undefined;
  const fresh = (): Set<number> => (known ??= new Set(holders.all().map(({ holder }) => holder)));
  let pass: Pass | undefined;
  const goOn = (under: Pass): void => {
    for (const { owner, term, holder } of under.left.slice(0, atOnce)) place(owner, term, holder);
    under.left = under.left.slice(atOnce);
    if (under.left.length > 0) return;
    // A run that got more meanwhile comes again with the next ones.
    for (const holder of under.runs) forgetHolder(holder);
    pass = undefined;
  };
  const forgetHolder = (holder: number): void => {
    remove(holder);
    fresh().delete(holder);
  };
  return {
    note(owner, holder) {
      if (!fresh().has(holder)) insert(holder, owner);
      fresh().add(holder);
      pass?.runs.delete(holder);
      if (!pass && fresh().size >= placedTogether) {
        const runs = all.all();
        pass = { runs: new Set(runs.map((run) => run.holder)), left: postingsOf(runs) };
      }
      if (pass) goOn(pass);
    },
    drop(holder) {
      forgetHolder(holder);
      pass?.runs.delete(holder);
      if (pass) pass.left = pass.left.filter((posting) => posting.holder !== holder);
    },
    forget() {
      pass = undefined;
      known = undefined;
    },
  };
}

function postingsOf(runs: readonly Fresh[]): readonly Posting[] {
  // By term: there are far fewer of them than postings to be sorted.
  const places = new Map<string, Posting[]>();
  for (const { owner, holder, terms } of runs)
    for (const term of terms.split(separator)) {
      const place = `${owner}${separator}${term}`;
      const others = places.get(place);
      if (others) others.push({ owner, term, holder });
      else places.set(place, [{ owner, term, holder }]);
    }
  return [...places.keys()].toSorted().flatMap((place) => places.get(place) ?? []);
}
