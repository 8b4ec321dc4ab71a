import type { Tool as Definition } from '@modelcontextprotocol/client';
import { RunError } from '../../run/failure.ts';
import { localTenant } from '../../run/owner.ts';
import { openCalls } from './calls.ts';
import { dialer, type Endpoint } from './connection.ts';
import { bounded, isLoss, quoted } from './failure.ts';
import { linkTo, type Link } from './link.ts';
import { checkServerName, nameTools } from './name.ts';
import { memoryPins, shortPin, type Clean, type Pins } from './pins.ts';
import type { McpRules } from './standing.ts';
import { toolShelf, type McpTool, type ToolShelf } from './tool.ts';

interface Common extends McpRules {
  /** Comes before the names of its tools: `name__tool`. */
  readonly name: string;
  /** Milliseconds for one call; 60,000 unless said. */
  readonly timeout?: number;
  /** What the tools were when they were seen and approved; kept in memory unless said. */
  readonly pins?: Pins;
  /** Takes secrets out of what the server says of its tools; nothing unless said. */
  readonly clean?: Clean;
}

export type McpSettings = Common & Endpoint;

export interface Listing {
  readonly tools: readonly McpTool[];
  /** What a person should know: tools that changed, tools that were left out. */
  readonly notices: readonly string[];
}

/** A server that speaks the Model Context Protocol, as a source of tools. It is started when it is first needed. */
export interface McpServer {
  readonly name: string;
  /** Ask before each turn: a server may change what it offers, and only what was listed last can be called. */
  list(signal: AbortSignal): Promise<Listing>;
  /** Who is told that it offers something else than it did. */
  onChange(listen: () => void): void;
  /** End the server, or leave it; open calls fail. */
  close(): Promise<void>;
}

const largestDefinition = 65_536;

export function mcpServer(settings: McpSettings): McpServer {
  const { name, pins = memoryPins(), timeout = 60_000, trusted, approval, effect, sends } = settings;
  const { clean = (value) => value } = settings;
  checkServerName(name);
  checkEndpoint(settings);
  const calls = openCalls();
  let tell = (): void => {};
  const link = linkTo(name, dialer(name, settings, { calls, clean, onChange: () => tell() }));
  const endpoint = 'command' in settings ? JSON.stringify(settings.command) : settings.url;
  const rules = { trusted, approval, effect, sends };
  const calling = noticing(link, () => tell());
  const shelf = toolShelf({ server: name, endpoint, timeout, rules, pins, clean, link: calling, calls });
  const list = async (signal: AbortSignal): Promise<Listing> => {
    const offered = await link
      .use(signal, (connection) => connection.relist(signal))
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw unlisted(name, error);
      });
    return arrange(name, offered, { shelf, clean });
  };
  return { name, list, onChange: (listen) => void (tell = listen), close: () => link.close() };
}

/** Whoever keeps a list of its tools is to look again when a call finds nobody there. */
function noticing(link: Link, lost: () => void): Link {
  return {
    ...link,
    use: (signal, work) =>
      link.use(signal, work).catch((error: unknown) => {
        if (!signal.aborted && isLoss(error)) lost();
        throw error;
      }),
  };
}

interface Means {
  readonly shelf: ToolShelf;
  readonly clean: Clean;
}

async function arrange(
  server: string,
  offered: readonly Definition[],
  { shelf, clean }: Means,
): Promise<Listing> {
  const told = clean(offered.map(({ name }) => name));
  const first = new Map(offered.toReversed().map((definition) => [definition.name, definition]));
  const names = nameTools(server, [...first.keys()].toReversed());
  const faults = new Map(
    offered.map((definition, i) => {
      if (told[i] !== definition.name) return [definition, 'its name holds a secret'];
      const isDouble = first.get(definition.name) !== definition;
      return [definition, isDouble ? 'there is another one of this name' : faultOf(definition)];
    }),
  );
  const fresh = await shelf.see(offered.filter((definition) => faults.get(definition) === undefined));
  const tools: McpTool[] = [];
  const notices: string[] = [];
  for (const [i, definition] of offered.entries()) {
    const tool = faults.get(definition) ?? shelf.take(names.get(definition.name), definition);
    if (typeof tool === 'string') {
      notices.push(`The tool ${told[i]} of ${server} is left out: ${tool}.`);
      continue;
    }
    const pin = fresh.get(definition);
    const doubt = tool.doubt({ tenant: localTenant });
    if (pin !== undefined) notices.push(firstSight(tool, { pin, doubt }));
    else if (doubt !== undefined) notices.push(`${tool.name} needs approval: ${doubt}.`);
    tools.push(tool);
  }
  return { tools, notices };
}

/** A tool is told of when it is first seen, whoever approves it when. */
function firstSight(
  { name, description, schema }: McpTool,
  { pin, doubt }: { readonly pin: string; readonly doubt: string | undefined },
): string {
  const { properties = {} } = Object(schema) as { readonly properties?: object };
  const takes = Object.keys(properties).join(', ') || 'no arguments';
  const then = doubt ? 'It asks before its first call' : 'The configuration trusts its server';
  const says = bounded(description.replaceAll(/\s+/g, ' ').trim(), 500) || 'nothing';
  return `New: ${name} (${bounded(takes, 500)}; pin ${shortPin(pin)}) says of itself «${says}» ${then}; vitrine pins shows all of it.`;
}

function faultOf(definition: Definition): string | undefined {
  if (JSON.stringify(definition).length > largestDefinition)
    return 'its description and schema are too large';
  if (definition.execution?.taskSupport === 'required')
    return 'it runs only as a task, which is not supported';
  return undefined;
}

function checkEndpoint(settings: McpSettings): void {
  const { name } = settings;
  if ('command' in settings === 'url' in settings) {
    throw new RunError('malformed', `The MCP server ${name} needs a command or a url, and only one of them.`);
  }
  if ('command' in settings && settings.command.every((word) => word === '')) {
    throw new RunError('malformed', `The command of the MCP server ${name} is empty; name a program.`);
  }
  if ('url' in settings && !/^https?:$/.test(URL.parse(settings.url)?.protocol ?? '')) {
    throw new RunError('malformed', `The url of the MCP server ${name} must begin with http:// or https://.`);
  }
}

function unlisted(name: string, error: unknown): RunError {
  if (error instanceof RunError) return error;
  const reason = error instanceof Error ? error.message : 'it went away';
  const message = `The MCP server ${name} did not list its tools: ${quoted(reason)}`;
  return new RunError('unavailable', message, { cause: error, retryable: true });
}
