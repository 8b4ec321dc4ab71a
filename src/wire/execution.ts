import { z } from 'zod';

export const StepType = z.enum([
  'agent',
  'tool_call',
  'llm_call',
  'transform',
  'coordinator',
  'merge',
  'parallel_crew',
  'hierarchical_crew',
]);
export type StepType = z.infer<typeof StepType>;

const summary = z.record(z.string(), z.unknown());

const Interrupt = z.strictObject({
  approval_id: z.string(),
  step_id: z.string().nullable(),
  title: z.string(),
  message: z.string().optional(),
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
  priority: z.enum(['low', 'medium', 'high', 'critical']),
  allowed_decisions: z.array(z.string()),
  expires_at: z.string().optional(),
});

/** The envelope of an execution event. Times are UTC without a zone; `step_id` is null for the run itself. */
export const ExecutionFrame = z.discriminatedUnion('event', [
  envelope('run_started', z.strictObject({ workflow_id: z.string() })),
  envelope(
    'step_started',
    z.strictObject({
      step_name: z.string(),
      step_type: StepType,
      input_summary: summary,
      parent_step_id: z.string().optional(),
    }),
  ),
  envelope('step_output', z.strictObject({ intermediate_output: summary })),
  envelope(
    'step_completed',
    z.strictObject({ output_summary: summary, output_preview: z.string().max(303) }),
  ),
  envelope('step_failed', z.strictObject({ error: z.string() })),
  envelope(
    'run_completed',
    z.discriminatedUnion('status', [
      z.strictObject({ status: z.literal('completed'), final_response: z.string() }),
      /** A person is asked. The run goes on, and so does the stream. */
      z.strictObject({ status: z.literal('interrupted'), interrupt: Interrupt }),
    ]),
  ),
  envelope('run_failed', z.strictObject({ error: z.string(), status: z.literal('failed') })),
]);
export type ExecutionFrame = z.infer<typeof ExecutionFrame>;

function envelope<const Event extends string, Payload extends z.ZodType>(event: Event, payload: Payload) {
  return z.strictObject({
    event: z.literal(event),
    run_id: z.string(),
    step_id: z.string().nullable(),
    timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
    payload,
  });
}
