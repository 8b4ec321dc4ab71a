import { renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Moves when the tables change shape. What a newer version wrote is not touched. */
export const schemaVersion = 1;

/**
 * Chunks lie in the order they were committed, with an index by place: kept clustered by run, every commit would dirty a
 * page for each run in it. A run's head is the last of its chunks, so appending changes no other row.
 */
const schema = `
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
 * The file appears complete or not at all, and its version stands in the main file from the start: whether it can be
 * used is known without opening it.
 */
export function createDatabase(path: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  database.exec(
    `BEGIN; ${schema} PRAGMA user_version = ${schemaVersion}; COMMIT; PRAGMA journal_mode = WAL;`,
  );
  database.close();
  renameSync(draft, path);
}
