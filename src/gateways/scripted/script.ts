import { z } from 'zod';
import { FailureCode } from '../../run/failure-schema.ts';
import { RunError } from '../../run/failure.ts';
import { placeIn, readAs, Item, Json, Usage } from '../../run/values.ts';
import type { AgentEvent, Message, Turn } from '../gateway.ts';

const pieces = z.union([z.string(), z.array(z.string())], {
  error: 'expected a text, or a list of texts that arrive one by one',
});
const stage = { stage: z.string().min(1) };

const events = [
  z.strictObject({
    type: z.literal('text.appended'),
    text: z.string(),
    channel: z.enum(['content', 'reasoning', 'log']).optional(),
  }),
  z.strictObject({
    type: z.literal('call.appended'),
    call: z.string().min(1),
    tool: z.string().min(1).optional(),
    text: z.string(),
  }),
  z.strictObject({ type: z.literal('item.attached'), item: Item }),
  z.strictObject({
    type: z.literal('stage.opened'),
    ...stage,
    parent: z.string().optional(),
    title: z.string().optional(),
    kind: z.string().optional(),
    agent: z.string().optional(),
    icon: z.string().optional(),
    query: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('stage.titled'), ...stage, text: z.string() }),
  z.strictObject({
    type: z.literal('stage.appended'),
    ...stage,
    text: z.string(),
    channel: z.enum(['content', 'reasoning', 'arguments', 'log']).optional(),
  }),
  z.strictObject({ type: z.literal('stage.attached'), ...stage, item: Item }),
  z.strictObject({ type: z.literal('stage.closed'), ...stage, outcome: z.enum(['completed', 'failed']) }),
  z.strictObject({ type: z.literal('state.reported'), state: Json }),
  z.strictObject({ type: z.literal('usage.reported'), usage: Usage }),
  z.strictObject({
    type: z.literal('turn.retried'),
    reason: z.string(),
    model: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('notice.posted'), code: z.string(), message: z.string() }),
  z.strictObject({
    type: z.literal('turn.finished'),
    reason: z.enum(['stop', 'length', 'calls', 'filter', 'asks', 'other']),
  }),
  z.strictObject({
    type: z.literal('question.asked'),
    question: z.strictObject({
      id: z.string().min(1),
      title: z.string(),
      message: z.string().optional(),
      arguments: Json.optional(),
      schema: Json.optional(),
      token: Json.optional(),
    }),
  }),
] as const;

/** An event as upstream may claim it: what does not fit becomes a notice, so it is checked piece by piece. */
export const ScriptedEvent: z.ZodType<AgentEvent> = z.discriminatedUnion('type', events);

/** One thing the scripted back end does. Every event of the port is a move; the others are these. */
const Move = z.discriminatedUnion('type', [
  ...events,
  /** Text that is streamed, one chunk for each piece. */
  z.strictObject({
    type: z.literal('say'),
    text: pieces,
    channel: z.enum(['content', 'reasoning', 'log']).optional(),
  }),
  /** A tool call whose arguments are streamed, one chunk for each piece. */
  z.strictObject({
    type: z.literal('call'),
    call: z.string().min(1),
    tool: z.string().min(1),
    arguments: pieces,
  }),
  /** Several events that arrive in one chunk. */
  z.strictObject({ type: z.literal('together'), events: z.array(z.discriminatedUnion('type', events)) }),
  z.strictObject({ type: z.literal('wait'), ms: z.number().nonnegative() }),
  /** Nothing more comes until somebody aborts the turn. */
  z.strictObject({ type: z.literal('hang') }),
  /** A piece exactly as upstream sent it, right or wrong. */
  z.strictObject({ type: z.literal('raw'), piece: z.unknown() }),
  z.strictObject({
    type: z.literal('fail'),
    code: FailureCode,
    message: z.string().min(1),
    retryable: z.boolean().optional(),
  }),
]);
export type Move = z.infer<typeof Move>;

/**
 * What a turn must say for a scripted turn to be its answer. All given conditions must hold. `results` and `answers`
 * count the tool results and assistant messages after the last user message.
 */
const When = z.strictObject({
  text: z.string().optional(),
  results: z.int().nonnegative().optional(),
  answers: z.int().nonnegative().optional(),
  tools: z.boolean().optional(),
});
type When = z.infer<typeof When>;

const ScriptedTurn = z.strictObject({ when: When.optional(), moves: z.array(Move) });
type ScriptedTurn = z.infer<typeof ScriptedTurn>;

/** Turns in order, some of them only under a condition; or a function of the turn, which must have no memory. */
export type Script =
  | readonly (readonly Move[] | { readonly when?: When; readonly moves: readonly Move[] })[]
  | ((turn: Turn) => readonly Move[]);

/** Checks a script once. What it returns is a function of the turn alone, so that a restart replays the same turn. */
export function readScript(script: Script): (turn: Turn) => readonly Move[] {
  if (typeof script === 'function') return (turn) => read(z.array(Move), script(turn));
  const lists = Array.isArray(script)
    ? script.map((turn) => (Array.isArray(turn) ? { moves: turn } : turn))
    : script;
  const turns = read(z.array(ScriptedTurn), lists);
  return (turn) => choose(turns, turn);
}

function choose(turns: readonly ScriptedTurn[], turn: Turn): readonly Move[] {
  const matching = turns.find(({ when }) => when !== undefined && fits(when, turn));
  if (matching !== undefined) return matching.moves;
  const inOrder = turns.filter(({ when }) => when === undefined);
  const place = roundsBefore(turn.messages);
  const next = inOrder[place];
  if (next !== undefined) return next.moves;
  throw new RunError(
    'unknown',
    `The script has ${inOrder.length} turns in order and turn ${place + 1} was asked for; add it, or a turn with a \`when\` that fits.`,
  );
}

function fits(when: When, { messages, tools = [] }: Turn): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(last + 1);
  const text = messages[last]?.text ?? '';
  return (
    (when.text === undefined || text.includes(when.text)) &&
    (when.results === undefined || when.results === sum(since, resultsIn)) &&
    (when.answers === undefined ||
      when.answers === sum(since, ({ role }) => (role === 'assistant' ? 1 : 0))) &&
    (when.tools === undefined || when.tools === tools.length > 0)
  );
}

/** An assistant message counts once with the results that follow it; results without one before them count each. */
function roundsBefore(messages: readonly Message[]): number {
  const assistants = sum(messages, ({ role }) => (role === 'assistant' ? 1 : 0));
  const first = messages.findIndex(({ role }) => role === 'assistant');
  return assistants + sum(first === -1 ? messages : messages.slice(0, first), resultsIn);
}

/** Results are tool messages, or boxes inside a system message when a phase begins afresh. */
function resultsIn({ role, text }: Message): number {
  if (role === 'tool') return 1;
  return role === 'system' ? (text.match(/^TOOL RESULT: /gm)?.length ?? 0) : 0;
}

function sum(messages: readonly Message[], count: (message: Message) => number): number {
  return messages.reduce((total, message) => total + count(message), 0);
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = readAs(schema, value);
  if (read.fits) return read.value;
  const [{ path, message }] = read.wrong;
  throw new RunError('malformed', `The script is wrong at ${placeIn(path) || 'its top'}: ${message}.`);
}
