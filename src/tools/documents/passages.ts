import type { Item } from '../../run/values.ts';
import { fold, type Hit } from './search-index.ts';
import { isPdf } from './text.ts';

type Span = { readonly from: number; readonly to: number };

/** A part of a document that was found, with what to cite of it. */
export type Passage = {
  readonly title: string;
  readonly path: string;
  readonly lines?: Span;
  readonly pages?: Span;
  readonly quote: string;
  readonly text: string;
  readonly score: number;
};

export function passageOf({ chunk, score, words }: Hit): Passage {
  const { path, title, section, text, from, to } = chunk;
  return {
    title: section === '' ? title : `${title} › ${section}`,
    path,
    [isPdf(path) ? 'pages' : 'lines']: { from, to },
    quote: quoteFrom(text, words),
    text,
    score: Math.round(score * 100) / 100,
  };
}

/** The sentence with the most of the words, as it stands in the text but for the breaks between its lines. */
function quoteFrom(text: string, words: readonly string[]): string {
  const wanted = new Set(words);
  const sentences = text
    .split(/(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*+>|]|\d+[.)])\s)/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim());
  const rated = sentences.map((sentence) => {
    const found = new Set(
      fold(sentence)
        .split(/[\p{Z}\p{P}]+/u)
        .filter((word) => wanted.has(word)),
    );
    return { sentence, count: found.size };
  });
  const best = rated.reduce((one, other) => (other.count > one.count ? other : one), {
    sentence: sentences[0] ?? '',
    count: 0,
  });
  return best.sentence.length > 400 ? `${best.sentence.slice(0, 400).toWellFormed()}…` : best.sentence;
}

/** As viewers of such files are told where to open them. */
function fragmentOf({ lines, pages }: Pick<Passage, 'lines' | 'pages'>): string {
  if (pages) return `#page=${pages.from}`;
  return lines ? `#L${lines.from}-L${lines.to}` : '';
}

/** What hangs on a search: each passage to cite, and all as they were found. `addressOf` is where its document is. */
export function itemsOf(
  query: string,
  passages: readonly Passage[],
  addressOf: (passage: Passage) => string,
): Item[] {
  if (passages.length === 0) return [];
  const citations = passages.map((passage) => ({
    kind: 'citation' as const,
    title: passage.title,
    url: `${addressOf(passage)}${fragmentOf(passage)}`,
    quote: passage.quote,
  }));
  const data = {
    query,
    content: `${passages.length} passages for “${query}”`,
    citations: citations.map(({ title, url }) => `${title} (${url})`),
    searchHits: passages.map(({ title, text, score }, i) => ({
      score,
      title,
      content: text,
      chunk_id: citations[i]?.url ?? '',
    })),
  };
  return [...citations, { kind: 'visualization', shape: 'documents', data }];
}
