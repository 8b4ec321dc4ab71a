import { z } from 'zod';
import { Deciders } from './deciders.ts';
import { Failure } from './failure-schema.ts';
import { Attachment, BlobRef, Effect, Item, Json, Limits, Usage } from './values.ts';

/** Small integers in the order of opening, given by the engine. The run itself is step 0. */
export const StepId = z.int().nonnegative();
export type StepId = z.infer<typeof StepId>;

export const Outcome = z.enum(['completed', 'failed', 'skipped', 'stopped', 'reused', 'abandoned']);
export type Outcome = z.infer<typeof Outcome>;

export const Channel = z.enum(['content', 'reasoning', 'arguments', 'log']);
export type Channel = z.infer<typeof Channel>;

export const Decision = z.enum(['approve', 'reject', 'edit', 'defer', 'expire']);
export type Decision = z.infer<typeof Decision>;

export const Phase = z.enum(['tool_phase', 'action_phase', 'complete']);
export type Phase = z.infer<typeof Phase>;

/** Others wrote what it brings (a web page, a file, another agent), or what it was told of tools. */
export const Untrusted = z.enum(['content', 'tools']);
export type Untrusted = z.infer<typeof Untrusted>;

/** A tool call as it will run. Arguments over the size limit are a reference. */
export const Call = z.object({
  id: z.string(),
  tool: z.string(),
  arguments: z.union([BlobRef, Json]),
  signature: z.string(),
  effect: Effect,
});
export type Call = z.infer<typeof Call>;

/** What an agent was asked and what it answered. What is large is a reference. */
export const Exchange = z.object({
  asked: z.union([z.string(), BlobRef]),
  answered: z.union([z.string(), BlobRef]),
  /** How it ended, in a sentence, where it did not come to its end as it should. */
  outcome: z.string().optional(),
});
export type Exchange = z.infer<typeof Exchange>;

/** A message that goes out before the one a person is asked about. What is large is a reference. */
export const EarlierMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string(),
  attachments: z.array(Attachment).optional(),
  calls: Json.optional(),
});
export type EarlierMessage = z.infer<typeof EarlierMessage>;

/** A message of a conversation that a client keeps, as it sent it. What is large is a reference. */
export const SentMessage = z.object({
  role: EarlierMessage.shape.role,
  text: z.string(),
  attachments: z.array(Attachment).optional(),
  /** Of an answer: the run of this tenant that gave it. */
  run: z.string().optional(),
  /** Of an answer: what its agents left, as the client had it. */
  state: Json.optional(),
});
export type SentMessage = z.infer<typeof SentMessage>;

/** What goes out with a message beside its words. */
const along = {
  /** What hangs on the message. What is large is a reference. */
  attachments: z.array(Attachment).optional(),
  /** What is sent before it, where that is more than the exchange. */
  history: z.union([BlobRef, z.array(EarlierMessage)]).optional(),
  /** The agent has lost the conversation: it knows nothing of what was said there. */
  forgotten: z.boolean().optional(),
};
export const Along = z.object(along);
export type Along = z.infer<typeof Along>;

const by = { by: z.string(), reason: z.string().optional(), command: z.string().optional() };
const step = { step: StepId };
const placed = {
  step: StepId,
  parent: StepId,
  key: z.string(),
  kind: z.string(),
  title: z.string(),
};

/** Everything that can happen to a run. A kind is never renamed or reshaped: a better one is added beside it. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run.started'),
    tenant: z.string(),
    who: z.string(),
    app: z.string(),
    conversation: z.string(),
    input: z.object({
      text: z.union([z.string(), BlobRef]),
      attachments: z.array(Attachment).optional(),
      /** What a program gives beside words. */
      data: z.union([BlobRef, Json]).optional(),
    }),
    /** The words of the input as guards let them pass, where that is something else: for later runs and for searches. */
    guarded: z.union([z.string(), BlobRef]).optional(),
    flow: z.object({ name: z.string(), version: z.string() }),
    limits: Limits,
    labels: z.record(z.string(), z.string()),
    /** Who decides what it asks, as its app said when it began; whoever started it where nothing is said. */
    approvals: Deciders.optional(),
    /** The conversation as whoever asked sent it, oldest first: then it is this, and not what is kept of earlier runs. */
    history: z.union([BlobRef, z.array(SentMessage)]).optional(),
    /** Runs of the conversation that had ended when this one began, oldest first. */
    earlier: z.array(z.string()).optional(),
    /** The run whose place in the conversation this one takes: what counts as earlier is what did for that one. */
    replaces: z.string().optional(),
    /** The hash of what it runs, as it was when it began. Its body is kept as long as the run. */
    definition: z.string().optional(),
    /** The run it goes on from, as it was at that entry, and how many entries of its own it has of that one. */
    forkedFrom: z.object({ run: z.string(), seq: z.int(), kept: z.int().optional() }).optional(),
    /** The node of a graph that is tried alone. */
    tries: z.string().optional(),
  }),
  z.object({ type: z.literal('run.paused'), ...by }),
  z.object({ type: z.literal('run.resumed'), ...by }),
  z.object({
    type: z.literal('run.ended'),
    outcome: z.enum(['completed', 'failed', 'stopped']),
    answer: z.union([z.string(), BlobRef]).optional(),
    failure: Failure.optional(),
    usage: Usage,
  }),
  z.object({
    type: z.literal('worker.took'),
    worker: z.string(),
    epoch: z.int(),
    reason: z.enum(['started', 'woken', 'recovered']),
  }),
  z.object({ type: z.literal('stop.requested'), ...by }),
  z.object({
    type: z.literal('phase.entered'),
    ...step,
    phase: Phase,
    batch: z.int(),
    cycle: z.int(),
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal('step.planned'), ...placed }),
  z.object({
    type: z.literal('step.opened'),
    ...placed,
    attempt: z.int().positive().optional(),
    started: z.boolean().optional(),
    effect: Effect.optional(),
    agent: z.string().optional(),
    model: z.string().optional(),
    icon: z.string().optional(),
    query: z.string().optional(),
    /** What hung on the message of an agent's turn. What is large is a reference. */
    attachments: z.array(Attachment).optional(),
    /** The same, as it is part of the turn's idempotency key. */
    attached: z.string().optional(),
    reasoning: z.string().optional(),
    call: Call.optional(),
    origin: z.string().optional(),
    untrusted: Untrusted.optional(),
    /** Of a wait: when it is over. Milliseconds since 1970. */
    until: z.number().optional(),
    /** How long it may work before it is ended. Milliseconds. */
    within: z.number().optional(),
  }),
  z.object({ type: z.literal('step.started'), ...step, call: Call.optional() }),
  z.object({ type: z.literal('title.appended'), ...step, text: z.string() }),
  z.object({
    type: z.literal('text.appended'),
    ...step,
    channel: Channel,
    text: z.string(),
    call: z.string().optional(),
    tool: z.string().optional(),
  }),
  z.object({
    type: z.literal('prompt.recorded'),
    ...step,
    /** The step whose prompt this one goes on from. */
    continues: StepId.optional(),
    /** What is new in it, as `RecordedPrompt`. */
    blob: BlobRef,
  }),
  z.object({ type: z.literal('item.attached'), ...step, item: Item }),
  z.object({
    type: z.literal('step.closed'),
    ...step,
    outcome: Outcome,
    result: z.union([BlobRef, Json]).optional(),
    failure: Failure.optional(),
    usage: Usage.optional(),
    reusedFrom: StepId.optional(),
  }),
  z.object({
    type: z.literal('step.retried'),
    ...step,
    attempt: z.int().positive(),
    reason: z.string(),
    /** The attempt before was cut off by the end of its worker: it does not count towards the budget. */
    cutOff: z.boolean().optional(),
    /** What the attempt before used, sent and written; without it, what it wrote is estimated. */
    tokens: z.number().nonnegative().optional(),
    /** What these cost, where that is known. */
    cost: z.number().nonnegative().optional(),
    call: Call.optional(),
    model: z.string().optional(),
  }),
  z.object({
    type: z.literal('notice.posted'),
    ...step,
    code: z.string(),
    message: z.string(),
    /** The command that became this. */
    command: z.string().optional(),
  }),
  z.object({
    type: z.literal('approval.requested'),
    approval: z.string(),
    ...step,
    title: z.string(),
    fingerprint: z.string(),
    arguments: z.union([BlobRef, Json]).optional(),
    schema: Json.optional(),
    /** What an edit must fit; of a call the schema of its tool, where that is small. */
    editSchema: Json.optional(),
    /** What an edit may have done again, by name: its answer says which, `{"redo": …}`. */
    redo: z.array(z.string()).optional(),
    message: z.string().optional(),
    priority: z.enum(['low', 'medium', 'high', 'critical']),
    allowed: z.array(Decision),
    /** Who decides it, where that is stricter than what its run was started with. */
    approvals: Deciders.optional(),
    expiresAt: z.number().optional(),
    /** What the words of a message refer to: what its agent was asked last, and what it answered. */
    exchange: Exchange.optional(),
    ...along,
    /** Where the agent stood in its conversation: once it has gone on, this lapses. */
    position: z.string().optional(),
    /** The question that lapsed, and is asked anew by this one. */
    insteadOf: z.string().optional(),
    /** By its own history the agent has answered, and the step has that answer: to approve goes on with it. */
    recalled: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('approval.lapsed'),
    approval: z.string(),
    /** Of what was asked. */
    fingerprint: z.string(),
    reason: z.string(),
    command: z.string().optional(),
  }),
  /** What somebody put off is to be decided again: its time has come. */
  z.object({ type: z.literal('approval.returned'), approval: z.string() }),
  z.object({
    type: z.literal('approval.decided'),
    approval: z.string(),
    decision: Decision,
    by: z.string(),
    command: z.string().optional(),
    rationale: z.string().optional(),
    arguments: z.union([BlobRef, Json]).optional(),
    answer: Json.optional(),
    /** After an edit: of what shall run. */
    fingerprint: z.string().optional(),
    /** The fingerprint of what was asked, which whoever agrees must name. */
    shown: z.string().optional(),
    until: z.number().optional(),
  }),
  z.object({
    type: z.literal('state.saved'),
    ...step,
    agent: z.string(),
    strategy: z.string(),
    state: z.union([BlobRef, Json]),
  }),
  z.object({
    type: z.literal('message.queued'),
    message: z.string(),
    text: z.string(),
    attachments: z.array(Attachment).optional(),
    by: z.string(),
    command: z.string().optional(),
  }),
  z.object({ type: z.literal('message.taken'), message: z.string(), ...step, poll: z.int().optional() }),
  z.object({ type: z.literal('unknown'), kind: z.string(), original: Json }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** An event as the journal keeps it: ordered, stamped (milliseconds since 1970), final. */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  /** How much of the time before it the machine slept, or its clock was set: nobody worked in it. Milliseconds. */
  readonly jump?: number;
  readonly event: RunEvent;
}
