import type { Tool as Definition } from '@modelcontextprotocol/client';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import { argumentsOf } from './arguments.ts';
import { callTool } from './call.ts';
import type { Calls } from './calls.ts';
import type { Connection } from './connection.ts';
import type { Link } from './link.ts';
import {
  acceptedBy,
  doubtOf,
  pinOf,
  shown,
  type Clean,
  type PinChange,
  type Pinned,
  type Pins,
  type Sight,
} from './pins.ts';
import { cautionOf, standingOf, type McpRules } from './standing.ts';
import type { ApprovalRule, Audience, Tool } from '../tool.ts';

/** A tool of a server as it was listed. It runs only while the server still offers exactly this. */
export interface McpTool extends Tool {
  readonly approval: ApprovalRule;
  /** Why the tool is not what was approved for these. It then needs approval, whatever its rule says. */
  doubt(audience: Audience): string | undefined;
}

/** The tools of one server, made from its definitions. As long as nothing changes, a tool stays the same object. */
export interface ToolShelf {
  /** Record what is offered; gives what was never seen before, with its pin. */
  see(offered: readonly Definition[]): Promise<ReadonlyMap<Definition, string>>;
  /** The tool, or why there is none. */
  take(name: string | undefined, definition: Definition): McpTool | string;
}

export interface Origin {
  readonly server: string;
  /** Where the server is, as text: a tool of another place is another tool. */
  readonly endpoint: string;
  readonly timeout: number;
  readonly rules: McpRules;
  readonly pins: Pins;
  /** Takes secrets out of what is kept and shown of it. */
  readonly clean: Clean;
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
    see: (offered) => see(origin, offered),
    take(name, definition) {
      if (name === undefined) return 'no name could be made for it';
      const seen = sightOf(origin, definition);
      const known = made.get(name);
      if (known?.pin === seen.pin) return known.tool;
      const tool = makeTool(origin, { name, definition, seen });
      made.set(name, { pin: seen.pin, tool });
      return tool;
    },
  };
}

interface Offer {
  readonly name: string;
  readonly definition: Definition;
  readonly seen: Sight;
}

function makeTool(origin: Origin, { name, definition, seen }: Offer): McpTool | string {
  const { server, timeout, rules, link, calls, pins } = origin;
  const checked = argumentsOf(definition);
  if (checked === undefined) return 'its schema cannot be used';
  const { approval, ...standing } = standingOf(rules, definition);
  const check = (connection: Connection, signal: AbortSignal): Promise<void> =>
    checkSame({ name, definition }, connection, signal);
  const { effect } = standing;
  const target = { server, name, definition, arguments: checked, effect, timeout, link, calls, check };
  const key = keyOf(server, definition);
  // Looked up anew for every call: it may have been approved by the call before, or from another terminal.
  const known = (): Pinned => ({ ...pins.get(key), seen });
  const doubt = (audience: Audience): string | undefined => doubtOf(known(), audience);
  return {
    name,
    description: seen.description,
    schema: checked.schema,
    pin: seen.pin,
    timeout,
    approval,
    ...standing,
    doubt,
    caution(audience) {
      const reason = doubt(audience);
      return reason === undefined ? undefined : cautionOf(server, definition.name, { seen, reason });
    },
    async run(input, context) {
      // It took a person who could decide there.
      if (doubt(context) !== undefined)
        await pins.change(new Map([[key, (pinned) => acceptedBy(context, { ...pinned, seen })]]));
      return callTool(target, input, context);
    },
  };
}

function keyOf(server: string, { name }: Definition): string {
  return `${server}/${name}`;
}

function sightOf({ endpoint, clean }: Origin, definition: Definition): Sight {
  const { description, title, inputSchema, annotations } = definition;
  const sight = {
    pin: pinOf(endpoint, definition),
    endpoint,
    description: description ?? title ?? '',
    schema: Json.parse(inputSchema),
    annotations: annotations && Json.parse(annotations),
  };
  return shown(sight, clean);
}

/** Being seen is recorded, and approves nothing; only a configuration that trusts the server vouches for what it had first. */
async function see(origin: Origin, offered: readonly Definition[]): Promise<ReadonlyMap<Definition, string>> {
  const { server, pins, rules } = origin;
  const fresh = new Map<Definition, string>();
  const changed = new Map<string, PinChange>();
  for (const definition of offered) {
    const key = keyOf(server, definition);
    const seen = sightOf(origin, definition);
    const known = pins.get(key);
    const approved = known?.approved ?? (rules.trusted ? seen.pin : undefined);
    if (known === undefined) fresh.set(definition, seen.pin);
    if (known?.seen.pin === seen.pin && known.approved === approved) continue;
    changed.set(key, (pinned) => ({
      ...pinned,
      seen,
      approved: pinned?.approved ?? approved,
    }));
  }
  if (changed.size > 0) await pins.change(changed);
  return fresh;
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
