import { z } from 'zod';
import { readAs, Json } from '../run/values.ts';

/**
 * How an agent remembers a conversation. `restore`: it keeps nothing, and gets its own exchanges back with the state it
 * left on each. `conversation-id`: it keeps everything, under an id it gave. `stateless`: every message stands alone.
 */
export const StateStrategy = z.enum(['restore', 'conversation-id', 'stateless']);
export type StateStrategy = z.infer<typeof StateStrategy>;

/** Tool exchanges as agents keep them: as messages in one list, or as calls and responses in two. */
const Restored = z.object({
  tool_call_history: z.array(z.record(z.string(), Json)).optional(),
  tool_calls: z.array(Json).optional(),
  tool_responses: z.array(Json).optional(),
});

/**
 * What each strategy may keep. Anything else is refused with a notice, so that state cannot be poisoned or grow. An agent
 * that is restored may itself be a coordinator of others, whose state it wraps.
 */
const stateSchemas = {
  restore: Restored.extend({ gpa_messages: Restored.catchall(Json).nullish() }).catchall(Json),
  'conversation-id': z.object({ ums_conversation_id: z.string().min(1).max(200) }).catchall(Json),
  stateless: z.object({}).catchall(Json),
} as const satisfies Record<StateStrategy, z.ZodType>;

/** Characters of JSON that an agent's state may have unless said; no more than this is ever sent back to it either. */
export const stateLimit = 262_144;

/** How much of what an agent remembers is kept and sent back to it. */
export const Keeps = z.strictObject({
  /** Tool exchanges of a state, counted from the newest; 5 unless said. */
  toolExchanges: z.int().positive().optional(),
  /** Exchanges that are restored; 8 unless said. */
  exchanges: z.int().positive().optional(),
  /** And characters of them, about four to a token; 24,000 unless said. */
  characters: z.int().positive().optional(),
  /** Characters of what hung on the restored messages; 8 Mi unless said. What does not fit is named. */
  attachments: z.int().nonnegative().optional(),
  /** Characters of JSON of one state, and of all that are sent back at once; 262,144 unless said. */
  state: z.int().positive().optional(),
});
export type Keeps = Readonly<z.infer<typeof Keeps>>;

const defaultToolExchanges = 5;

export type CheckedState = { readonly state: Json; readonly left: number } | { readonly problem: string };

/** A state as it may be kept: checked, pruned to the newest tool exchanges, within its size. */
export function keepState(strategy: StateStrategy, reported: Json, keeps: Keeps = {}): CheckedState {
  const schema: z.ZodType = stateSchemas[strategy];
  const checked = readAs(schema, reported);
  if (!checked.fits) {
    const [{ path, message }] = checked.wrong;
    return { problem: `${path.join('.') || 'state'}: ${message}` };
  }
  const { state, left } = pruned(reported, keeps.toolExchanges ?? defaultToolExchanges);
  const size = JSON.stringify(state).length;
  const most = keeps.state ?? stateLimit;
  if (size > most) return { problem: `it has ${size} characters; ${most} are allowed (keeps.state)` };
  return { state, left };
}

type Fields = Readonly<Record<string, Json>>;

interface Pruned {
  readonly state: Json;
  readonly left: number;
}

/** A call and its results stay or go together: a result without its call is refused by every model. */
function pruned(state: Json, most: number): Pruned {
  if (!isRecord(state)) return { state, left: 0 };
  const inner = state['gpa_messages'] === undefined ? undefined : pruned(state['gpa_messages'], most);
  const whole = inner ? { ...state, gpa_messages: inner.state } : state;
  const parts = [newestMessages(whole, most), newestCalls(whole, most)];
  return {
    state: Object.assign({}, whole, ...parts.map(({ kept }) => kept)),
    left: parts.reduce((sum, { left }) => sum + left, inner?.left ?? 0),
  };
}

interface Newest {
  /** The fields that are other than they were. */
  readonly kept: Fields;
  readonly left: number;
}

function newestMessages({ tool_call_history: history }: Fields, most: number): Newest {
  if (!Array.isArray(history)) return { kept: {}, left: 0 };
  const exchanges: Fields[][] = [];
  for (const message of history.filter(isRecord)) {
    const isCall = Array.isArray(message['tool_calls']) || exchanges.length === 0;
    if (isCall) exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  const kept = exchanges.slice(-most);
  return { kept: { tool_call_history: kept.flat() }, left: exchanges.length - kept.length };
}

/** A response belongs to the call it names, or else to the one at its place. */
function newestCalls({ tool_calls: calls, tool_responses: responses }: Fields, most: number): Newest {
  if (!Array.isArray(calls) || calls.length <= most) return { kept: {}, left: 0 };
  const left = calls.length - most;
  const gone = new Set(calls.slice(0, left).map((call) => fieldOf(call, 'id')));
  const isKept = (response: Json, place: number): boolean => {
    const call = fieldOf(response, 'tool_call_id');
    return call === undefined ? place >= left : !gone.has(call);
  };
  const kept = { tool_calls: calls.slice(left) };
  if (!Array.isArray(responses)) return { kept, left };
  return { kept: { ...kept, tool_responses: responses.filter(isKept) }, left };
}

function fieldOf(value: Json, name: string): Json | undefined {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
