import { z } from 'zod';
import type { Json } from '../../run/values.ts';
import { documentFolder, type DocumentLimits, type FolderState } from './folder.ts';
import { itemsOf, passageOf, type Passage } from './passages.ts';
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
          for (const item of itemsOf(query, passages, addressOf)) context.attach(item);
          return resultOf(passages, state);
        }),
    }),
  ];
}

function addressOf({ path }: Passage): string {
  return path.split('/').map(encodeURIComponent).join('/');
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

/** Runs what it is given one after the other. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}
