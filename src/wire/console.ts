import { z } from 'zod';

const timestamp = z.string();
const Visualization = z.strictObject({
  type: z.enum(['graph', 'table', 'documents', 'chart']),
  data: z.unknown(),
});
export type Visualization = z.infer<typeof Visualization>;

/** What a card is about. `parent` is the number of the card it was opened in, which the original does not have. */
const begun = {
  step: z.int(),
  agent: z.string(),
  query: z.string().max(500),
  timestamp,
  reasoning: z.string().optional(),
  parent: z.int().optional(),
};

const ended = {
  ...begun,
  duration: z.string().regex(/^\d+\.\ds$/),
  response: z.string().max(2_001),
  visualizations: z.array(Visualization).optional(),
  reasoning: z.string().max(501).optional(),
  error: z.literal(true).optional(),
  /** Asked before, and not done again; the original does not have it. */
  blocked: z.literal(true).optional(),
  is_action: z.literal(true).optional(),
  action: z.unknown().optional(),
};

const done = { status: z.enum(['completed', 'failed', 'cancelled']) };
const start = { run_id: z.string(), alert: z.string(), timestamp };

/** What a person is asked, on top of the original protocol, which has no approvals. */
const approval = {
  approval: z.string().optional(),
  step: z.int().optional(),
  /** What would run, and what its words refer to, every character visible. */
  arguments: z.string().optional(),
  exchange: z
    .strictObject({ asked: z.string(), answered: z.string(), outcome: z.string().optional() })
    .optional(),
  /** What is sent with it, also after an edit, and before it. */
  attachments: z.array(z.string()).readonly().optional(),
  history: z.string().optional(),
  /** The agent knows nothing of what was said before. */
  forgotten: z.literal(true).optional(),
};

/** The console's first generation: named events, each with an object. */
export const ConsoleFrame = z.discriminatedUnion('event', [
  frame('run_start', start),
  frame('thread_created', { thread_id: z.string() }),
  frame('step_thinking', { agent: z.string(), status: z.string() }),
  frame('step_start', { step: z.int(), agent: z.string() }),
  frame('step_started', begun),
  frame('step_response', ended),
  frame('step_complete', ended),
  frame('action_executed', {
    step: z.int(),
    action_name: z.string(),
    action_data: z.unknown(),
    timestamp,
  }),
  frame('message', {
    text: z.string(),
    visualizations: z.array(Visualization).optional(),
    /** Stopped while it was being said; the original does not have it. */
    partial: z.literal(true).optional(),
  }),
  frame('run_complete', { steps: z.int(), tokens: z.number(), time: z.string() }),
  frame('error', { message: z.string() }),
  frame('user_message', { text: z.string() }),
  frame('status_change', { status: z.string(), message: z.string(), ...approval }),
  /** Sent by the server into a silence; no entry gives one. */
  frame('heartbeat', {}),
  frame('done', done),
]);
export type ConsoleFrame = z.infer<typeof ConsoleFrame>;

const SubStep = z.strictObject({
  index: z.int(),
  query: z.string(),
  result_summary: z.string(),
  agent: z.string().optional(),
});
export type SubStep = z.infer<typeof SubStep>;

const { parent: _begunIn, ...begunCall } = begun;
const { parent: _endedIn, ...endedCall } = ended;
const call = { id: z.string(), parent: z.string().optional() };

/** The console's second generation: dotted names, calls with ids, messages in pieces. */
export const DottedFrame = z.discriminatedUnion('event', [
  frame('run.start', start),
  frame('session.created', { session_id: z.string(), thread_id: z.string() }),
  frame('tool_call.start', { ...begunCall, ...call }),
  frame('tool_call.complete', { ...endedCall, ...call, sub_steps: z.array(SubStep).optional() }),
  frame('message.start', { id: z.string() }),
  frame('message.delta', { id: z.string(), text: z.string() }),
  frame('message.complete', {
    id: z.string(),
    text: z.string(),
    visualizations: z.array(Visualization).optional(),
  }),
  frame('user_message', { text: z.string() }),
  frame('status', { message: z.string(), status: z.string().optional(), ...approval }),
  frame('run.complete', {
    steps: z.int(),
    time: z.string(),
    status: z.literal('cancelled').optional(),
  }),
  frame('error', { message: z.string() }),
  frame('done', done),
]);
export type DottedFrame = z.infer<typeof DottedFrame>;

function frame<const Event extends string, Shape extends z.ZodRawShape>(event: Event, shape: Shape) {
  return z.strictObject({ event: z.literal(event), data: z.strictObject(shape) });
}
