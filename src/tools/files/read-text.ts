import type { FileHandle } from 'node:fs/promises';
import { RunError } from '../../run/failure.ts';
import { isBinary } from './read-lines.ts';
import type { Root } from './root.ts';

/** A file's text; nothing if it is not text, has gone away since its name was seen, or may not be read. */
export function readText(root: Root, path: string): Promise<string | undefined> {
  return readOpened(root, path, async (handle) =>
    (await isBinary(handle)) ? undefined : handle.readFile('utf8'),
  );
}

/** What is read of a file; nothing if it has gone away since its name was seen, or may not be read. */
export async function readOpened<T>(
  root: Root,
  path: string,
  read: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const opened = await root.open(path, 'file').catch((error: unknown) => {
    if (error instanceof RunError) return undefined;
    throw error;
  });
  if (!opened) return undefined;
  try {
    return await read(opened.handle);
  } finally {
    await opened.handle.close();
  }
}
