import type { Tool as Definition } from '@modelcontextprotocol/client';
import type { Effect } from '../../run/values.ts';
import { shortPin, type Sight } from './pins.ts';
import type { ApprovalRule, Tool } from '../tool.ts';

/** What the configuration says of a server, and of its tools by the server's own names. It alone can relax anything. */
export interface McpRules {
  /** It is ours: what its tools say of themselves counts, what they give is not foreign, what they get has not left. */
  readonly trusted?: boolean | undefined;
  /** When a person must agree. Otherwise: always, unless a trusted server or `effect` says that nothing is changed. */
  readonly approval?: Readonly<Record<string, ApprovalRule>> | undefined;
  readonly effect?: Readonly<Record<string, Effect>> | undefined;
  /** Whether data can leave by it. Otherwise: yes, unless the server is trusted. */
  readonly sends?: Readonly<Record<string, boolean>> | undefined;
}

type Standing = Required<Pick<Tool, 'effect' | 'approval' | 'sends' | 'untrusted'>>;

/** What a tool may do here. What it says of itself can make this stricter, and never alone less strict. */
export function standingOf(rules: McpRules, { name, annotations = {} }: Definition): Standing {
  const { trusted = false } = rules;
  const effect = own(rules.effect, name) ?? (trusted ? effectOf(annotations) : 'once');
  const isHarmless = effect !== 'once' && annotations.destructiveHint !== true;
  return {
    effect,
    approval: own(rules.approval, name) ?? (isHarmless ? 'never' : 'always'),
    sends: own(rules.sends, name) ?? !trusted,
    untrusted: !trusted,
  };
}

/** Of hints that contradict each other the stricter one counts. */
function effectOf({ readOnlyHint, destructiveHint, idempotentHint }: Annotations): Effect {
  if (readOnlyHint === true) return destructiveHint === true ? 'once' : 'pure';
  return idempotentHint === true ? 'idempotent' : 'once';
}

type Annotations = NonNullable<Definition['annotations']>;

function own<T>(settings: Readonly<Record<string, T>> = {}, name: string): T | undefined {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

/** All that a person needs to judge a tool by, in full: what is not shown cannot be agreed to. */
export function cautionOf(
  server: string,
  name: string,
  { seen, reason }: { readonly seen: Sight; readonly reason: string },
): string {
  const { pin, endpoint, description, schema, annotations } = seen;
  const parts = [
    `The tool «${name}» of the MCP server ${server} needs approval: ${reason}.`,
    `Its server: ${endpoint}`,
    `It says of itself: ${JSON.stringify(description)}`,
    `Its arguments: ${JSON.stringify(schema)}`,
    ...(annotations === undefined ? [] : [`Its hints: ${JSON.stringify(annotations)}`]),
    `Its pin: ${shortPin(pin)}`,
    'To agree to this call also accepts the tool as it is here, for the people of this tenant.',
  ];
  return parts.join('\n');
}
