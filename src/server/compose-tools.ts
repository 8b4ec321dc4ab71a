import { join } from 'node:path';
import { isTool, type McpSource, type ToolSource } from '../catalog/tool-source.ts';
import { RunError } from '../run/failure.ts';
import { codeTool } from '../tools/code.ts';
import { documentTools } from '../tools/documents.ts';
import { fileTools } from '../tools/files.ts';
import { httpTools } from '../tools/http.ts';
import type { Endpoint } from '../tools/mcp-connection.ts';
import { filePins } from '../tools/mcp-pins.ts';
import { mcpServer, type McpServer } from '../tools/mcp.ts';
import type { Tool } from '../tools/tool.ts';
import { secretIn } from './secrets.ts';

export interface OpenedTools {
  readonly tools: readonly Tool[];
  /** What a person should know: tools that changed, tools that were left out. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

const listingTime = 30_000;

/** The tools of a configuration. Servers of tools are started, asked what they have, and ended by `close`. */
export async function openTools(given: readonly (Tool | ToolSource)[], data: string): Promise<OpenedTools> {
  const pins = filePins(join(data, 'mcp-pins.json'));
  const servers: McpServer[] = [];
  const opening = given.map(async (each): Promise<Omit<OpenedTools, 'close'>> => {
    if (isTool(each)) return { tools: [each], notices: [] };
    if (!each.mcp) return { tools: shipped(each), notices: [] };
    const { name, approval = {} } = each.mcp;
    const server = mcpServer({ name, approval, pins, ...endpointOf(each.mcp) });
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

function shipped({ files, documents, code, http }: ToolSource): readonly Tool[] {
  return [
    ...(files === undefined ? [] : fileTools({ root: files })),
    ...(documents === undefined ? [] : documentTools({ root: documents })),
    ...(code === undefined ? [] : [codeTool()]),
    ...(http === undefined ? [] : httpTools(http)),
  ];
}

function endpointOf({ command, folder, url, key }: McpSource): Endpoint {
  if (command) return { command, ...(folder === undefined ? {} : { folder }) };
  if (url === undefined) throw new Error('an MCP server without command and url passed its schema');
  return { url, ...(key ? { headers: { authorization: `Bearer ${secretIn(key)}` } } : {}) };
}

function expectDistinct(tools: readonly Tool[]): void {
  const twice = tools.find(({ name }, i) => tools.findIndex((other) => other.name === name) < i);
  if (!twice) return;
  throw new RunError(
    'malformed',
    `The configuration does not fit: two of its tools are called «${twice.name}»; keep one of them.`,
  );
}
