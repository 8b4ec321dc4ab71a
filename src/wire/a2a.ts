import type { Part } from '@a2a-js/sdk';
import { z } from 'zod';

/** Where the tree of steps is, for those who know it: an artifact of every task. */
export const stepsExtension = 'https://vitrine.dev/a2a/steps/v1';
export const stepsArtifactId = 'steps';
export const answerArtifactId = 'answer';

/** A step as that artifact has it, as far as others need it. */
export const TaskStep = z.looseObject({
  id: z.int(),
  parent: z.int(),
  title: z.string().catch(''),
  kind: z.string().optional().catch(undefined),
  agent: z.string().optional().catch(undefined),
  query: z.string().optional().catch(undefined),
  call: z.looseObject({ arguments: z.json() }).optional().catch(undefined),
  status: z.string(),
  text: z.string().optional().catch(undefined),
  thinking: z.string().optional().catch(undefined),
  log: z.string().optional().catch(undefined),
  items: z.array(z.unknown()).optional().catch(undefined),
  result: z.json().optional().catch(undefined),
  failure: z.looseObject({ message: z.string() }).optional().catch(undefined),
  /** What it says is the answer, and comes as that. */
  says: z.literal(true).optional().catch(undefined),
});
export type TaskStep = z.infer<typeof TaskStep>;

const SaidInStep = z.object({
  id: z.int(),
  channel: z.enum(['content', 'reasoning', 'arguments', 'log']),
  text: z.string(),
});
/** Words that were added to a step. */
export type SaidInStep = z.infer<typeof SaidInStep>;

/** Each part of that artifact: steps as they are now, and what was said in them since. */
export const TaskSteps = z.looseObject({
  steps: z.array(TaskStep).default([]),
  said: z.array(SaidInStep).default([]),
});
export type TaskSteps = z.infer<typeof TaskSteps>;

/** What a task of ours asks a person. */
export const TaskQuestions = z.looseObject({
  approvals: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      message: z.string().optional(),
      /** The message, and what is sent with what will run, for people. */
      beside: z.array(z.string()).optional(),
      fingerprint: z.string(),
      arguments: z.json().optional(),
      schema: z.json().optional(),
    }),
  ),
});

export function textPart(text: string, mediaType = 'text/plain'): Part {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType };
}

export function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
}
