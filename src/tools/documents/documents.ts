import { z } from 'zod';
import type { Item, Json } from '../../run/values.ts';
import { documentFolder, type DocumentLimits, type FolderState } from './folder.ts';
import { fold, type Hit } from './search-index.ts';
import { functionTool } from '../function.ts';
import type { Hiding } from '../files/hidden.ts';
import { rootAt } from '../files/root.ts';
import type { Tool } from '../tool.ts';

export interface DocumentToolsOptions extends Hiding {
  /** The folder whose documents are searched: Markdown, text and HTML. */
  readonly root: string;
  readonly limits?: Partial<DocumentLimits>;
  readonly ignore?: readonly string[];
  /** Nobody but us writes there: what was found may leave again without a question. */
  readonly trusted?: boolean;
}

const usual: DocumentLimits = { files: 2000, fileBytes: 1_048_576, bytes: 33_554_432 };

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
        'Searches documents by their words and gives the passages that fit best, each with its title, file, lines and ' +
        'a quote to cite.',
      effect: 'pure',
      untrusted: !trusted,
      input: z.strictObject({
        query: z.string().min(1).max(500).describe('The words to look for.'),
        limit: z.int().min(1).max(20).default(5).describe('How many passages to give at most.'),
      }),
      run: ({ query, limit }, context) =>
        oneAtATime(async () => {
          context.signal.throwIfAborted();
          const state = await folder.refresh(context.signal, (text) => context.say(text));
          const passages = folder.search(query, limit).map(passageOf);
          for (const item of itemsOf(query, passages)) context.attach(item);
          return resultOf(passages, state);
        }),
    }),
  ];
}

type Passage = {
  readonly title: string;
  readonly path: string;
  readonly lines: { readonly from: number; readonly to: number };
  readonly quote: string;
  readonly text: string;
  readonly score: number;
};

function passageOf({ chunk, score, words }: Hit): Passage {
  const { path, title, section, text, from, to } = chunk;
  return {
    title: section === '' ? title : `${title} › ${section}`,
    path,
    lines: { from, to },
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

function resultOf(passages: readonly Passage[], { documents, leftOut }: FolderState): Json {
  const notes = [
    passages.length === 0 && 'nothing was found; try other words',
    leftOut > 0 && `${leftOut} documents or folders are too large or too many to be searched`,
  ].filter((note) => note !== false);
  return {
    results: passages,
    documents,
    ...(notes.length > 0 && { note: `Note that ${notes.join('; ')}.` }),
  };
}

function itemsOf(query: string, passages: readonly Passage[]): Item[] {
  if (passages.length === 0) return [];
  const citations = passages.map(({ title, path, lines, quote }) => ({
    kind: 'citation' as const,
    title,
    url: `${path.split('/').map(encodeURIComponent).join('/')}#L${lines.from}-L${lines.to}`,
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
