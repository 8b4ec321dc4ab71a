import { DatabaseSync } from 'node:sqlite';
import { generatedUsers } from './generated-users.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    phone TEXT NOT NULL,
    city TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS users_by_name ON users (first_name COLLATE NOCASE, last_name COLLATE NOCASE);
  CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    was TEXT,
    became TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    messages TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
`;

/** The service's database, with its generated users if it is new. */
export function openDatabase(
  path: string,
  { seed, count }: { readonly seed: number; readonly count: number },
): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`);
  const isNew =
    database.prepare('SELECT 1 FROM users UNION SELECT 1 FROM changes LIMIT 1').get() === undefined;
  if (!isNew) return database;
  const insert = database.prepare(
    'INSERT INTO users (first_name, last_name, email, phone, city, role, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  database.exec('BEGIN');
  for (const { first_name, last_name, email, phone, city, role, created_at } of generatedUsers(seed, count))
    insert.run(first_name, last_name, email, phone, city, role, created_at);
  database.exec('COMMIT');
  return database;
}
