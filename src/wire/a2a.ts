import type { Part } from '@a2a-js/sdk';
import { z } from 'zod';

/** Where the tree of steps is, for those who know it: an artifact of every task. */
export const stepsExtension = 'https://vitrine.dev/a2a/steps/v1';
export const stepsArtifactId = 'steps';

/** A step as that artifact has it, as far as others need it. */
export const TaskStep = z.looseObject({
  id: z.int(),
  parent: z.int(),
  title: z.string().catch(''),
  kind: z.string().optional().catch(undefined),
  agent: z.string().optional().catch(undefined),
  query: z.string().optional().catch(undefined),
  status: z.string(),
  text: z.string().optional().catch(undefined),
});
export type TaskStep = z.infer<typeof TaskStep>;

export const TaskSteps = z.looseObject({ steps: z.array(TaskStep) });

/** What a task of ours asks a person. */
export const TaskQuestions = z.looseObject({
  approvals: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      message: z.string().optional(),
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
