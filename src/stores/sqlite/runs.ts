import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { noFacts, type Facts } from '../../run/facts.ts';
import { noSum, runSum, change, query } from './rows.ts';
import { chunkIds } from './chunks.ts';
import { damagedRow } from './damage.ts';
import { rebuilder, type Rebuild } from './rebuilt.ts';
import type { Structure } from './structure.ts';
import type { RunRow, Unfinished } from '../store.ts';
import { dueAt, type Tables, countedOpen } from '../rules/tables.ts';

/** A run as the tables have it, with the number its entries and commands are kept under, and the end of its journal. */
export type StoredRun = Omit<RunRow, 'head' | 'updatedAt' | 'facts'> & {
  readonly facts: string | null;
  readonly number: number;
  readonly loweredTitle: string;
  readonly due: number | null;
  readonly changedAt: number;
  readonly sum: string | null;
  readonly last: number | null;
  readonly at: number | null;
  readonly lastSum: string | null;
  /** Whether its last chunk is where, and of when, the end of its journal is said to be. */
  readonly isEnd: 0 | 1;
};

/** The end of a journal: where it is, and what its next chunk is chained to. */
export interface Head {
  readonly number: number;
  readonly last: number;
  readonly sum: string;
  readonly state: RunRow['state'];
}

export interface RunRows {
  readonly run: (run: string) => RunRow | undefined;
  readonly number: (run: string) => number;
  readonly head: (run: string) => Head;
  readonly addRun: (row: RunRow, key: string | undefined) => void;
  readonly changeRun: (row: RunRow, isNews?: boolean) => void;
  readonly forgetRun: (run: string) => void;
  /** The run's journal has grown, by so many bytes. */
  readonly moveHead: (
    run: string,
    head: Pick<Head, 'last' | 'sum'> & { readonly chunk: number; readonly bytes: number },
    at: number,
  ) => void;
  /** What was remembered of a transaction that did not happen is wrong. */
  readonly forgetAll: () => void;
}

export const selectRuns = `SELECT number, run.run, tenant, conversation, app, title, loweredTitle, flow, status, approvals, state,
  epoch, worker, leaseUntil, wakeAt, due, createdAt, changedAt, damaged, replaces, replacedBy, facts, run.sum, last, at,
  (SELECT sum FROM chunk WHERE id = head.chunk) AS lastSum,
  iif(last IS NULL, NOT EXISTS (${chunkIds}), EXISTS (SELECT 1 FROM chunk WHERE id = head.chunk
    AND chunk.run = number AND chunk.last = head.last AND chunk.at = head.at)) AS isEnd,
  coalesce(iif(bytes = again, bytes, (SELECT sum(octet_length(frames)) FROM chunk WHERE id IN (${chunkIds}))), 0) AS bytes
  FROM run LEFT JOIN head ON head.run = number`;

/** The same without any index of it. */
const selectUnindexed = selectRuns.replace('FROM run ', 'FROM run NOT INDEXED ');

/** Undefined where the row is not what was written: then nothing in it can be believed, not even whose it is. */
export function rowOf(stored: StoredRun): RunRow | undefined {
  const { number: _, loweredTitle, due, changedAt, sum, last, at, lastSum: __, isEnd: ___, ...row } = stored;
  const whole = { ...row, head: last ?? 0, updatedAt: Math.max(changedAt, at ?? 0) };
  const isSame = sum === runSum(row, changedAt) && loweredTitle === row.title.toLowerCase();
  if (!isSame || due !== dueAt({ ...whole, updatedAt: changedAt })) return undefined;
  return { ...whole, facts: row.facts === null ? noFacts : (JSON.parse(row.facts) as Facts) };
}

/** A run with what is damaged of it; undefined where nothing of it can be believed. */
export function shownRow(stored: StoredRun, rebuilt: Rebuild): RunRow | undefined {
  const row = rowOf(stored);
  if (!row) return rebuilt(stored);
  if (stored.isEnd) return row;
  const good = rebuilt(stored)?.damaged ?? 0;
  return { ...row, damaged: Math.min(row.damaged ?? good, good) };
}

interface Known {
  readonly number: number;
  row: { -readonly [Name in keyof RunRow]: RunRow[Name] };
  sum: string;
}

const hotRuns = 10_000;

export interface RunRowsSettings {
  /** For the only writer: it knows the runs in use by heart, so that the fence of an append costs no query. */
  readonly remember: boolean;
  /** Whether what the indexes of a table do not know is not there. */
  readonly isSound?: Structure['isSound'];
}

export function runRows(
  database: DatabaseSync,
  { remember, isSound = () => true }: RunRowsSettings,
): RunRows {
  const hot = new LRUCache<string, Known>({ max: hotRuns });
  const look = looker(database, isSound('run'));
  const find = (run: string): Known | undefined => {
    const hit = hot.get(run);
    if (hit) return hit;
    const known = look(run);
    if (!known) return undefined;
    if (remember) hot.set(run, known);
    return known;
  };
  const existing = (run: string): Known => {
    const known = find(run);
    if (!known) throw new RangeError(`rows of run ${run} were asked for without looking whether it exists`);
    return known;
  };
  const insert = inserting(database);
  const update = updating(database);
  const setHead = change(database, headSet);
  return {
    run: (run) => find(run)?.row,
    number: (run) => existing(run).number,
    head(run) {
      const { number, row, sum } = existing(run);
      return { number, last: row.head, sum, state: row.state };
    },
    addRun(row, key) {
      const number = insert(row, key);
      // What it is now need not be looked for: nothing of a new run lies among the chunks.
      if (remember && isKeptAsItIs(row)) hot.set(row.run, { number, row: { ...row }, sum: noSum });
    },
    changeRun(row, isNews = false) {
      const known = existing(row.run);
      update(row, known.row, isNews);
      known.row = { ...row };
    },
    forgetRun: (run) => void hot.delete(run),
    moveHead(run, { chunk, last, sum, bytes: more }, at) {
      const known = existing(run);
      setHead(known.number, chunk, last, at, known.row.bytes + more);
      known.sum = sum;
      // In place: a copy for each piece of text would cost more than to write it down.
      known.row.head = last;
      known.row.bytes += more;
      known.row.updatedAt = at;
    },
    forgetAll: () => hot.clear(),
  };
}

function looker(database: DatabaseSync, isSound: boolean): (run: string) => Known | undefined {
  const byName = query<StoredRun>(database, `${selectRuns} WHERE run.run = ?`);
  const byLooking = query<StoredRun>(database, `${selectUnindexed} WHERE run.run = ?`);
  const rebuilt = rebuilder(database);
  /** A damaged index leads to the row of another run, or to none; a damaged row may have another name. */
  const proven = (run: string, stored: StoredRun | undefined): RunRow | undefined =>
    stored && (stored.run === run ? shownRow(stored, rebuilt) : rebuilt({ ...stored, run }));
  return (run) => {
    let stored = byName.one(run);
    if (!stored && isSound) return undefined;
    let row = proven(run, stored);
    if (!row && !isSound) row = proven(run, (stored = byLooking.one(run)));
    if (!stored || !row) throw damagedRow(run);
    return { number: stored.number, row, sum: stored.lastSum ?? noSum };
  };
}

const headSet = `INSERT INTO head (run, chunk, last, at, bytes, again) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
  ON CONFLICT (run) DO UPDATE SET
    chunk = excluded.chunk, last = excluded.last, at = excluded.at, bytes = excluded.bytes, again = excluded.again`;

/** Half a character comes back as another one. */
function isKeptAsItIs({ run, tenant, conversation, app, title, flow }: RunRow): boolean {
  return [run, tenant, conversation, app, title, flow].every((name) => name.isWellFormed());
}

/** Gives the run's number. */
function inserting(database: DatabaseSync): (row: RunRow, key: string | undefined) => number {
  const insert = database.prepare(
    `INSERT INTO run (run, tenant, conversation, app, title, loweredTitle, flow, idempotencyKey, status, approvals, state,
      epoch, worker, leaseUntil, wakeAt, due, damaged, facts, replacedBy, replaces, createdAt, changedAt, sum,
      newest, moved)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, (SELECT count + 1 FROM commits))`,
  );
  const age = change(
    database,
    `UPDATE run SET newest = 0 WHERE number =
      (SELECT number FROM run WHERE tenant = ? AND conversation = ? ORDER BY number DESC LIMIT 1)`,
  );
  return (row, key) => {
    const { run, tenant, conversation, app, title, flow, replaces, createdAt, updatedAt } = row;
    const fixed = [run, tenant, conversation, app, title, title.toLowerCase(), flow];
    const sum = runSum(summed(row), updatedAt);
    age(tenant, conversation);
    const values = [...fixed, key ?? null, ...moving(row), replaces, createdAt, updatedAt, sum];
    return Number(insert.run(...values).lastInsertRowid);
  };
}

/** SQLite takes what a statement names out of its indexes and puts it back, changed or not: five of them for a lease. */
function updating(database: DatabaseSync): (row: RunRow, before: RunRow, isNews: boolean) => void {
  const setAll = change(
    database,
    `UPDATE run SET status = ?, approvals = ?, state = ?, epoch = ?, worker = ?, leaseUntil = ?, wakeAt = ?, due = ?,
      damaged = ?, facts = ?, replacedBy = ?, changedAt = ?, sum = ?,
      moved = iif(?, (SELECT count + 1 FROM commits), moved) WHERE run = ?`,
  );
  const setLease = change(
    database,
    'UPDATE run SET leaseUntil = ?, due = ?, changedAt = ?, sum = ? WHERE run = ?',
  );
  const setFacts = change(
    database,
    'UPDATE run SET facts = ?, changedAt = ?, sum = ?, moved = (SELECT count + 1 FROM commits) WHERE run = ?',
  );
  return (row, before, isNews) => {
    const { run, updatedAt, leaseUntil } = row;
    const sum = runSum(summed(row), updatedAt);
    const hasMoved = standingOf(row) !== standingOf(before);
    const isLease = row.facts === before.facts && !isNews;
    const isFact = leaseUntil === before.leaseUntil && dueAt(row) === dueAt(before) && isNews;
    if (!hasMoved && isLease) setLease(leaseUntil, dueAt(row), updatedAt, sum, run);
    else if (!hasMoved && isFact) setFacts(factsText(row), updatedAt, sum, run);
    else setAll(...moving(row), updatedAt, sum, isNews ? 1 : 0, run);
  };
}

/** What of a row can change. */
function moving(row: RunRow) {
  const { status, approvals, state, epoch, worker, leaseUntil, wakeAt, damaged, replacedBy } = row;
  const now = [status, approvals, state, epoch, worker, leaseUntil, wakeAt, dueAt(row), damaged];
  return [...now, factsText(row), replacedBy];
}

/** Where a run stands, but for its lease and its facts. */
function standingOf(row: RunRow): string {
  const { status, approvals, state, epoch, worker, wakeAt, damaged, replacedBy } = row;
  return JSON.stringify([status, approvals, state, epoch, worker, wakeAt, damaged, replacedBy]);
}

function summed(row: RunRow) {
  return { ...row, facts: factsText(row) };
}

function factsText({ facts }: RunRow): string | null {
  return facts === noFacts ? null : JSON.stringify(facts);
}

/** How many runs have not ended. The only writer knows it by heart: every start asks, and counting takes longer with each of them. */
export interface OpenCounts extends Pick<Tables, 'questions' | 'unfinished'> {
  /** A run was another before, or was not there; undefined where it is gone. */
  readonly moved: (before: RunRow | undefined, after: RunRow | undefined) => void;
  readonly forget: () => void;
}

export function openCounts(database: DatabaseSync, remember: boolean): OpenCounts {
  const undecided = query<{ readonly count: number }>(
    database,
    "SELECT coalesce(sum(approvals), 0) AS count FROM run INDEXED BY runWithApprovals WHERE approvals > 0 AND state <> 'ended'",
  );
  const open = query<Unfinished>(
    database,
    `SELECT coalesce(sum(state <> 'waiting'), 0) AS working, coalesce(sum(state = 'waiting'), 0) AS waiting
      FROM run INDEXED BY runUnfinished WHERE tenant = ? AND state <> 'ended'`,
  );
  const known = new Map<string, Unfinished>();
  return {
    questions: () => undecided.one()?.count ?? 0,
    unfinished(tenant) {
      const count = known.get(tenant) ?? { working: 0, waiting: 0, ...open.one(tenant) };
      if (remember) known.set(tenant, count);
      return count;
    },
    moved(before, after) {
      const { tenant = '', damaged = null } = before ?? after ?? {};
      const count = known.get(tenant);
      if (count === undefined) return;
      // What is damaged may be counted as something else than it is shown as.
      if (damaged === null) known.set(tenant, changed(count, openIn(before), openIn(after)));
      else known.delete(tenant);
    },
    forget: () => known.clear(),
  };
}

function openIn(row: RunRow | undefined): Unfinished {
  return countedOpen(row ? [row] : []);
}

function changed({ working, waiting }: Unfinished, before: Unfinished, after: Unfinished): Unfinished {
  return {
    working: working + after.working - before.working,
    waiting: waiting + after.waiting - before.waiting,
  };
}

/** How many bytes each tenant has, counted as they come and go: nobody adds up a whole folder to know it. */
export interface HeldRows {
  held(tenant: string): number;
  add(tenant: string, bytes: number): void;
  /** Write what was added: once in a transaction, however many of its operations added to it. */
  write(): void;
  /** A transaction was undone. */
  forget(): void;
}

export function heldRows(database: DatabaseSync): HeldRows {
  const one = query<{ readonly bytes: number; readonly again: number }>(
    database,
    'SELECT bytes, again FROM held WHERE tenant = ?',
  );
  const anew = query<{ readonly bytes: number }>(database, `${everything} HAVING tenant = ?`);
  const set = change(
    database,
    `INSERT INTO held (tenant, bytes, again) VALUES (?1, ?2, ?2) ON CONFLICT (tenant) DO UPDATE SET
      bytes = bytes + excluded.bytes, again = again + excluded.again`,
  );
  const added = new Map<string, number>();
  return {
    held(tenant) {
      const { bytes, again } = one.one(tenant) ?? { bytes: 0, again: 0 };
      return bytes === again ? bytes + (added.get(tenant) ?? 0) : (anew.one(tenant)?.bytes ?? 0);
    },
    add: (tenant, bytes) => void added.set(tenant, (added.get(tenant) ?? 0) + bytes),
    write() {
      for (const [tenant, bytes] of added) set(tenant, bytes);
      added.clear();
    },
    forget: () => added.clear(),
  };
}

const everything = `SELECT tenant, sum(bytes) AS bytes FROM (
  SELECT tenant, bytes FROM run JOIN head ON head.run = number
  UNION ALL SELECT tenant, octet_length(command) FROM run JOIN command ON command.run = run.number
  UNION ALL SELECT tenant, octet_length(text) FROM blob
) GROUP BY tenant`;

/** Count what a folder has that was written before anybody counted. */
export function countHeld(database: DatabaseSync): void {
  database.exec(`INSERT INTO held SELECT tenant, bytes, bytes FROM (${everything})`);
}
