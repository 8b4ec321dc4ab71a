import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, RunError } from '../../run/failure.ts';
import { commitsOf, openForReading } from './folder.ts';
import { syncFolder } from './sync.ts';
import { highWater } from '../sqlite/commit.ts';

/**
 * A copy of what a folder keeps, as it is at one moment, also while somebody writes there: SQLite copies within one
 * reading transaction. It comes with a mark of its own, so that what the copy loses later is told.
 */
export function backUpRuns(folder: string, target: string): void {
  const copy = join(target, 'vitrine.db');
  // What is there already would be taken for a part of the copy, or be written over by it.
  if (readdirSync(target).length > 0)
    throw new RunError('malformed', `${target} has something in it already: choose a folder that is empty.`);
  const draft = `${copy}.new`;
  const { database, close } = openForReading(folder);
  try {
    // Nobody else may look into it, not even while it is being made.
    closeSync(openSync(draft, 'wx', 0o600));
    database.prepare('VACUUM INTO ?').run(draft);
  } catch (cause) {
    const { code, message } = failureOf(cause);
    const why = code === 'unavailable' ? message : cause instanceof Error ? cause.message : String(cause);
    throw new RunError('unavailable', `The runs in ${folder} could not be copied to ${target} (${why}).`, {
      cause,
    });
  } finally {
    close();
  }
  chmodSync(draft, 0o600);
  sync(draft);
  renameSync(draft, copy);
  const made = openForReading(target, true);
  const commits = commitsOf(made.database);
  made.close();
  highWater(join(target, 'high-water'), commits).close();
  syncFolder(target);
}

function sync(file: string): void {
  const open = openSync(file, 'r');
  try {
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}
