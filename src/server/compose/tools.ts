import { statSync } from 'node:fs';
import type { Config } from '../../catalog/config.ts';
import { isTool, type McpSource, type ToolSource } from '../../catalog/tool-source.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { codeTool } from '../../tools/code/code.ts';
import { documentTools } from '../../tools/documents/documents.ts';
import { fileTools } from '../../tools/files/files.ts';
import { connectionTools } from '../../tools/http/connection.ts';
import { httpTools } from '../../tools/http/http.ts';
import type { Endpoint } from '../../tools/mcp/connection.ts';
import type { Clean, Pins } from '../../tools/mcp/pins.ts';
import type { McpServer } from '../../tools/mcp/mcp.ts';
import type { Tool } from '../../tools/tool.ts';
import { lookingAgain } from '../shared/watched-kind.ts';
import { secretIn } from './secrets.ts';
import type { StorePins } from './store-pins.ts';
import type { ToolsNow } from './named-flow.ts';
import { serverOf, ToolServers } from './tool-servers.ts';
import { present } from '../../run/tree.ts';

export { doubtOf, shortPin, type Accepted, type Pinned } from '../../tools/mcp/pins.ts';

/** The tools of a configuration: those that are here, and those of servers, as far as they are there. */
export interface OpenedTools {
  readonly servers: ToolServers;
  /** Those there are now. */
  readonly all: readonly Tool[];
  close(): Promise<void>;
}

const startSeconds = 20;

/** Servers of tools are started and asked what they have, and ended by `close`. Nothing waits for them here. */
export async function openTools(
  given: readonly (Tool | ToolSource)[],
  { data, ...means }: { readonly data: string; readonly clean: Clean; readonly pins: StorePins },
): Promise<OpenedTools> {
  const { own, sources } = sortedOut(given, data);
  const names = new Set(own.map(({ name }) => name));
  const shelves = await Promise.all(sources.map((source) => shelfOf(source, means)));
  const rest = lookingAgain(...(sources.length > 0 ? [means.pins] : []));
  const opened = {
    all: own,
    servers: new ToolServers(shelves, (theirs) => {
      opened.all = [...own, ...theirs.filter(({ name }) => !names.has(name))];
    }),
    close() {
      rest();
      return opened.servers.close();
    },
  };
  return opened;
}

/** What is known of the tools before any server is asked: which are here, and whose may come. Nothing is opened. */
export function toolsBefore(given: readonly (Tool | ToolSource)[], data: string): ToolsNow {
  const { own, sources } = sortedOut(given, data);
  const owns = (tool: string): boolean => sources.some(({ name }) => name === serverOf(tool));
  return { all: own, servers: { tried: Promise.resolve(), owns } };
}

function sortedOut(
  given: readonly (Tool | ToolSource)[],
  data: string,
): { readonly own: readonly Tool[]; readonly sources: readonly McpSource[] } {
  const own = given.flatMap((each) => (isTool(each) ? [each] : shipped(each, data)));
  expectDistinct(
    own.map(({ name }) => name),
    'tools',
  );
  const sources = given.flatMap((each) => (isTool(each) || !each.mcp ? [] : [each.mcp]));
  expectDistinct(
    sources.map(({ name }) => name),
    'MCP servers',
  );
  return { own, sources };
}

/** Requests that workflows may send. Agents are not offered them. */
export function openConnections(given: Config['connections']): readonly Tool[] {
  return Object.entries(given).flatMap(([name, { url, key, headers = {}, trusted }]) => {
    const bearer = key && { authorization: `Bearer ${secretFor(`connection ${name}`, key)}` };
    const sent = { ...valuesOf(`connection ${name}`, headers), ...bearer };
    return connectionTools({ name, url, headers: sent, ...present({ trusted }) });
  });
}

async function shelfOf(
  source: McpSource,
  means: { readonly pins: Pins; readonly clean: Clean },
): Promise<{ readonly server: McpServer; readonly patience: number }> {
  // Half of what a short command would load, and only for those who have such servers.
  const { mcpServer } = await import('../../tools/mcp/mcp.ts');
  const { name, approval, effect, sends, trusted } = source;
  const server = mcpServer({ name, trusted, approval, effect, sends, ...means, ...endpointOf(source) });
  return { server, patience: (source.startSeconds ?? startSeconds) * 1_000 };
}

function shipped(source: ToolSource, data: string): readonly Tool[] {
  const { files, documents, code, http, hidden, trusted = false } = source;
  const folder = (root: string) => ({ root, hidden, away: [data], trusted });
  return [
    ...(files === undefined ? [] : fileTools(folder(files))),
    ...(documents === undefined ? [] : documentTools(folder(documents))),
    ...(code === undefined ? [] : [codeTool()]),
    ...(http === undefined ? [] : httpTools({ ...http, trusted })),
  ];
}

/** The folders of tools must be there: an agent would find nothing in them, and nobody would know why. */
export function expectFolders(given: readonly (Tool | ToolSource)[]): void {
  const wrong = given.flatMap((each, i) => {
    if (isTool(each)) return [];
    const named = [['files', each.files] as const, ['documents', each.documents] as const];
    return named.flatMap(([field, path]) =>
      path === undefined || isFolder(path) ? [] : `tools[${i}].${field}: there is no folder ${path}`,
    );
  });
  if (wrong.length > 0)
    throw new RunError('malformed', `The configuration does not fit: ${wrong.join('; ')}.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function endpointOf({ name, command, folder, env = {}, url, key, headers = {} }: McpSource): Endpoint {
  if (command) return { command, environment: valuesOf(`MCP server ${name}`, env), folder };
  if (url === undefined) throw new Error('an MCP server without command and url passed its schema');
  const bearer = key && { authorization: `Bearer ${secretFor(`MCP server ${name}`, key)}` };
  return { url, headers: { ...valuesOf(`MCP server ${name}`, headers), ...bearer } };
}

type Value = string | Parameters<typeof secretIn>[0];

function valuesOf(server: string, values: Readonly<Record<string, Value>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : secretFor(server, value),
    ]),
  );
}

function secretFor(server: string, reference: Exclude<Value, string>): string {
  try {
    return secretIn(reference);
  } catch (cause) {
    const message = `The ${server} cannot be used: ${failureOf(cause).message}`;
    // What the configuration asks for is not there: it is to be mended like the configuration.
    throw new RunError('malformed', message, { cause });
  }
}

function expectDistinct(names: readonly string[], what: string): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new RunError(
    'malformed',
    `The configuration does not fit: two of its ${what} are called «${twice}»; keep one of them.`,
  );
}
