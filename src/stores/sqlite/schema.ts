import { chmodSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '../folder/sync.ts';

/**
 * Chunks lie in the order they were committed, with an index by place: kept clustered by run, every commit would dirty a
 * page for each run in it.
 */
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

/** What brings a database from each version to the next. Released steps are never edited: a new one is added. */
const steps: readonly string[] = [tables, checksums, places, lists, shared];

/** Moves when the tables change shape. What a newer version wrote is not touched. */
export const schemaVersion = steps.length;

/** The steps that bring a database of an older version to this one. */
export function stepsFrom(version: number): string {
  return `${steps.slice(version).join('')} PRAGMA user_version = ${schemaVersion};`;
}

/**
 * Every commit writes each page it touches whole, and what it changes of one is mostly a hundred bytes: with pages of a
 * quarter of the usual size it writes a quarter. A folder of an older version keeps its own. Bytes.
 */
const pageSize = 1_024;

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
