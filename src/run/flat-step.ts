import { z } from 'zod';
import { Call, Outcome, Phase, StepId, Untrusted } from './events.ts';
import { Failure } from './failure-schema.ts';
import { textOf, type RequestedCall, type Step, filled, present } from './tree.ts';
import { BlobRef, Effect, Item, Json, Usage } from './values.ts';
export const FlatPhase = z.object({ phase: Phase, batch: z.int(), cycle: z.int() });

/** One step as JSON. What is empty is absent. */
export const FlatStep = z.object({
  id: StepId,
  parent: StepId,
  key: z.string(),
  kind: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'running', 'waiting', ...Outcome.options]),
  attempt: z.int(),
  agent: z.string().optional(),
  model: z.string().optional(),
  icon: z.string().optional(),
  query: z.string().optional(),
  /** Why this step is taken, in the words of whoever decided so. */
  reasoning: z.string().optional(),
  effect: Effect.optional(),
  origin: z.string().optional(),
  untrusted: Untrusted.optional(),
  call: Call.optional(),
  phase: FlatPhase.optional(),
  text: z.string().optional(),
  /** What the model thought aloud. */
  thinking: z.string().optional(),
  arguments: z.string().optional(),
  log: z.string().optional(),
  /** Calls a model asked for; the arguments are text that need not be JSON. */
  calls: z.array(z.object({ id: z.string(), tool: z.string(), arguments: z.string() })).optional(),
  items: z.array(Item).optional(),
  notices: z.array(z.object({ seq: z.int(), code: z.string(), message: z.string() })).optional(),
  /** Ids of the approvals asked for this step. */
  approvals: z.array(z.string()).optional(),
  /** Where what its model or agent was sent is kept. */
  prompt: z.object({ continues: StepId.optional(), blob: BlobRef }).optional(),
  result: z.union([BlobRef, Json]).optional(),
  failure: Failure.optional(),
  usage: Usage.optional(),
  /** It was not run: the same was asked for before, and this is the step whose outcome it has. */
  reusedFrom: StepId.optional(),
  /** Of a wait: when it is over. Milliseconds since 1970. */
  until: z.number().optional(),
  /** How long it may work before it is ended. Milliseconds. */
  within: z.number().optional(),
  blocked: z.literal(true).optional(),
  openedAt: z.number().optional(),
  closedAt: z.number().optional(),
  /** From its beginning to its end, once it has ended. */
  milliseconds: z.number().optional(),
});
export type FlatStep = z.infer<typeof FlatStep>;

/** `read` gives its words: whoever reads again and again keeps what it has read. */
export function flatStep(step: Step, approvals: readonly string[], read = textOf): FlatStep {
  const { id, parent, key, kind, title, status, attempt, openedAt, startedAt, closedAt } = step;
  const { agent, model, icon, query, reasoning, effect, origin, untrusted, call, phase } = step;
  const { prompt, result, failure, usage, reusedFrom } = step;
  const began = startedAt ?? openedAt;
  return {
    id,
    parent,
    key,
    kind,
    title,
    status,
    attempt,
    ...present({ agent, model, icon, query, reasoning, effect, origin, untrusted, call, phase }),
    ...present({
      text: filled(read(step)),
      thinking: filled(read(step, 'reasoning')),
      arguments: filled(read(step, 'arguments')),
      log: filled(read(step, 'log')),
      calls: filled([...(step.requests?.values() ?? [])].map(flatRequest)),
      items: filled([...step.items]),
      notices: filled(step.notices.map(({ seq, code, message }) => ({ seq, code, message }))),
      approvals: filled([...approvals]),
    }),
    ...present({ until: step.until, within: step.clock?.within }),
    ...present({ prompt, result, failure, usage, reusedFrom, openedAt, closedAt }),
    ...(reusedFrom === undefined ? {} : { blocked: true as const }),
    ...(began === undefined || closedAt === undefined ? {} : { milliseconds: closedAt - began }),
  };
}

function flatRequest({ id, tool, pieces }: RequestedCall): NonNullable<FlatStep['calls']>[number] {
  return { id, tool, arguments: pieces.join('') };
}
