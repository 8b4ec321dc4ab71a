import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { readConfig, type Config, type ConfigInput } from '../../catalog/config.ts';
import type { ToolSource } from '../../catalog/tool-source.ts';
import { RunError } from '../../run/failure.ts';
import { readMcpFlag } from '../../tools/mcp/flag.ts';
import { namedModel, type NamedModel } from './named-model.ts';

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
const scriptedNotice =
  'The model is a script: it follows rules and knows nothing else. --model <name> puts a real one in its place.';

/** One agent with the tools that were asked for, on a model that was named, or on the scripted one that needs no key. */
export async function openAssistant(request: AssistantRequest): Promise<Assistant> {
  protocolOf(request.protocol);
  const { model, baseUrl } = request;
  const isNamed = model !== undefined || baseUrl !== undefined;
  const named = isNamed ? namedModel({ model, baseUrl }, process.env) : undefined;
  const tools = toolsFor(request);
  const scripted = named ? undefined : await scriptedModel(request.pace);
  const close = async (): Promise<void> => scripted?.close();
  const played = { baseUrl: `${scripted?.url}/v1`, model: 'vitrine-scripted' };
  try {
    const settings = settingsFor(request, { model: named ?? played, tools });
    const notice = named ? {} : { notice: scriptedNotice };
    return { config: readConfig({ ...settings, ...notice }, 'The assistant'), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function settingsFor(
  request: AssistantRequest,
  { model, tools }: { readonly model: NamedModel; readonly tools: ToolSource[] },
): ConfigInput {
  const rules = { ...protocolOf(request.protocol), maxCycles: 6 };
  return {
    models: { [assistantName]: model },
    agents: { [assistantName]: { model: assistantName, description: 'One agent with tools.' } },
    tools,
    apps: { [assistantName]: { flow: 'converse', settings: { agent: assistantName, rules } } },
    defaultApp: assistantName,
  };
}

function toolsFor({ files, mcp }: AssistantRequest): ToolSource[] {
  const root = files === undefined ? undefined : folderAt(files);
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

function folderAt(given: string): string {
  const folder = resolve(given);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return folder;
  const why = found ? 'is a file: name the folder it is in' : 'is not there: name a folder';
  throw new RunError('malformed', `--files ${given}: ${folder} ${why}.`);
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
  const place = new URL(`../../../demo/model/server${extname(import.meta.url)}`, import.meta.url);
  const model = (await import(place.href)) as ScriptedModel;
  return model.startModel({ pace });
}
