import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { matchesGlob } from './glob.ts';
import type { Hiding } from './hidden.ts';
import { readText } from './read-text.ts';
import { rootAt } from './root.ts';
import type { ToolContext } from '../tool.ts';
import { walk, type WalkGaps } from './walk.ts';

export interface SearchRequest {
  readonly root: string;
  readonly hiding?: Hiding;
  readonly path: string;
  readonly query: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
  readonly filePattern: string;
  readonly ignore: readonly string[];
  readonly limits: { readonly matches: number; readonly fileBytes: number; readonly files: number };
}

type Match = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
};

/**
 * Looks for a text in the files of a folder, line by line. A regular expression can take for ever on one line, so it must
 * only ever be looked for in a worker that can be killed.
 */
export async function searchFolder(request: SearchRequest, context: ToolContext): Promise<Json> {
  const { path, ignore, limits, filePattern } = request;
  const { signal } = context;
  const root = rootAt(request.root, request.hiding);
  const find = finder(request);
  const gaps: WalkGaps = { unreadable: 0, crowded: 0 };
  const matches: Match[] = [];
  let [files, skipped] = [0, 0];
  for await (const found of walk(root, path, { recursive: true, ignore, signal, gaps })) {
    if (found.kind !== 'file' || (filePattern !== '' && !matchesGlob(filePattern, found.path))) continue;
    if (files === limits.files || matches.length > limits.matches) break;
    files += 1;
    if (files % 500 === 0) context.say(`Searched ${files} files.\n`);
    const text = found.size > limits.fileBytes ? undefined : await readText(root, found.path);
    if (text === undefined) skipped += 1;
    else {
      const room = limits.matches + 1 - matches.length;
      matches.push(...linesWith(text, find, room).map((match) => ({ path: found.path, ...match })));
    }
  }
  return {
    matches: matches.slice(0, limits.matches),
    files,
    ...noteOf(limits, { found: matches.length, files, skipped, folders: gaps.unreadable + gaps.crowded }),
  };
}

/** Where the query begins in a line, or -1. */
type Finder = (line: string) => number;

function finder({ query, regex, caseSensitive }: SearchRequest): Finder {
  if (regex) {
    const expression = compile(query, caseSensitive ? 'u' : 'iu');
    return (line) => line.search(expression);
  }
  if (caseSensitive) return (line) => line.indexOf(query);
  const wanted = query.toLowerCase();
  return (line) => line.toLowerCase().indexOf(wanted);
}

function compile(query: string, flags: string): RegExp {
  try {
    return new RegExp(query, flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(-200) : '';
    throw new RunError('malformed', `\`query\` is not a regular expression: ${why}.`, { cause });
  }
}

function linesWith(text: string, find: Finder, most: number): Omit<Match, 'path'>[] {
  const found: Omit<Match, 'path'>[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (found.length === most) break;
    const at = find(line);
    if (at !== -1) found.push({ line: i + 1, text: excerpt(line, at) });
  }
  return found;
}

function excerpt(line: string, at: number): string {
  const start = at > 200 ? at - 100 : 0;
  const text = line.slice(start, start + 300).toWellFormed();
  return `${start > 0 ? '…' : ''}${text}${line.length > start + 300 ? '…' : ''}`;
}

function noteOf(
  limits: SearchRequest['limits'],
  count: { found: number; files: number; skipped: number; folders: number },
): { note?: string } {
  const notes = [
    count.found > limits.matches && `only the first ${limits.matches} matches are shown`,
    count.files === limits.files && `only the first ${limits.files} files were searched`,
    count.skipped > 0 &&
      `${count.skipped} files were skipped (binary, unreadable or over ${limits.fileBytes} bytes)`,
    count.folders > 0 && `${count.folders} folders could not be read to the end`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? {} : { note: `Note that ${notes.join('; ')}.` };
}
