import { extname } from 'node:path';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { functionTool } from '../function.ts';
import type { Hiding } from './hidden.ts';
import { runKillable } from '../killable/killable.ts';
import { isBinary, readLines } from './read-lines.ts';
import { quoted, relativePath, rootAt } from './root.ts';
import { searchFolder, type SearchRequest } from './search.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { walk, type WalkGaps } from './walk.ts';

export interface FileToolsOptions extends Hiding {
  /** The folder the tools see; nothing outside of it can be reached. */
  readonly root: string;
  readonly limits?: Partial<FileLimits>;
  /** Names of folders that are left out unless a call says `no_ignore`. */
  readonly ignore?: readonly string[];
  /** Nobody but us writes there: what was read may leave again without a question. */
  readonly trusted?: boolean;
}

export interface FileLimits {
  /** Entries of one listing. */
  readonly entries: number;
  /** Bytes of one reading. */
  readonly bytes: number;
  /** Larger files are not searched. */
  readonly fileBytes: number;
  readonly files: number;
  readonly matches: number;
  /** Seconds a search by regular expression may take. */
  readonly seconds: number;
}

const usual: FileLimits = {
  entries: 1000,
  bytes: 262_144,
  fileBytes: 1_048_576,
  files: 20_000,
  matches: 200,
  seconds: 5,
};

interface Settings {
  readonly root: string;
  readonly limits: FileLimits;
  readonly ignore: readonly string[];
  readonly hiding: Hiding;
  readonly untrusted: boolean;
}

/** `list_files`, `read_file` and `search_files` for one folder. */
export function fileTools(options: FileToolsOptions): Tool[] {
  const { root, limits, ignore = ['node_modules', '.git'], hidden, away, trusted = false } = options;
  const hiding = { hidden, away };
  const settings = { root, ignore, hiding, untrusted: !trusted, limits: { ...usual, ...limits } };
  return [listFiles(settings), readFile(settings), searchFiles(settings)];
}

const path = z.string().max(4096);
const noIgnore = z.boolean().default(false).describe('Also look into folders that are left out by default.');

function listFiles({ root, limits, ignore, hiding, untrusted }: Settings): Tool {
  return functionTool({
    name: 'list_files',
    description: `Lists files with their sizes, and folders. Left out by default: ${ignore.join(', ')}; hidden files always.`,
    effect: 'pure',
    untrusted,
    input: z.strictObject({
      path: path.default('.').describe('The folder to list, relative to the root.'),
      recursive: z.boolean().default(true).describe('Also list what lies in its folders.'),
      no_ignore: noIgnore,
    }),
    async run(input, { signal }) {
      const start = relativePath('path', input.path);
      const gaps: WalkGaps = { unreadable: 0, crowded: 0 };
      const entries: Json[] = [];
      const options = { recursive: input.recursive, ignore: input.no_ignore ? [] : ignore, signal, gaps };
      for await (const { path: at, kind, size } of walk(rootAt(root, hiding), start, options)) {
        if (entries.length === limits.entries) {
          return {
            entries,
            note: `Only the first ${limits.entries} entries are listed; list a folder below.`,
          };
        }
        entries.push(kind === 'file' ? { path: at, kind, size } : { path: at, kind });
      }
      const missed = gaps.unreadable + gaps.crowded;
      return missed === 0
        ? { entries }
        : { entries, note: `${missed} folders could not be read to the end.` };
    },
  });
}

function readFile({ root, limits, hiding, untrusted }: Settings): Tool {
  return functionTool({
    name: 'read_file',
    description: `Reads a text file, or some of its lines; at most ${limits.bytes} bytes at a time.`,
    effect: 'pure',
    untrusted,
    input: z.strictObject({
      path: path.min(1).describe('The file to read, relative to the root.'),
      from_line: z.int().min(1).default(1).describe('The first line to read, counted from 1.'),
      to_line: z
        .int()
        .min(1)
        .optional()
        .describe('The last line to read; the last of the file unless given.'),
    }),
    async run({ path: given, from_line: from, to_line: to = Infinity }, { signal }) {
      if (to < from) throw new RunError('malformed', `\`to_line\` ${to} is before \`from_line\` ${from}.`);
      const at = relativePath('path', given);
      const { handle } = await rootAt(root, hiding).open(at, 'file');
      try {
        if (await isBinary(handle))
          throw new RunError('malformed', `${quoted(at)} is not text; \`path\` must name a text file.`);
        const { size } = await handle.stat();
        const { text, last, cut, total } = await readLines(handle, { from, to, bytes: limits.bytes }, signal);
        if (total !== undefined && from > Math.max(total, 1)) {
          throw new RunError(
            'malformed',
            `\`from_line\` ${from} is past the end; ${quoted(at)} has ${total} lines.`,
          );
        }
        const lines = { from, to: last, ...(total !== undefined && { of: total }) };
        return { path: at, size, lines, text, ...(cut && { note: cutNote(last, limits.bytes, size) }) };
      } finally {
        await handle.close();
      }
    },
  });
}

function cutNote(last: number, bytes: number, size: number): string {
  return `Only ${bytes} bytes are shown, up to line ${last}, which may be cut, of a file of ${size} bytes; go on with \`from_line\`.`;
}

function searchFiles({ root, limits, ignore, hiding, untrusted }: Settings): Tool {
  return functionTool({
    name: 'search_files',
    description: 'Finds lines that contain a text, or match a regular expression, in the files of a folder.',
    effect: 'pure',
    untrusted,
    input: z.strictObject({
      query: z.string().min(1).max(1000).describe('The text to find, or a regular expression with `regex`.'),
      regex: z.boolean().default(false).describe('Take the query as a JavaScript regular expression.'),
      case_sensitive: z.boolean().default(false).describe('Tell capital letters from small ones.'),
      path: path.default('.').describe('The folder to search, relative to the root.'),
      file_pattern: z
        .string()
        .max(200)
        .default('')
        .describe('Only files like this, for example `*.md` or `docs/**/*.md`.'),
      no_ignore: noIgnore,
    }),
    run: (input, context) =>
      search(
        {
          root,
          hiding,
          path: relativePath('path', input.path),
          query: input.query,
          regex: input.regex,
          caseSensitive: input.case_sensitive,
          filePattern: input.file_pattern,
          ignore: input.no_ignore ? [] : ignore,
          limits,
        },
        limits.seconds,
        context,
      ),
  });
}

const place = {
  module: new URL(`./search${extname(import.meta.url)}`, import.meta.url),
  export: 'searchFolder',
};

function search(request: SearchRequest, seconds: number, context: ToolContext): Promise<Json> {
  if (!request.regex) return searchFolder(request, context);
  const sentence = `Searching took longer than ${seconds} s; make the regular expression in \`query\` simpler, or narrow \`path\`.`;
  const limit = { milliseconds: seconds * 1000, sentence };
  return runKillable(place, { name: 'search_files', input: request, limit }, context);
}
