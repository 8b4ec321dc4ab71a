import { RunError } from '../../run/failure.ts';
import { splitWords } from './words.ts';

export type McpFlag =
  | { readonly name: string; readonly command: readonly string[] }
  | { readonly name: string; readonly url: string };

const runners = new Set([
  'npx',
  'node',
  'bunx',
  'uvx',
  'uv',
  'python',
  'python3',
  'deno',
  'docker',
  'run',
  'dlx',
  'pnpm',
  'exec',
]);

/** What `--mcp "<command or URL>"` means. The server is named after its program or host, apart from the names in use. */
export function readMcpFlag(text: string, taken: ReadonlySet<string>): McpFlag {
  const url = /^https?:\/\//.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url !== null) return { name: unused(tidy(url.hostname), taken), url: url.href };
  const command = splitWords(text);
  if (command.length === 0) {
    throw new RunError('malformed', '--mcp needs a command or a URL, for instance --mcp "npx some-server".');
  }
  const program =
    command.find((word) => !word.startsWith('-') && !runners.has(basename(word))) ?? command[0] ?? '';
  return { name: unused(tidy(basename(program)), taken), command };
}

/** The part of a path that says something: of `…/weather/dist/index.js` it is `weather`. */
function basename(word: string): string {
  const parts = word.split('/').filter((part) => part !== '');
  return parts.findLast((part) => !/^(?:dist|build|lib|src|(?:index|main|cli)\.\w+)$/.test(part)) ?? word;
}

/** `server-filesystem@1.2.3` is `filesystem`. */
function tidy(word: string): string {
  const bare = word.replace(/(?<=.)@.*$/, '').replace(/\.[a-z]+$/, '');
  const short = bare.replace(/^(?:mcp-)?server-|^mcp-/, '').replace(/-(?:mcp-)?server$|-mcp$/, '');
  const name = short
    .replaceAll(/[^a-zA-Z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 20);
  return name === '' ? 'mcp' : name;
}

function unused(name: string, taken: ReadonlySet<string>): string {
  let candidate = name;
  for (let i = 2; taken.has(candidate); i++) candidate = `${name}-${i}`;
  return candidate;
}
