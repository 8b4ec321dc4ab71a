import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** The files that are out of reach, by what they are and not by what they are called. */
export interface OutOfReach {
  /** Whether one of them has this file's content under another name; `unknown` where not all can be looked at. */
  holds(file: BigIntStats): Promise<boolean | 'unknown'>;
}

/** Names that are looked at, in all. */
const most = 200_000;
/** Milliseconds after which all is looked at again. A folder that was given a hidden name changes none of its files. */
const lasting = 5_000;

interface Seen {
  readonly files: ReadonlySet<string>;
  readonly isWhole: boolean;
  readonly at: number;
}

/**
 * What lies below some folders and is hidden. To look at all of it takes time, so it is done only for a file that has
 * more than one name, and again only if that file got one since: a new name is a change of the file.
 */
export function outOfReach(folders: readonly string[], hides: (path: string) => boolean): OutOfReach {
  let seen: Promise<Seen> | undefined;
  const look = (): Promise<Seen> => (seen = lookThrough(folders, hides));
  return {
    async holds(file) {
      const known = await (seen ?? look());
      const isOld = Date.now() - known.at > lasting || Number(file.ctimeMs) > known.at - 1_000;
      const { files, isWhole } = isOld ? await look() : known;
      return files.has(nameOf(file)) || (isWhole ? false : 'unknown');
    },
  };
}

async function lookThrough(folders: readonly string[], hides: (path: string) => boolean): Promise<Seen> {
  const at = Date.now();
  const files = new Set<string>();
  const waiting = [...folders];
  let names = 0;
  let isWhole = true;
  const lookInto = async (folder: string): Promise<void> => {
    const opened = await opendir(folder, { bufferSize: 256 }).catch(unlessGone);
    for await (const entry of opened ?? []) {
      names += 1;
      if (names > most) throw new RangeError('there are too many names');
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && hides(path)) {
        const file = await lstat(path, { bigint: true }).catch(unlessGone);
        if (file && file.nlink > 1n) files.add(nameOf(file));
      }
    }
  };
  for (let folder = waiting.pop(); folder !== undefined && names <= most; folder = waiting.pop())
    await lookInto(folder).catch(() => (isWhole = false));
  return { files, isWhole, at };
}

function unlessGone(thrown: unknown): undefined {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
}

function nameOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
