import { join } from 'node:path';
import { isTool, type McpSource, type ToolSource } from '../catalog/tool-source.ts';
import { failureOf, RunError } from '../run/failure.ts';
import { present } from '../run/present.ts';
import { codeTool } from '../tools/code.ts';
import { documentTools } from '../tools/documents.ts';
import { fileTools } from '../tools/files.ts';
import { httpTools } from '../tools/http.ts';
import type { Endpoint } from '../tools/mcp-connection.ts';
import { filePins, type Pins } from '../tools/mcp-pins.ts';
import { mcpServer, type McpServer } from '../tools/mcp.ts';
import type { Tool } from '../tools/tool.ts';
import { secretIn } from './secrets.ts';

export { doubtOf, shortPin, type Pinned, type Pins } from '../tools/mcp-pins.ts';

export interface OpenedTools {
  readonly tools: readonly Tool[];
  /** What a person should know: tools that changed, tools that were left out. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

const listingTime = 30_000;

/** The tools of a configuration. Servers of tools are started, asked what they have, and ended by `close`. */
export async function openTools(given: readonly (Tool | ToolSource)[], data: string): Promise<OpenedTools> {
  const pins = pinsIn(data);
  const servers: McpServer[] = [];
  const opening = given.map(async (each): Promise<Omit<OpenedTools, 'close'>> => {
    if (isTool(each)) return { tools: [each], notices: [] };
    if (!each.mcp) return { tools: shipped(each, data), notices: [] };
    const { name, approval, effect, sends, trusted } = each.mcp;
    const server = mcpServer({ name, trusted, approval, effect, sends, pins, ...endpointOf(each.mcp) });
    servers.push(server);
    return server.list(AbortSignal.timeout(listingTime));
  });
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const opened = await Promise.all(opening);
    const tools = opened.flatMap((listing) => listing.tools);
    expectDistinct(tools);
    return { tools, notices: opened.flatMap(({ notices }) => notices), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** What is known of the tools of MCP servers in a data folder. */
export function pinsIn(data: string): Pins {
  return filePins(join(data, 'mcp-pins.json'));
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

function endpointOf({ name, command, folder, env = {}, url, key, headers = {} }: McpSource): Endpoint {
  if (command) return { command, environment: valuesOf(name, env), ...present({ folder }) };
  if (url === undefined) throw new Error('an MCP server without command and url passed its schema');
  const bearer = key && { authorization: `Bearer ${secretFor(name, key)}` };
  return { url, headers: { ...valuesOf(name, headers), ...bearer } };
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
    const message = `The MCP server ${server} cannot be used: ${failureOf(cause).message}`;
    throw new RunError('unauthenticated', message, { cause });
  }
}

function expectDistinct(tools: readonly Tool[]): void {
  const twice = tools.find(({ name }, i) => tools.findIndex((other) => other.name === name) < i);
  if (!twice) return;
  throw new RunError(
    'malformed',
    `The configuration does not fit: two of its tools are called «${twice.name}»; keep one of them.`,
  );
}
