import { parentPort, workerData } from 'node:worker_threads';
import { RunError, type Failure } from '../run/failure.ts';
import { perform } from './rules.ts';
import { committer, takeOver, type Committer } from './sqlite-commit.ts';
import { openForReading, openForWriting } from './sqlite-folder.ts';
import { unflatten, type FromThread, type ToThread } from './sqlite-messages.ts';
import { sqliteTables, type SqliteTables } from './sqlite-tables.ts';

interface Opened {
  readonly tables: SqliteTables;
  readonly commit: Committer;
  readonly notices: readonly string[];
  close(): void;
}

function write(folder: string): Opened {
  const opened = openForWriting(folder);
  const tables = sqliteTables(opened.database, true);
  takeOver(opened, tables);
  return { tables, commit: committer(opened, tables), notices: opened.notices, close: () => opened.close() };
}

function read(folder: string): Opened {
  const database = openForReading(folder);
  const commit = (): never => {
    throw new RunError('disabled', `The folder ${folder} was opened for reading only.`);
  };
  return { tables: sqliteTables(database, false), commit, notices: [], close: () => database.close() };
}

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'unavailable', message: `The database could not be used: ${message}.`, retryable: true };
}

function listen({ tables, commit, ...opened }: Opened): void {
  parentPort?.on('message', (message: ToThread) => {
    switch (message[0]) {
      case 'batch':
        try {
          say(['committed', commit({ now: message[1], jump: message[2] }, unflatten(message[3]))]);
        } catch (thrown) {
          say(['failed', failureOf(thrown)]);
        }
        return;
      case 'read': {
        const [, id, name, argument] = message;
        try {
          say(['result', id, perform({ tables, now: 0, hints: [] }, name, argument as never)]);
        } catch (thrown) {
          say(['unread', id, failureOf(thrown)]);
        }
        return;
      }
      case 'close':
        opened.close();
        parentPort?.close();
        return;
    }
  });
}

try {
  const { folder, mode } = workerData as { readonly folder: string; readonly mode: 'read' | 'write' };
  const opened = mode === 'write' ? write(folder) : read(folder);
  listen(opened);
  say(['opened', opened.notices]);
} catch (thrown) {
  say(['refused', failureOf(thrown)]);
}
