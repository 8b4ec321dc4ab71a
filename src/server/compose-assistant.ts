import { extname, resolve } from 'node:path';
import { readConfig, type Config, type ConfigInput } from '../catalog/config.ts';
import type { ToolSource } from '../catalog/tool-source.ts';
import { RunError } from '../run/failure.ts';
import { readMcpFlag } from '../tools/mcp-flag.ts';

/** What someone wants to talk to without writing a configuration. */
export interface AssistantRequest {
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
  close(): Promise<void>;
}

export const assistantName = 'assistant';
const keyVariable = 'OPENAI_API_KEY';

/** One agent with the tools that were asked for, on a model that was named, or on the scripted one that needs no key. */
export async function openAssistant(request: AssistantRequest): Promise<Assistant> {
  protocolOf(request.protocol);
  const model = request.baseUrl === undefined ? await scriptedModel(request.pace) : undefined;
  const close = async (): Promise<void> => model?.close();
  try {
    return { config: readConfig(settingsFor(request, model?.url), 'The assistant'), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function settingsFor(request: AssistantRequest, scripted: string | undefined): ConfigInput {
  const rules = { ...protocolOf(request.protocol), maxCycles: 6 };
  return {
    models: { [assistantName]: modelOf(request, scripted) },
    agents: { [assistantName]: { model: assistantName, description: 'One agent with tools.' } },
    tools: toolsFor(request),
    apps: { [assistantName]: { flow: 'converse', settings: { agent: assistantName, rules } } },
    defaultApp: assistantName,
  };
}

function toolsFor({ files, mcp }: AssistantRequest): ToolSource[] {
  const root = files === undefined ? undefined : resolve(files);
  const taken = new Set<string>();
  const servers = mcp.map((text): ToolSource => {
    const { name, ...endpoint } = readMcpFlag(text, taken);
    taken.add(name);
    return 'url' in endpoint
      ? { mcp: { name, url: endpoint.url } }
      : { mcp: { name, command: [...endpoint.command] } };
  });
  return [...(root === undefined ? [] : [{ files: root }, { documents: root }]), { code: true }, ...servers];
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
