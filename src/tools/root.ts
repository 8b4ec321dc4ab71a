import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RunError } from '../run/failure.ts';

/**
 * A folder nobody gets out of: not by `..`, an absolute path or a symbolic link, and not by swapping a folder for a link
 * between the check and the opening. A hard link cannot be told from the file itself: who may write into the folder may
 * share a file of the same disk through one.
 */
export interface Root {
  /** Opens a file or folder for reading; the caller closes it. `path` is relative to the root. */
  open(path: string, kind: 'file' | 'folder'): Promise<Opened>;
}

export interface Opened {
  readonly handle: FileHandle;
  /** For reading what lies in an opened folder, even if the folder is moved meanwhile. */
  readonly anchor: string;
}

/** `hasProc`: whether `/proc/self/fd` tells where an open file lies; without it two swaps in a row may still deceive. */
export function rootAt(folder: string, hasProc = process.platform === 'linux'): Root {
  return {
    async open(path, kind) {
      try {
        const root = await realpath(folder);
        const real = await realpath(join(root, path));
        if (!isInside(root, real)) throw outside(path);
        return await openReal(root, real, { path, kind, hasProc });
      } catch (error) {
        throw readable(error, path);
      }
    },
  };
}

/** The path as it is used from here on: `/` between names, nothing before them. Throws on what could lead outside. */
export function relativePath(argument: string, given: string): string {
  if (given.includes('\0'))
    throw new RunError('malformed', `\`${argument}\` must not contain a NUL character.`);
  const path = given.trim().replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:(\/|$)/i.test(path)) {
    throw new RunError('refused', `\`${argument}\` must be relative to the folder, not ${quoted(given)}.`);
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new RunError('refused', `\`${argument}\` must not contain "..".`);
  return names.join('/');
}

/** A path as it may stand in a sentence. */
export function quoted(path: string): string {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return JSON.stringify((shown === '' ? '.' : shown).toWellFormed());
}

async function openReal(
  root: string,
  real: string,
  { path, kind, hasProc }: { path: string; kind: 'file' | 'folder'; hasProc: boolean },
): Promise<Opened> {
  // Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(real, kind === 'folder' ? flags | constants.O_DIRECTORY : flags);
  try {
    const where = await whereIs(handle, real, hasProc);
    if (where === undefined || !isInside(root, where)) throw outside(path);
    if (kind === 'file' && !(await handle.stat()).isFile()) {
      throw new RunError('malformed', `${quoted(path)} is not a file; \`path\` must name a file.`);
    }
    return { handle, anchor: hasProc ? `/proc/self/fd/${handle.fd}` : real };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

// A folder on the way may have become a link after `realpath` looked, so what counts is where the opened thing lies.
async function whereIs(handle: FileHandle, real: string, hasProc: boolean): Promise<string | undefined> {
  if (hasProc) return readlink(`/proc/self/fd/${handle.fd}`);
  const [opened, named, again] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(real, { bigint: true }),
    realpath(real),
  ]);
  return opened.dev === named.dev && opened.ino === named.ino ? again : undefined;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function outside(path: string): RunError {
  return new RunError('refused', `${quoted(path)} leads out of the folder; \`path\` must stay inside.`);
}

function readable(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return new RunError('unknown', `There is no ${quoted(path)}; check \`path\`.`);
    case 'ENOTDIR':
      return new RunError('malformed', `${quoted(path)} is not a folder; check \`path\`.`);
    case 'ENAMETOOLONG':
      return new RunError('malformed', `\`path\` is too long for this machine.`);
    case 'ELOOP':
      return new RunError('refused', `${quoted(path)} is a link that cannot be followed; check \`path\`.`);
    case 'EACCES':
    case 'EPERM':
    case 'ENXIO':
      return new RunError('refused', `${quoted(path)} must not be read here; choose another \`path\`.`);
    default:
      return error;
  }
}
