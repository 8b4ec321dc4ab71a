import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { RunError } from '../../run/failure.ts';

/** See to it that a folder is there and can be written; what is made is for its owner alone. */
export function makeDataFolder(folder: string): void {
  try {
    make(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new RunError(
      'unavailable',
      `The data folder ${folder} cannot be written (${whyOf(cause)}): choose another, or let this user write there.`,
      { cause },
    );
  }
}

/** Step by step: Node's own recursive way never returns where nothing can be made, as in /proc. */
function make(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new Error('it is a file');
  if (dirname(folder) !== folder) make(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process that starts at the same moment may have been first.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw thrown;
  }
}

function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
