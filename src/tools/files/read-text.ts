import { RunError } from '../../run/failure.ts';
import { isBinary } from './read-lines.ts';
import type { Root } from './root.ts';

/** A file's text; nothing if it is not text, has gone away since its name was seen, or may not be read. */
export async function readText(root: Root, path: string): Promise<string | undefined> {
  const opened = await root.open(path, 'file').catch((error: unknown) => {
    if (error instanceof RunError) return undefined;
    throw error;
  });
  if (!opened) return undefined;
  try {
    return (await isBinary(opened.handle)) ? undefined : await opened.handle.readFile('utf8');
  } finally {
    await opened.handle.close();
  }
}
