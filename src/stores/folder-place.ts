import { statfsSync, statSync } from 'node:fs';

/** Less than this on a disk is as good as nothing. Bytes. */
const leastSpace = 1 << 20;

/** What can become of a folder while somebody works in it. */
export interface FolderPlace {
  /** Why what is written there now is not kept; undefined while it is. */
  lost(): string | undefined;
  /** Why nothing more can be written there; undefined while it can. */
  full(): string | undefined;
}

/**
 * Remembers which file a path stands for. Whoever has a file open goes on writing to it after it was deleted: everything
 * would be acknowledged, and nothing of it be there when the process ends.
 */
export function placeOfFolder(folder: string, file: string): FolderPlace {
  const { dev, ino } = statSync(file);
  return {
    lost() {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.dev === dev && found.ino === ino) return undefined;
      const what = found ? 'was replaced by another' : 'was deleted or moved away';
      return `The data folder ${folder} ${what} while this process works in it: nothing that is written now would be kept. Bring it back, or start again.`;
    },
    full: () => fullDisk(folder),
  };
}

/** Why nothing more can be written in a folder; undefined while it can. */
export function fullDisk(folder: string): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= leastSpace) return undefined;
  return `The disk of the data folder ${folder} is full: make room there.`;
}
