import { extname, join, resolve } from 'node:path';
import { readConfig, type Config, type ConfigInput } from '../catalog/config.ts';
import { RunError } from '../run/failure.ts';
import { codeTool } from '../tools/code.ts';
import { documentTools } from '../tools/documents.ts';
import { fileTools } from '../tools/files.ts';
import { readMcpFlag } from '../tools/mcp-flag.ts';
import { filePins } from '../tools/mcp-pins.ts';
import { mcpServer, type McpServer } from '../tools/mcp.ts';
import type { Tool } from '../tools/tool.ts';

/** What someone wants to talk to without writing a configuration. */
export interface AssistantRequest {
  readonly data: string;
  readonly files?: string | undefined;
  /** Commands or addresses of MCP servers. */
  readonly mcp: readonly string[];
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly protocol?: string | undefined;
  readonly pace: number;
}

export interface Assistant {
  readonly config: Config;
  /** What a person should know before it begins. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

export const assistantName = 'assistant';
const keyVariable = 'OPENAI_API_KEY';
const listingTime = 30_000;

/** One agent with the tools that were asked for, on a model that was named, or on the scripted one that needs no key. */
export async function openAssistant(request: AssistantRequest): Promise<Assistant> {
  protocolOf(request.protocol);
  const servers = serversOf(request);
  const model = request.baseUrl === undefined ? await scriptedModel(request.pace) : undefined;
  const close = async (): Promise<void> => {
    await Promise.all([...servers.map((server) => server.close()), model?.close()]);
  };
  try {
    const listings = await Promise.all(
      servers.map((server) => server.list(AbortSignal.timeout(listingTime))),
    );
    const tools: Tool[] = [...ownTools(request), ...listings.flatMap((listing) => listing.tools)];
    return {
      config: readConfig(settingsFor(request, tools, model?.url), 'The assistant'),
      notices: listings.flatMap(({ notices }) => notices),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function settingsFor(
  request: AssistantRequest,
  tools: readonly Tool[],
  scripted: string | undefined,
): ConfigInput {
  const rules = { ...protocolOf(request.protocol), maxCycles: 6 };
  const settings = { agent: assistantName, tools: tools.map(({ name }) => name), rules };
  return {
    models: { [assistantName]: modelOf(request, scripted) },
    agents: { [assistantName]: { model: assistantName, description: 'One agent with tools.' } },
    tools: [...tools],
    apps: { [assistantName]: { flow: 'converse', settings } },
    defaultApp: assistantName,
  };
}

function ownTools({ files }: AssistantRequest): readonly Tool[] {
  if (files === undefined) return [codeTool()];
  const root = resolve(files);
  return [...fileTools({ root }), ...documentTools({ root }), codeTool()];
}

function serversOf({ mcp, data }: AssistantRequest): readonly McpServer[] {
  const pins = filePins(join(data, 'mcp-pins.json'));
  const taken = new Set<string>();
  return mcp.map((text) => {
    const flag = readMcpFlag(text, taken);
    taken.add(flag.name);
    return mcpServer({ ...flag, pins });
  });
}

function modelOf({ model, baseUrl }: AssistantRequest, scripted: string | undefined) {
  if (baseUrl === undefined) return { baseUrl: `${scripted}/v1`, model: 'vitrine-scripted' };
  if (model === undefined)
    throw new RunError('malformed', 'With --base-url, say which model with --model <name>.');
  const key = process.env[keyVariable] === undefined ? {} : { key: { env: keyVariable } };
  return { baseUrl, model, ...key };
}

function protocolOf(given: string | undefined): { protocol?: 'two-stage' | 'unified' } {
  if (given === undefined) return {};
  if (given === 'two-stage' || given === 'unified') return { protocol: given };
  throw new RunError('malformed', `--protocol is «${given}»: give two-stage or unified.`);
}

interface ScriptedModel {
  startModel(options: { readonly pace: number }): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** The scripted model belongs to the demo world, which stands on this package and not the other way round. */
async function scriptedModel(pace: number): ReturnType<ScriptedModel['startModel']> {
  const place = new URL(`../../demo/model/server${extname(import.meta.url)}`, import.meta.url);
  const model = (await import(place.href)) as ScriptedModel;
  return model.startModel({ pace });
}
