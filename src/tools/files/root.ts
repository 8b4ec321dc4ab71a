import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { RunError } from '../../run/failure.ts';
import { outOfReach, type OutOfReach } from './hard-links.ts';
import { isHidden, isNamed, isPrivateKey, type Hiding } from './hidden.ts';

/**
 * A folder nobody gets out of: not by `..`, an absolute path or a symbolic link, and not by swapping a folder for a link
 * between the check and the opening. What is hidden inside it cannot be reached either, by any name, a hard link included.
 * A hard link to a file outside cannot be told from the file itself: who may write into the folder may share a file of
 * the same disk through one.
 */
export interface Root {
  /** Opens a file or folder for reading; the caller closes it. `path` is relative to the root. */
  open(path: string, kind: 'file' | 'folder'): Promise<Opened>;
}

export interface Opened {
  readonly handle: FileHandle;
  /** For reading what lies in an opened folder, even if the folder is moved meanwhile. */
  readonly anchor: string;
  /** Whether something in an opened folder is hidden. */
  readonly hides: (name: string) => boolean;
}

interface RootSettings extends Hiding {
  /** Whether `/proc/self/fd` tells where an open file lies; without it two swaps in a row may still deceive. */
  readonly hasProc?: boolean;
}

export function rootAt(folder: string, settings: RootSettings = {}): Root {
  const { hasProc = process.platform === 'linux' } = settings;
  let reach: OutOfReach | undefined;
  return {
    async open(path, kind) {
      // Before anything is looked at: whether something hidden is there is nobody's business either.
      if (isHidden(path, settings.hidden)) throw hiddenHere(path);
      try {
        const root = await realpath(folder);
        const real = await realpath(join(root, path));
        if (!isInside(root, real)) throw outside(path);
        const { hides, closed } = await hidingIn(root, settings);
        reach ??= outOfReach([root, ...closed], hides);
        const { hidden } = settings;
        return await openReal(root, real, { path, kind, hasProc, hides, hidden, reach });
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

interface HiddenIn {
  readonly hides: (real: string) => boolean;
  /** Folders nothing of which may be seen. */
  readonly closed: readonly string[];
}

/** What is hidden, by where it really lies. A root that somebody put into a folder of ours was named. */
async function hidingIn(root: string, { hidden, away = [] }: Hiding): Promise<HiddenIn> {
  const places = await Promise.all(away.map((place) => realpath(place).catch(() => resolve(place))));
  const closed = places.filter((place) => !isInside(low(place), low(root)));
  return {
    closed,
    hides: (real) =>
      isHidden(relative(root, real), hidden) || closed.some((place) => isInside(low(place), low(real))),
  };
}

function low(path: string): string {
  return path.normalize().toLowerCase();
}

interface Opening extends Pick<Hiding, 'hidden'> {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly hasProc: boolean;
  readonly hides: (real: string) => boolean;
  readonly reach: OutOfReach;
}

async function openReal(
  root: string,
  real: string,
  { path, kind, hasProc, hides, hidden, reach }: Opening,
): Promise<Opened> {
  // Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(real, kind === 'folder' ? flags | constants.O_DIRECTORY : flags);
  try {
    const where = await whereIs(handle, real, hasProc);
    if (where === undefined || !isInside(root, where)) throw outside(path);
    if (hides(where)) throw hiddenHere(path);
    if (kind === 'file') await expectSeen(handle, { path, where: relative(root, where), hidden, reach });
    const anchor = hasProc ? `/proc/self/fd/${handle.fd}` : real;
    return { handle, anchor, hides: (name) => hides(join(where, name)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Seen extends Pick<Opening, 'path' | 'hidden' | 'reach'> {
  /** From the root on. */
  readonly where: string;
}

/** A file, no private key, and none that is hidden under another of its names. Whoever named it in the configuration means it. */
async function expectSeen(handle: FileHandle, { path, where, hidden, reach }: Seen): Promise<void> {
  const file = await handle.stat({ bigint: true });
  if (!file.isFile())
    throw new RunError('malformed', `${quoted(path)} is not a file; \`path\` must name a file.`);
  if (!isNamed(where, hidden) && isPrivateKey(await beginningOf(handle)))
    throw new RunError(
      'refused',
      `${quoted(path)} is a private key and hidden here; \`path\` must lead to something else, unless the configuration names it under «hidden».`,
    );
  if (file.nlink === 1n || isHidden(where)) return;
  const held = await reach.holds(file);
  if (held === false) return;
  const why = held === true ? 'is a hidden file' : 'may be a hidden file, of which not all can be looked at';
  throw new RunError(
    'refused',
    `${quoted(path)} has another name, and by that it ${why}; \`path\` must lead to something else.`,
  );
}

async function beginningOf(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1_024), 0, 1_024, 0);
  return buffer.toString('utf8', 0, bytesRead);
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

function hiddenHere(path: string): RunError {
  return new RunError(
    'refused',
    `${quoted(path)} is hidden here; \`path\` must lead to something else, unless the configuration names it under «hidden».`,
  );
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
