import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Replace a file as a whole, readable for its owner alone. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.draft`;
  rmSync(draft, { force: true });
  const open = openSync(draft, 'wx', 0o600);
  try {
    writeSync(open, text);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
  renameSync(draft, file);
}
