import { statfsSync, statSync } from 'node:fs';
import { ownWrites, type Part } from '../sqlite/own-writes.ts';

/** Less than this on a disk is as good as nothing. Bytes. */
const leastSpace = 1 << 20;

/** What can become of a folder while somebody works in it. */
export interface FolderPlace {
  /** Why what is written there now is not kept; undefined while it is. */
  lost(): string | undefined;
  /** Why nothing more can be written there; undefined while it can. */
  full(): string | undefined;
  /** What was written there up to now, this process has written. */
  note(): void;
  close(): void;
}

/**
 * Remembers which file a path stands for. Whoever has a file open goes on writing to it after it was deleted: everything
 * would be acknowledged, and nothing of it be there when the process ends. `parts` are those that every commit changes.
 */
export function placeOfFolder(folder: string, file: string, parts: readonly Part[]): FolderPlace {
  const own = ownWrites(file, parts);
  const { dev, ino } = statSync(file, { bigint: true });
  return {
    note: () => own.note(),
    close: () => own.close(),
    lost() {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      if (found?.dev === dev && found.ino === ino)
        return own.isForeign(found) ? overwritten(folder) : undefined;
      const what = found ? 'was replaced by another' : 'was deleted or moved away';
      return `The data folder ${folder} ${what} while this process works in it: nothing that is written now would be kept. Bring it back, or start again.`;
    },
    full: () => fullDisk(folder),
  };
}

function overwritten(folder: string): string {
  return `The database in ${folder} was written over by another program while this process works in it: nothing more is written there. End this process, put a good copy of the whole folder back, and start again.`;
}

/** Why nothing more can be written in a folder; undefined while it can. */
export function fullDisk(folder: string): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= leastSpace) return undefined;
  return `The disk of the data folder ${folder} is full: make room there.`;
}
