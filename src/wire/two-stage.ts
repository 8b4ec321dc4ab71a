import { z } from 'zod';

const ToolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  /** The arguments are JSON in a string, as models write them. */
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const ToolResult = z.strictObject({
  toolCallId: z.string(),
  toolName: z.string(),
  success: z.boolean(),
  result: z.unknown().optional(),
  error: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** 0 where it was not run. */
  attempts: z.int().nonnegative(),
  timestamp: z.iso.datetime(),
});

/**
 * One frame of a two-stage answer. What a frame does not say is absent, never null: its clients ask whether a field is
 * there. The last frame of each answer is its only `done`; where the run failed it has an `error`, too.
 */
export const TwoStageFrame = z.strictObject({
  phase: z.enum(['tool_phase', 'action_phase', 'complete']),
  requestId: z.string(),
  projectId: z.string(),
  toolBatchId: z.int().nonnegative(),
  phaseIndex: z.int().nonnegative(),
  cycleIndex: z.int().nonnegative(),
  chunk: z.string().optional(),
  toolCalls: z.array(ToolCall).min(1).readonly().optional(),
  toolResults: z.array(ToolResult).min(1).readonly().optional(),
  /** Calls that were asked for again and not run: those of this result, and at the end all. */
  blockedSignatures: z.array(z.string()).min(1).readonly().optional(),
  notice: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  /** It waits for a person: after a tool phase for a resume, else for a decision. */
  paused: z.literal(true).optional(),
  stopped: z.literal(true).optional(),
  error: z.string().optional(),
  done: z.literal(true).optional(),
  fullContent: z.string().optional(),
});
export type TwoStageFrame = z.infer<typeof TwoStageFrame>;
export type ToolResult = z.infer<typeof ToolResult>;

/** A message as its clients send it, under the older or the newer names. */
export const TwoStageMessage = z.object({
  external_id: z.string().optional(),
  projectId: z.string().optional(),
  project_id: z.string().optional(),
  sender: z.string().optional(),
  content: z.string().optional(),
  message: z.string().optional(),
  mode: z.string().optional(),
  metadata: z
    .object({
      mode: z.string().optional(),
      projectId: z.string().optional(),
      requestId: z.string().optional(),
      /** Ours: which app is meant, where there is more than one that converses. */
      app: z.string().optional(),
    })
    .optional(),
});
export type TwoStageMessage = z.infer<typeof TwoStageMessage>;

/** A refusal as its clients read it. */
export function twoStageError({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): object {
  return code === 'disabled' ? { error: 'Two-stage protocol not enabled', message } : { error: message };
}
