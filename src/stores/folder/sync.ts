import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was made or renamed in a folder is there after a power failure only if the folder itself is synced. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const open = openSync(folder, 'r');
  try {
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}
