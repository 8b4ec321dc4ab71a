import { z } from 'zod';
import type { Item, Json } from '../../run/values.ts';
import { documentFolder, type DocumentLimits, type FolderState } from './folder.ts';
import { fold, type Hit } from './search-index.ts';
import { isPdf } from './text.ts';
import { functionTool } from '../function.ts';
import type { Hiding } from '../files/hidden.ts';
import { rootAt } from '../files/root.ts';
import type { Tool } from '../tool.ts';

export interface DocumentToolsOptions extends Hiding {
  /** The folder whose documents are searched: Markdown, text, HTML, CSV, JSON and PDF. */
  readonly root: string;
  readonly limits?: Partial<DocumentLimits>;
  readonly ignore?: readonly string[];
  /** Nobody but us writes there: what was found may leave again without a question. */
  readonly trusted?: boolean;
}

const usual: DocumentLimits = { files: 2000, fileBytes: 1_048_576, pdfBytes: 16_777_216, bytes: 67_108_864 };

/** Of the documents that could not be read. */
const mostNamed = 3;

/** `search_documents` for one folder. */
export function documentTools({
  root,
  limits,
  ignore = ['node_modules', '.git'],
  trusted = false,
  ...hiding
}: DocumentToolsOptions): Tool[] {
  const folder = documentFolder(rootAt(root, hiding), ignore, { ...usual, ...limits });
  const oneAtATime = queue();
  return [
    functionTool({
      name: 'search_documents',
      description:
        'Searches documents by their words and gives the passages that fit best, each with its title, file, lines ' +
        'or pages, and a quote to cite.',
      effect: 'pure',
      untrusted: !trusted,
      input: z.strictObject({
        query: z.string().min(1).max(500).describe('The words to look for.'),
        limit: z.int().min(1).max(20).default(5).describe('How many passages to give at most.'),
      }),
      run: ({ query, limit }, context) =>
        oneAtATime(async () => {
          context.signal.throwIfAborted();
          const state = await folder.refresh(context);
          const passages = folder.search(query, limit).map(passageOf);
          for (const item of itemsOf(query, passages)) context.attach(item);
          return resultOf(passages, state);
        }),
    }),
  ];
}

type Span = { readonly from: number; readonly to: number };

type Passage = {
  readonly title: string;
  readonly path: string;
  readonly lines?: Span;
  readonly pages?: Span;
  readonly quote: string;
  readonly text: string;
  readonly score: number;
};

function passageOf({ chunk, score, words }: Hit): Passage {
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

function resultOf(passages: readonly Passage[], { documents, leftOut, unread }: FolderState): Json {
  const notes = [
    passages.length === 0 && 'nothing was found; try other words',
    leftOut > 0 && `${leftOut} documents or folders are too large or too many to be searched`,
    ...[...unread].slice(0, mostNamed).map(([path, why]) => `«${path}» could not be read: ${why}`),
    unread.size > mostNamed && `${unread.size - mostNamed} more could not be read`,
  ].filter((note) => note !== false);
  return {
    results: passages,
    documents,
    ...(notes.length > 0 && { note: `Note that ${notes.join('; ')}.` }),
  };
}

/** As viewers of such files are told where to open them. */
function fragmentOf({ lines, pages }: Pick<Passage, 'lines' | 'pages'>): string {
  if (pages) return `#page=${pages.from}`;
  return lines ? `#L${lines.from}-L${lines.to}` : '';
}

function itemsOf(query: string, passages: readonly Passage[]): Item[] {
  if (passages.length === 0) return [];
  const citations = passages.map(({ title, path, quote, ...place }) => ({
    kind: 'citation' as const,
    title,
    url: `${path.split('/').map(encodeURIComponent).join('/')}${fragmentOf(place)}`,
    quote,
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

/** Runs what it is given one after the other. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}
