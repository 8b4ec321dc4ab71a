import { DatabaseSync } from 'node:sqlite';

const schema = `
  CREATE TABLE IF NOT EXISTS dispatches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    dispatch TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS notices (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    text TEXT NOT NULL,
    posted_at TEXT NOT NULL
  ) STRICT;
`;

/** What the operations centre itself has done: what is generated need not be kept, but this must. */
export function openRecords(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`);
  return database;
}
