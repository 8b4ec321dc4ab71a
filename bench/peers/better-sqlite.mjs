// What the saver calls of better-sqlite3, which would have to be built: over node:sqlite, synced as better-sqlite3 is with a WAL.
import { DatabaseSync } from 'node:sqlite';

export function openDatabase(file) {
  const database = new DatabaseSync(file);
  return {
    pragma: (text) => database.exec(`PRAGMA ${text}; PRAGMA synchronous = NORMAL`),
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const bound =
        (call) =>
        (...values) =>
          statement[call](...values.map((value) => value ?? null));
      return { run: bound('run'), get: bound('get'), all: bound('all') };
    },
    transaction:
      (work) =>
      (...given) => {
        database.exec('BEGIN');
        try {
          const result = work(...given);
          database.exec('COMMIT');
          return result;
        } catch (thrown) {
          database.exec('ROLLBACK');
          throw thrown;
        }
      },
  };
}
