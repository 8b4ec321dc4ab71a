import type { Tool as Definition } from '@modelcontextprotocol/client';
import { RunError } from '../run/failure.ts';
import type { Effect } from '../run/values.ts';
import { argumentsOf } from './mcp-arguments.ts';
import { callTool } from './mcp-call.ts';
import type { Calls } from './mcp-calls.ts';
import type { Connection } from './mcp-connection.ts';
import type { Link } from './mcp-link.ts';
import { changeOf, pinOf, type Pins } from './mcp-pins.ts';
import type { ApprovalRule, Tool } from './tool.ts';

/** A tool of a server as it was listed. It runs only while the server still offers exactly this. */
export interface McpTool extends Tool {
  readonly approval: ApprovalRule;
  /** Set when the tool is not what was approved before. It then needs approval, whatever its rule says. */
  readonly change?: Change;
}

export interface Change {
  readonly reason: string;
  /** Take the tool as it is now. Running it, which takes a person's approval, does the same. */
  approve(): Promise<void>;
}

/** The tools of one server, made from its definitions. As long as nothing changes, a tool stays the same object. */
export interface ToolShelf {
  /** The tool, or why there is none. */
  take(name: string | undefined, definition: Definition): Promise<McpTool | string>;
}

export interface Origin {
  readonly server: string;
  /** Where the server is, as text: a tool of another place is another tool. */
  readonly endpoint: string;
  readonly timeout: number;
  readonly approval: Readonly<Record<string, ApprovalRule>>;
  readonly pins: Pins;
  readonly link: Link;
  readonly calls: Calls;
}

interface Made {
  readonly pin: string;
  readonly tool: McpTool | string;
}

export function toolShelf(origin: Origin): ToolShelf {
  const made = new Map<string, Made>();
  return {
    async take(name, definition) {
      if (name === undefined) return 'no name could be made for it';
      const pin = pinOf(origin.endpoint, definition);
      const change = await changeFor(origin, definition, pin);
      const known = made.get(name);
      if (known?.pin === pin && isSameChange(known.tool, change)) return known.tool;
      const tool = makeTool(origin, { name, definition, change });
      made.set(name, { pin, tool });
      return tool;
    },
  };
}

interface Offer {
  readonly name: string;
  readonly definition: Definition;
  readonly change: Change | undefined;
}

function makeTool(origin: Origin, { name, definition, change }: Offer): McpTool | string {
  const { server, timeout, approval, link, calls } = origin;
  const checked = argumentsOf(definition);
  if (checked === undefined) return 'its schema cannot be used';
  const effect = effectOf(definition);
  const own = Object.hasOwn(approval, definition.name) ? approval[definition.name] : undefined;
  const check = (connection: Connection, signal: AbortSignal): Promise<void> =>
    checkSame({ name, definition }, connection, signal);
  const target = { server, name, definition, arguments: checked, effect, timeout, link, calls, check };
  return {
    name,
    description: definition.description ?? definition.title ?? '',
    schema: checked.schema,
    effect,
    approval: change === undefined ? (own ?? (effect === 'once' ? 'always' : 'never')) : 'always',
    timeout,
    ...(change === undefined ? {} : { change }),
    async run(input, context) {
      await change?.approve();
      return callTool(target, input, context);
    },
  };
}

/** The server's word, which it may break: that is why a change of it, too, needs approval. */
function effectOf({ annotations }: Definition): Effect {
  if (annotations?.readOnlyHint === true) return 'pure';
  return annotations?.idempotentHint === true ? 'idempotent' : 'once';
}

/** The first sight of a tool is its approval; what a person agrees to later replaces it. */
async function changeFor(
  { server, pins }: Origin,
  definition: Definition,
  pin: string,
): Promise<Change | undefined> {
  const key = `${server}/${definition.name}`;
  const pinned = await pins.get(key);
  if (pinned === undefined) await pins.set(key, pin);
  const reason = pinned === undefined ? undefined : changeOf(pinned, pin);
  return reason === undefined ? undefined : { reason, approve: () => pins.set(key, pin) };
}

function isSameChange(tool: McpTool | string, change: Change | undefined): boolean {
  return typeof tool === 'string' || tool.change?.reason === change?.reason;
}

/** Between the listing and the call a server may have changed, or come back as another one. */
async function checkSame(
  { name, definition }: { readonly name: string; readonly definition: Definition },
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  const all = await connection.tools(signal);
  const now = all.find((one) => one.name === definition.name);
  if (now === undefined) throw new RunError('unknown', `${name} is no longer offered by its server.`);
  if (pinOf('', now) === pinOf('', definition)) return;
  throw new RunError(
    'rejected',
    `${name} changed since it was listed; list the tools again and approve the change.`,
  );
}
