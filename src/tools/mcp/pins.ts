import { createHash } from 'node:crypto';
import type { Tool as Definition } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { shownAddress, shownCommand } from '../../catalog/literal-secrets.ts';
import { Deciders, isEnough } from '../../run/deciders.ts';
import { Json } from '../../run/values.ts';
import type { Audience } from '../tool.ts';

/** A tool of a server as somebody may judge it: what it says of itself, and where it runs. */
const Sight = z.object({
  pin: z.string(),
  /** The command or address of its server. */
  endpoint: z.string(),
  description: z.string(),
  schema: Json,
  annotations: Json.optional(),
});
export type Sight = z.infer<typeof Sight>;

/** What people of a tenant agreed to in a run, under the rule that says who decides there. */
const Accepted = z.object({ tenant: z.string(), approvals: Deciders.optional(), pin: z.string() });
export type Accepted = z.infer<typeof Accepted>;

/** The tool as it was last seen, and the pins of it that were approved; to be seen is not to be approved. */
export const Pinned = z.object({
  seen: Sight,
  /** By the owner of the data folder, for everybody. */
  approved: z.string().optional(),
  accepted: z.array(Accepted).optional(),
});
export type Pinned = z.infer<typeof Pinned>;

/** What each tool of each server was when it was last seen, and when it was last approved, by `server/tool`. */
export interface Pins {
  get(key: string): Pinned | undefined;
  all(): ReadonlyMap<string, Pinned>;
  /** Each gets what is known of it when it is changed, if need be more than once: others change them, too. */
  change(changes: ReadonlyMap<string, PinChange>): Promise<void>;
}

export type PinChange = (known: Pinned | undefined) => Pinned;

/** A value without what must not pass; itself if there is nothing of the kind. */
export type Clean = <T>(value: T) => T;

/** Everything a person judges a tool by: where it runs, and what it says about itself. */
export function pinOf(endpoint: string, definition: Definition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  return `${hash(endpoint)}.${hash(canonical({ name, title, description, inputSchema, outputSchema, annotations }))}`;
}

/** What a person is shown of a pin: enough to tell one tool from any other. */
export function shortPin(pin: string): string {
  return pin
    .split('.')
    .map((part) => part.slice(0, 8))
    .join('.');
}

/** Why a tool must be approved, or nothing if it is what was approved for these. */
export function doubtOf({ seen, approved, accepted = [] }: Pinned, audience: Audience): string | undefined {
  const counting = accepted.filter((each) => countsFor(each, audience)).map(({ pin }) => pin);
  const pins = approved === undefined ? counting : [approved, ...counting];
  const last = pins.at(-1);
  if (pins.includes(seen.pin)) return undefined;
  if (last === undefined) return 'nobody has approved it yet';
  const [where, what] = last.split('.');
  const [nowWhere, nowWhat] = seen.pin.split('.');
  const parts = [
    ...(where === nowWhere ? [] : ['the command or address of its server']),
    ...(what === nowWhat ? [] : ['its description, schema or annotations']),
  ];
  return `${parts.join(' and ')} changed since it was approved`;
}

function countsFor({ tenant, approvals }: Accepted, audience: Audience): boolean {
  return tenant === audience.tenant && isEnough(approvals, audience.approvals);
}

/** The tool as these took it. What others took, or these under another rule, stays as it was. */
export function acceptedBy(
  { tenant, approvals }: Audience,
  { seen, accepted = [], ...known }: Pinned,
): Pinned {
  const others = accepted.filter((each) => each.tenant !== tenant || each.approvals !== approvals);
  return { ...known, seen, accepted: [...others, { tenant, pin: seen.pin, approvals }] };
}

export function memoryPins(): Pins {
  let pins: ReadonlyMap<string, Pinned> = new Map();
  return {
    get: (key) => pins.get(key),
    all: () => pins,
    async change(changes) {
      const next = [...changes].map(([key, change]) => [key, change(pins.get(key))] as const);
      pins = new Map([...pins, ...next]);
    },
  };
}

/** A tool as it may be kept and shown. */
export function shown({ endpoint, ...seen }: Sight, clean: Clean): Sight {
  return { ...clean(seen), endpoint: shownEndpoint(endpoint, clean) };
}

export function withoutSecrets(pinned: Pinned, clean: Clean): Pinned {
  return { ...pinned, seen: shown(pinned.seen, clean) };
}

/** A command is kept as the list it is. */
function shownEndpoint(endpoint: string, clean: Clean): string {
  return endpoint.startsWith('[')
    ? JSON.stringify(clean(shownCommand(z.array(z.string()).parse(JSON.parse(endpoint)))))
    : clean(shownAddress(endpoint));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The order of keys says nothing, and servers do not keep to one. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
