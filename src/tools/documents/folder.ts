import { documentIndex, type Hit } from './search-index.ts';
import { readDocument } from './read-document.ts';
import { isDocument, isPdf } from './text.ts';
import type { Root } from '../files/root.ts';
import { type Found, walk } from '../files/walk.ts';
import type { ToolContext } from '../tool.ts';

export interface DocumentLimits {
  readonly files: number;
  /** Larger files are left out. */
  readonly fileBytes: number;
  /** The same for PDFs, which are mostly pictures and fonts. */
  readonly pdfBytes: number;
  /** Of all documents together. */
  readonly bytes: number;
}

/** The documents of a folder, ready to be searched. */
export interface DocumentFolder {
  /** Takes in what has changed since the last time; one call at a time. */
  refresh(context: ToolContext): Promise<FolderState>;
  search(query: string, most: number): Hit[];
}

export interface FolderState {
  readonly documents: number;
  /** Documents and folders that are there but could not be taken in. */
  readonly leftOut: number;
  /** Documents that could not be read, with why. */
  readonly unread: ReadonlyMap<string, string>;
}

export function documentFolder(
  root: Root,
  ignore: readonly string[],
  limits: DocumentLimits,
): DocumentFolder {
  const index = documentIndex();
  const versions = new Map<string, string>();
  const unread = new Map<string, string>();

  const take = async (found: Found, context: ToolContext): Promise<void> => {
    const { path } = found;
    const now = Date.now();
    const read = await readDocument(root, path, context);
    if ('why' in read) unread.set(path, read.why);
    else unread.delete(path);
    await index.put(path, 'why' in read ? '' : read.text);
    // A file may be written twice within one tick of its clock; what changed just now is looked at again next time.
    versions.set(path, now - found.changed > 100 ? versionOf(found) : 'unsettled');
  };

  return {
    search: (query, most) => index.search(query, most),
    async refresh(context) {
      const { signal } = context;
      const gaps = { unreadable: 0, crowded: 0 };
      const { wanted, rest } = await choose(
        walk(root, '', { recursive: true, ignore, signal, gaps }),
        limits,
      );
      for (const path of versions.keys()) {
        if (wanted.has(path)) continue;
        index.drop(path);
        versions.delete(path);
        unread.delete(path);
      }
      const changed = [...wanted.values()].filter((found) => versions.get(found.path) !== versionOf(found));
      for (const [i, found] of changed.entries()) {
        signal.throwIfAborted();
        if (i > 0 && i % 200 === 0) context.say(`Read ${i} of ${changed.length} documents.\n`);
        await take(found, context);
      }
      return { documents: wanted.size, leftOut: rest + gaps.unreadable + gaps.crowded, unread };
    },
  };
}

async function choose(
  found: AsyncIterable<Found>,
  limits: DocumentLimits,
): Promise<{ wanted: Map<string, Found>; rest: number }> {
  const wanted = new Map<string, Found>();
  let [bytes, rest] = [0, 0];
  for await (const each of found) {
    if (each.kind !== 'file' || !isDocument(each.path)) continue;
    const most = isPdf(each.path) ? limits.pdfBytes : limits.fileBytes;
    if (each.size > most || bytes + each.size > limits.bytes || wanted.size === limits.files) rest += 1;
    else {
      wanted.set(each.path, each);
      bytes += each.size;
    }
  }
  return { wanted, rest };
}

function versionOf({ changed, size }: Found): string {
  return `${changed}:${size}`;
}
