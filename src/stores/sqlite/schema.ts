import { chmodSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '../folder/sync.ts';

const tables = `
CREATE TABLE commits (count INTEGER NOT NULL);
INSERT INTO commits VALUES (0);

CREATE TABLE run (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  conversation TEXT NOT NULL,
  app TEXT NOT NULL,
  title TEXT NOT NULL,
  loweredTitle TEXT NOT NULL,
  flow TEXT NOT NULL,
  idempotencyKey TEXT,
  status TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  state TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  worker TEXT,
  leaseUntil INTEGER NOT NULL,
  wakeAt INTEGER,
  due INTEGER,
  createdAt INTEGER NOT NULL,
  changedAt INTEGER NOT NULL
);
CREATE UNIQUE INDEX runByKey ON run (tenant, idempotencyKey) WHERE idempotencyKey IS NOT NULL;
CREATE INDEX runByDue ON run (flow, due) WHERE due IS NOT NULL;
CREATE INDEX runByConversation ON run (tenant, conversation);
CREATE INDEX runUnfinished ON run (tenant) WHERE state <> 'ended';
CREATE INDEX runWithApprovals ON run (tenant) WHERE approvals > 0;

CREATE TABLE chunk (
  run INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  frames TEXT NOT NULL
);
CREATE UNIQUE INDEX chunkByPlace ON chunk (run, last);

CREATE TABLE command (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  id TEXT NOT NULL,
  command TEXT NOT NULL,
  used INTEGER,
  UNIQUE (run, id)
);
CREATE INDEX commandPending ON command (run) WHERE used IS NULL;

CREATE TABLE place (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  run TEXT NOT NULL,
  told INTEGER NOT NULL,
  UNIQUE (run, name)
);
CREATE INDEX placeInLine ON place (tenant, name, number);

CREATE TABLE blob (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  blob TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (tenant, blob)
);
CREATE TABLE blobUse (run TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (run, blob)) WITHOUT ROWID;
CREATE INDEX blobUseByBlob ON blobUse (blob);
`;

/**
 * The end of each journal stands apart: nothing else could tell that a last chunk is missing. What is counted stands there
 * twice: where the two differ it is counted anew.
 */
const checksums = `
ALTER TABLE run ADD COLUMN damaged INTEGER;
ALTER TABLE run ADD COLUMN sum TEXT;
ALTER TABLE chunk ADD COLUMN sum TEXT;
ALTER TABLE command ADD COLUMN sum TEXT;
ALTER TABLE place ADD COLUMN sum TEXT;
CREATE TABLE head (
  run INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sum TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  again INTEGER NOT NULL
);
CREATE INDEX blobByName ON blob (blob);
CREATE TABLE held (tenant TEXT PRIMARY KEY, bytes INTEGER NOT NULL, again INTEGER NOT NULL) WITHOUT ROWID;
`;

const places = `
ALTER TABLE run ADD COLUMN replaces TEXT;
ALTER TABLE run ADD COLUMN replacedBy TEXT;
`;

/** Lists are read in the order of the index: to sort all runs of a tenant takes longer with each of them. */
const lists = `
CREATE INDEX runByTenant ON run (tenant);
`;

const shared = `
CREATE TABLE shared (
  kind TEXT NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  version INTEGER NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (kind, tenant, name)
) WITHOUT ROWID;
`;

const definitionRows = `
CREATE TABLE definition (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  revision INTEGER NOT NULL,
  hash TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, name, version)
) WITHOUT ROWID;
`;

/**
 * What lists and the feed find: terms lead to runs by their numbers; `moved` is the commit of a run's last change that
 * lists show; of each conversation one run is the newest. Of a run that is gone the feed knows its name alone.
 */
const found = `
ALTER TABLE run ADD COLUMN facts TEXT;
ALTER TABLE run ADD COLUMN moved INTEGER NOT NULL DEFAULT 1;
ALTER TABLE run ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
UPDATE run SET newest = 1 WHERE number IN (SELECT max(number) FROM run GROUP BY tenant, conversation);
CREATE INDEX runByMoved ON run (tenant, moved);
CREATE INDEX runByStatus ON run (tenant, status);
CREATE INDEX runByApp ON run (tenant, app);
CREATE INDEX runByTime ON run (tenant, createdAt);
CREATE INDEX runNewest ON run (tenant) WHERE newest = 1;
CREATE TABLE erased (moved INTEGER NOT NULL, number INTEGER NOT NULL, tenant TEXT NOT NULL, run TEXT NOT NULL);
CREATE INDEX erasedByMoved ON erased (tenant, moved, number);
CREATE TABLE term (owner TEXT NOT NULL, term TEXT NOT NULL, holder INTEGER NOT NULL, PRIMARY KEY (owner, term, holder))
  WITHOUT ROWID;
CREATE TABLE termsOf (holder INTEGER PRIMARY KEY, terms TEXT NOT NULL);
`;

/**
 * Chunks lie in the order they were committed, as they did, but have ids that stay; where those of a run lie is kept for
 * all up to an id (see `chunks.ts`). The end of a journal names its last chunk, and has no more than tells it from others:
 * every append writes it anew.
 */
const logged = `
ALTER TABLE chunk RENAME TO oldChunk;
ALTER TABLE head RENAME TO oldHead;
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  frames TEXT NOT NULL,
  sum TEXT
);
CREATE TABLE chunkPlace (run INTEGER NOT NULL, last INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (run, last))
  WITHOUT ROWID;
CREATE TABLE placed (upTo INTEGER NOT NULL);
CREATE TABLE head (
  run INTEGER PRIMARY KEY,
  chunk INTEGER NOT NULL,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  again INTEGER NOT NULL
);
INSERT INTO chunk SELECT rowid, run, first, last, at, frames, sum FROM oldChunk;
INSERT INTO chunkPlace SELECT run, last, id FROM chunk ORDER BY run, last;
INSERT INTO placed SELECT coalesce(max(id), 0) FROM chunk;
INSERT INTO head SELECT oldHead.run, coalesce(chunk.id, 0), oldHead.last, oldHead.at, bytes, again FROM oldHead
  LEFT JOIN chunkPlace ON chunkPlace.run = oldHead.run AND chunkPlace.last = oldHead.last
  LEFT JOIN chunk ON chunk.id = chunkPlace.chunk AND chunk.sum = oldHead.sum;
DROP TABLE oldChunk;
DROP TABLE oldHead;
`;

/** Runs with terms that are not in the index yet (see `fresh-terms.ts`). */
const freshTerms = `
CREATE TABLE freshTerm (holder INTEGER PRIMARY KEY, owner TEXT NOT NULL);
`;

/** Whoever goes through a list goes on where a run stood that was erased meanwhile: of older ones, about where. */
const erasedPlaces = `
ALTER TABLE erased ADD COLUMN createdAt INTEGER NOT NULL DEFAULT 0;
UPDATE erased SET createdAt = coalesce(
  (SELECT createdAt FROM run WHERE run.number < erased.number ORDER BY run.number DESC LIMIT 1), 0);
CREATE INDEX erasedByRun ON erased (tenant, run);
`;

/** Of a run that streams many chunks come between two times that its part of the index is written: they stand in one row. */
const placesTogether = `
ALTER TABLE chunkPlace RENAME TO oldPlace;
CREATE TABLE chunkPlace (
  run INTEGER NOT NULL,
  last INTEGER NOT NULL,
  ends TEXT NOT NULL,
  chunks TEXT NOT NULL,
  PRIMARY KEY (run, last)
) WITHOUT ROWID;
INSERT INTO chunkPlace
  SELECT run, max(last), json_group_array(last ORDER BY last), json_group_array(chunk ORDER BY last)
  FROM (SELECT run, last, chunk, (row_number() OVER (PARTITION BY run ORDER BY last) - 1) / 64 AS part FROM oldPlace)
  GROUP BY run, part;
DROP TABLE oldPlace;
`;

/** What brings a database from each version to the next. Released steps are never edited: a new one is added. */
const steps: readonly string[] = [
  tables,
  checksums,
  places,
  lists,
  shared,
  definitionRows,
  found,
  logged,
  freshTerms,
  erasedPlaces,
  placesTogether,
];

/** Moves when the tables change shape. What a newer version wrote is not touched. */
export const schemaVersion = steps.length;

/** The version since which chunks have ids. */
export const loggedSince = steps.indexOf(logged) + 1;

/** The version since which words are cut as they are now. */
export const foldedSince = steps.indexOf(erasedPlaces) + 1;

/** The steps that bring a database of an older version to this one, or to one in between. */
export function stepsFrom(version: number, to: number = schemaVersion): string {
  return `${steps.slice(version, to).join('')} PRAGMA user_version = ${to};`;
}

/**
 * Every commit writes each page it touches whole, with two calls of the system, and what it changes of one is mostly a hundred
 * bytes: pages of half the usual size cost fewer bytes than that, and fewer calls than smaller ones. A folder of an older
 * version keeps its own. Bytes.
 */
const pageSize = 2_048;

/**
 * The file appears complete or not at all, and its version stands in the main file from the start: whether it can be
 * used is known without opening it.
 */
export function createDatabase(path: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  chmodSync(draft, 0o600);
  database.exec(`PRAGMA page_size = ${pageSize}; BEGIN; ${stepsFrom(0)} COMMIT; PRAGMA journal_mode = WAL;`);
  database.close();
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Whether the tables are what the steps make: a damaged definition would give other meanings to the same bytes. */
export function hasOwnSchema(database: DatabaseSync): boolean {
  own ??= ownDefinitions();
  return own === definitions(database);
}

let own: string | undefined;

function ownDefinitions(): string {
  const model = new DatabaseSync(':memory:');
  model.exec(stepsFrom(0));
  const made = definitions(model);
  model.close();
  return made;
}

function definitions(database: DatabaseSync): string {
  // Statistics that somebody made with ANALYZE are nobody's harm.
  const sql = `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*' ORDER BY type, name`;
  return JSON.stringify(database.prepare(sql).all());
}
