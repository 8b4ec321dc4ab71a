import { z } from 'zod';

const TraceSource = z.enum(['user', 'orion', 'tool', 'system']);

export const TraceType = z.enum([
  'user_message',
  'orion_response',
  'llm_call',
  'llm_result',
  'tool_registration',
  'tool_call',
  'tool_result',
  'duplicate_tool_call',
  'orchestration_phase_start',
  'orchestration_phase_end',
  'phase_transition',
  'approval_requested',
  'approval_decided',
  'approval_lapsed',
  'approval_returned',
  'run_paused',
  'run_resumed',
  'run_stopped',
  'system_error',
]);
export type TraceType = z.infer<typeof TraceType>;

/** One line of a trace, as trace dashboards read it. `summary` is never empty, and 0 is a number like any other. */
export const TraceEvent = z.object({
  id: z.string().min(1),
  /** ISO 8601. */
  timestamp: z.string(),
  projectId: z.string(),
  source: TraceSource,
  type: TraceType,
  direction: z.enum(['inbound', 'outbound']).optional(),
  toolName: z.string().optional(),
  requestId: z.string(),
  summary: z.string().min(1),
  details: z.record(z.string(), z.unknown()),
  error: z.object({ message: z.string(), code: z.string() }).optional(),
  /** Dashboards group by the request they find here. */
  metadata: z.object({ requestId: z.string() }),
  phaseIndex: z.int().nonnegative().optional(),
  cycleIndex: z.int().nonnegative().optional(),
});
export type TraceEvent = z.infer<typeof TraceEvent>;

const Moment = z
  .string()
  .refine((given) => !Number.isNaN(Date.parse(given)), 'give a time such as 2026-11-17T08:00:00Z');

/** What a dashboard asks for. */
export const TraceFilter = z.object({
  projectId: z.string().min(1),
  type: TraceType.optional(),
  source: TraceSource.optional(),
  requestId: z.string().min(1).optional(),
  /** What it says, anywhere in it, in whatever case. */
  text: z.string().min(1).optional(),
  /** From then on, and before then: ISO 8601. */
  since: Moment.optional(),
  until: Moment.optional(),
  limit: z.int().min(1).max(1_000).default(50),
  offset: z.int().nonnegative().default(0),
});
export type TraceFilter = z.input<typeof TraceFilter>;
