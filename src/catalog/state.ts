import { z } from 'zod';
import { Json } from '../run/values.ts';

/**
 * How an agent remembers a conversation. `restore`: it keeps nothing, and gets its own exchanges back with the state it
 * left on each. `conversation-id`: it keeps everything, under an id it gave. `stateless`: every message stands alone.
 */
export const StateStrategy = z.enum(['restore', 'conversation-id', 'stateless']);
export type StateStrategy = z.infer<typeof StateStrategy>;

/** What each strategy may keep. Anything else is refused with a notice, so that state cannot be poisoned or grow. */
const stateSchemas = {
  restore: z.object({ tool_call_history: z.array(z.record(z.string(), Json)).optional() }).catchall(Json),
  'conversation-id': z.object({ ums_conversation_id: z.string().min(1).max(200) }).catchall(Json),
  stateless: z.object({}).catchall(Json),
  shared: z.object({ fact: Json }),
} as const satisfies Record<StateStrategy | 'shared', z.ZodType>;

/** Tool exchanges that are kept, counted from the newest. */
const keptExchanges = 5;
const sizeLimit = 262_144;

export type CheckedState = { readonly state: Json; readonly left: number } | { readonly problem: string };

/** A state as it may be kept: checked, pruned to the newest tool exchanges, within its size. */
export function keepState(strategy: StateStrategy | 'shared', reported: Json): CheckedState {
  const schema: z.ZodType = stateSchemas[strategy];
  const checked = schema.safeParse(reported);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return { problem: `${issue?.path.join('.') || 'state'}: ${issue?.message ?? 'does not fit'}` };
  }
  const { state, left } = pruned(reported);
  const size = JSON.stringify(state).length;
  if (size > sizeLimit) return { problem: `it has ${size} characters; ${sizeLimit} are allowed` };
  return { state, left };
}

type Message = Readonly<Record<string, Json>>;

/** A call and its results stay or go together: a result without its call is refused by every model. */
function pruned(state: Json): { state: Json; left: number } {
  const history = isRecord(state) ? state['tool_call_history'] : undefined;
  if (!isRecord(state) || !Array.isArray(history)) return { state, left: 0 };
  const exchanges: Message[][] = [];
  for (const message of history.filter(isRecord)) {
    const isCall = Array.isArray(message['tool_calls']) || exchanges.length === 0;
    if (isCall) exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  const kept = exchanges.slice(-keptExchanges);
  return { state: { ...state, tool_call_history: kept.flat() }, left: exchanges.length - kept.length };
}

function isRecord(value: Json | undefined): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Named facts an agent wants others to know, under `shared` of what it reports, and the rest, which is its own. */
export function splitShared(reported: Json): {
  readonly own: Json;
  readonly shared: Readonly<Record<string, Json>>;
} {
  if (!isRecord(reported) || !isRecord(reported['shared'])) return { own: reported, shared: {} };
  const { shared, ...own } = reported;
  return { own, shared: isRecord(shared) ? shared : {} };
}

/** The name a shared fact is kept under, beside the agents. */
export function factName(name: string): string {
  return `shared ${name}`;
}

/** All agents' states as one object, in the form the reference coordinator puts on its messages. */
export function combinedState(
  states: Iterable<{ readonly strategy: string; readonly state: Json }>,
): Record<string, Json> {
  const combined: Record<string, Json> = {};
  for (const { strategy, state } of states) {
    if (strategy === 'restore') Object.assign(combined, { is_gpa: true, gpa_messages: state });
    else if (isRecord(state)) Object.assign(combined, state);
  }
  return combined;
}
