import { LRUCache } from 'lru-cache';
import type { Item } from '../../run/values.ts';
import type { ToolContext } from '../tool.ts';
import { itemsOf, passageOf, type Passage } from './passages.ts';
import { readSent } from './read-document.ts';
import { documentIndex, type DocumentIndex } from './search-index.ts';

/** Documents that somebody sent, each shelf for itself. What is not asked for in a while is forgotten, and can be put again. */
export interface DocumentShelves {
  /** Read a document and find it from now on; why it cannot be, where that is so. */
  put(shelf: string, document: SentDocument, reading: Reading): Promise<string | undefined>;
  has(shelf: string, file: string): boolean;
  drop(shelf: string): void;
  search(shelf: string, query: string, most: number): FoundPassages;
}

export interface SentDocument {
  readonly file: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** For whom it is read: those who read much wait for others. */
export interface Reading {
  readonly tenant: string;
  readonly signal: AbortSignal;
}

export interface FoundPassages {
  readonly passages: readonly Passage[];
  /** The same, to be cited. */
  readonly items: readonly Item[];
}

interface Shelf {
  readonly index: DocumentIndex;
  readonly files: Set<string>;
}

/** Indexes of conversations that are kept ready. */
const mostShelves = 100;

export function documentShelves(): DocumentShelves {
  const shelves = new LRUCache<string, Shelf>({ max: mostShelves });
  return {
    async put(name, { file, name: title, bytes }, reading) {
      const read = await readSent(title, bytes, contextOf(reading));
      if ('why' in read) return read.why;
      const shelf = shelves.get(name) ?? { index: documentIndex(), files: new Set<string>() };
      await shelf.index.put(`${file}/${title}`, read.text);
      shelf.files.add(file);
      shelves.set(name, shelf);
      return undefined;
    },
    has: (name, file) => shelves.get(name)?.files.has(file) ?? false,
    drop: (name) => void shelves.delete(name),
    search(name, query, most) {
      const hits = shelves.get(name)?.index.search(query, most) ?? [];
      const passages = hits.map(passageOf);
      const items = itemsOf(query, passages, ({ path }) => `/api/files/${path.slice(0, path.indexOf('/'))}`);
      const nameOf = (path: string): string => path.slice(path.indexOf('/') + 1);
      return { passages: passages.map((one) => ({ ...one, path: nameOf(one.path) })), items };
    },
  };
}

/** A document is read before anybody asks: nobody listens. */
function contextOf({ tenant, signal }: Reading): ToolContext {
  return { tenant, signal, run: '', idempotencyKey: '', say: () => {}, attach: () => {} };
}
