import MiniSearch from 'minisearch';
import { type Chunk, chunksOf } from './chunks.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly score: number;
  /** The words of the chunk that were looked for. */
  readonly words: readonly string[];
}

/** A full-text index over pieces of documents, in memory. */
export interface DocumentIndex {
  put(path: string, text: string): Promise<void>;
  drop(path: string): void;
  search(query: string, most: number): Hit[];
}

export function documentIndex(): DocumentIndex {
  const index = new MiniSearch<Chunk & { id: number }>({
    fields: ['title', 'section', 'text'],
    processTerm: foldWord,
  });
  const chunks = new Map<number, Chunk>();
  const idsOf = new Map<string, readonly number[]>();
  let nextId = 1;
  return {
    async put(path, text) {
      this.drop(path);
      const found = chunksOf(path, text).map((chunk) => ({ ...chunk, id: nextId++ }));
      for (const { id, ...chunk } of found) chunks.set(id, chunk);
      idsOf.set(
        path,
        found.map(({ id }) => id),
      );
      // In small portions: everything else this process does must not wait for a large document.
      await index.addAllAsync(found, { chunkSize: 10 });
    },
    drop(path) {
      for (const id of idsOf.get(path) ?? []) {
        index.discard(id);
        chunks.delete(id);
      }
      idsOf.delete(path);
    },
    search: (query, most) =>
      index
        .search(query, searching)
        .slice(0, most)
        .flatMap(({ id, score, terms }) => {
          const chunk = chunks.get(id);
          return chunk ? [{ chunk, score, words: terms }] : [];
        }),
  };
}

/** The same word with and without accents or capitals is the same word. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

const searching = {
  boost: { title: 2, section: 1.5 },
  prefix: (word: string) => word.length > 3,
  fuzzy: (word: string) => (word.length > 5 ? 0.2 : false),
};

// What is longer than any word (a key, an encoded picture) would only make looking for similar ones slow.
function foldWord(word: string): string | null {
  return word.length > 60 ? null : fold(word);
}
