import { lstat, opendir } from 'node:fs/promises';
import { RunError } from '../../run/failure.ts';
import type { Root } from './root.ts';

export interface WalkOptions {
  readonly recursive: boolean;
  /** Names of folders that are not entered. */
  readonly ignore: readonly string[];
  readonly signal: AbortSignal;
}

/** Something in a folder. Links are named but never followed, so a walk always ends. */
export interface Found {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** When it or what is known about it last changed, in milliseconds since 1970. */
  readonly changed: number;
}

/** What a walk could not show: folders that may not be read, and names beyond what one folder may hold. */
export interface WalkGaps {
  unreadable: number;
  crowded: number;
}

const namesPerFolder = 20_000;

/** Everything below a folder, each folder's names in order, a folder before what it holds. */
export async function* walk(
  root: Root,
  start: string,
  options: WalkOptions & { readonly gaps: WalkGaps },
): AsyncGenerator<Found, undefined> {
  const { recursive, ignore, signal, gaps } = options;
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const found = await contents(root, folder, gaps).catch((error: unknown) => {
      // What was asked for must be readable; what merely lies below is passed over and counted.
      if (folder === start || !(error instanceof RunError)) throw error;
      gaps.unreadable += 1;
      return [];
    });
    const folders: string[] = [];
    for (const each of found) {
      if (each.kind === 'folder' && ignore.includes(nameOf(each.path))) continue;
      yield each;
      if (each.kind === 'folder' && recursive) folders.push(each.path);
    }
    waiting.push(...folders.toReversed());
  }
}

async function contents(root: Root, folder: string, gaps: WalkGaps): Promise<Found[]> {
  const { handle, anchor, hides } = await root.open(folder, 'folder');
  try {
    const names = (await namesIn(anchor, gaps)).filter((name) => !hides(name));
    const found: Found[] = [];
    for (const name of names) {
      const each = await look(`${anchor}/${name}`, folder === '' ? name : `${folder}/${name}`);
      if (each) found.push(each);
    }
    return found;
  } finally {
    await handle.close();
  }
}

async function namesIn(anchor: string, gaps: WalkGaps): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(anchor, { bufferSize: 256 })) {
    if (names.length === namesPerFolder) {
      gaps.crowded += 1;
      break;
    }
    names.push(name);
  }
  return names.sort();
}

async function look(at: string, path: string): Promise<Found | undefined> {
  // It may be gone since its name was read.
  const seen = await lstat(at).catch(() => undefined);
  if (!seen) return undefined;
  const kind = seen.isFile()
    ? 'file'
    : seen.isDirectory()
      ? 'folder'
      : seen.isSymbolicLink()
        ? 'link'
        : 'other';
  return { path, kind, size: seen.isFile() ? seen.size : 0, changed: seen.ctimeMs };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
