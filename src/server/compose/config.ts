import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readConfig, type Config } from '../../catalog/config.ts';
import { isTool, type ToolSource } from '../../catalog/tool-source.ts';
import { RunError } from '../../run/failure.ts';
import type { Tool } from '../../tools/tool.ts';
import { expectPlain } from '../routes/route.ts';

const names = ['vitrine.config.ts', 'vitrine.config.js', 'vitrine.config.json'];
/** What other tools read configurations from. */
const elsewhere = /^vitrine\.config\.([mc][jt]s|jsonc|json5|ya?ml|toml)$/;

export interface LoadedConfig {
  readonly config: Config;
  /** The file it came from, for sentences about it. */
  readonly where: string;
}

/** What a configuration may depend on, if it is a function. */
export interface Surroundings {
  /** Where the command was given. */
  readonly folder: string;
  /** Where the runs are kept. */
  readonly data: string;
  /** 1 for people, 0 without any delay. */
  readonly pace: number;
}

/** The demo world is loaded like anyone's configuration. */
export const demoWorld = fileURLToPath(
  new URL(`../../../demo/vitrine.config${extname(import.meta.url)}`, import.meta.url),
);

/** The configuration of a folder, or of the file that is named. Without a file there is the demo world. */
export async function loadConfig(surroundings: Surroundings, named?: string): Promise<LoadedConfig> {
  const file = named === undefined ? (ownIn(surroundings.folder) ?? demoWorld) : resolve(named);
  if (!existsSync(file)) {
    throw new RunError(
      'malformed',
      `There is no configuration at ${file}: correct --config, or leave it out.`,
    );
  }
  const value = extname(file) === '.json' ? await readJson(file) : await importDefault(file);
  const config = isMaker(value) ? await made(value, surroundings, file) : value;
  const read = readConfig(config, file);
  const tools = read.tools.map((tool) => seenFrom(dirname(file), tool));
  const workflows = { ...(await workflowsIn(dirname(file))), ...read.workflows };
  return { config: { ...read, tools, workflows }, where: file };
}

/** Few configurations have graphs beside them, and the library that reads those takes longer to load than most others. */
async function workflowsIn(folder: string): Promise<Config['workflows']> {
  if (!existsSync(resolve(folder, 'workflows'))) return {};
  const { workflowsBeside } = await import('../workflows/workflow-files.ts');
  return workflowsBeside(folder);
}

/** Whoever wrote a configuration under another ending does not want the demo world instead. */
function ownIn(folder: string): string | undefined {
  const own = names.map((name) => resolve(folder, name)).find(existsSync);
  const [other] = own === undefined ? readdirSync(folder).filter((name) => elsewhere.test(name)) : [];
  if (other === undefined) return own;
  const fix = `call it ${names.join(', ')}, or name it with --config`;
  throw new RunError('malformed', `${resolve(folder, other)} is not read under this name: ${fix}.`);
}

/** What a file says of folders is seen from where it lies. */
function seenFrom(folder: string, tool: Tool | ToolSource): Tool | ToolSource {
  if (isTool(tool)) return tool;
  const { files, documents, mcp } = tool;
  if (files !== undefined) return { ...tool, files: resolve(folder, files) };
  if (documents !== undefined) return { ...tool, documents: resolve(folder, documents) };
  return mcp?.command ? { mcp: { ...mcp, folder: resolve(folder, mcp.folder ?? '.') } } : tool;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  expectPlain(text, file);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

type Maker = (surroundings: Surroundings) => unknown;

function isMaker(value: unknown): value is Maker {
  return typeof value === 'function';
}

async function made(make: Maker, surroundings: Surroundings, file: string): Promise<unknown> {
  try {
    return await make(surroundings);
  } catch (cause) {
    throw cause instanceof RunError ? cause : unreadable(file, cause);
  }
}

async function importDefault(file: string): Promise<unknown> {
  const loaded: unknown = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded) return loaded.default;
  throw new RunError('malformed', `${file} exports no configuration: write «export default { … }».`);
}

function unreadable(file: string, cause: unknown): RunError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RunError(
    'malformed',
    `${file}${lineIn(cause, file)} cannot be read: ${why.replace(/\.$/, '')}. Nothing was changed.`,
    { cause },
  );
}

/** Where the stack first names the file: in its first line, of one that is no program, or where that failed. */
function lineIn(cause: unknown, file: string): string {
  const stack = cause instanceof Error ? (cause.stack ?? '') : '';
  const places = [pathToFileURL(file).href, file].map((name) => stack.split(`${name}:`, 2)[1] ?? '');
  const [line] = places.flatMap((place) => /^\d+/.exec(place) ?? []);
  return line === undefined ? '' : ` (line ${line})`;
}
