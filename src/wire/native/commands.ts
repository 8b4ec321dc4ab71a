import { z } from 'zod';
import { Reason } from '../../run/commands.ts';
import { ResumeRequest } from '../../run/tool-pause.ts';
import { GivenAttachment } from './attachment.ts';
import { endpoint } from './endpoint.ts';
import { idempotencyHeader } from './query.ts';

/** What became of something that was asked of a run. */
export const Commanded = z.object({
  run: z.string(),
  /** The entry it became; null while nobody here can work on the run. */
  seq: z.int().nullable(),
  /** False when the run was as asked already. */
  changed: z.boolean(),
});
export type Commanded = z.infer<typeof Commanded>;

const shared = {
  method: 'POST',
  tag: 'runs',
  role: 'member',
  addresses: 'run',
  headers: idempotencyHeader,
} as const;

const steering = {
  ...shared,
  body: z.strictObject({ reason: Reason }),
  answers: {
    200: { about: 'The run has recorded it.', schema: Commanded },
    202: { about: 'It waits for a process that can work on the run.', schema: Commanded },
    409: { about: 'The run has ended, or does not take it.' },
  },
} as const;

export const pauseRun = endpoint({
  ...steering,
  path: '/api/runs/:run/pause',
  about: 'Let nothing new begin; what is under way is finished and recorded.',
});

export const resumeRun = endpoint({
  ...steering,
  path: '/api/runs/:run/resume',
  about:
    'Go on with a run that is paused, or waits after a tool phase: exactly after the batch that is named, or after its first.',
  body: z
    .strictObject({ ...steering.body.shape, ...ResumeRequest.partial().shape })
    .refine(({ requestId, toolBatchId }) => (requestId === undefined) === (toolBatchId === undefined), {
      error: 'name both «requestId» and «toolBatchId», or neither',
      path: ['toolBatchId'],
    }),
});

export const stopRun = endpoint({
  ...steering,
  path: '/api/runs/:run/stop',
  about: 'End a run for good, at every depth.',
});

const Sent = Commanded.extend({ message: z.string() });

export const sendMessage = endpoint({
  ...shared,
  path: '/api/runs/:run/messages',
  about: 'Say something to a run that works; it is taken by the next step that listens.',
  body: z.strictObject({
    text: z.string().min(1).max(100_000),
    attachments: z.array(GivenAttachment).max(20).optional(),
  }),
  answers: {
    201: { about: 'The run has it.', schema: Sent },
    202: { ...steering.answers[202], schema: Sent },
    409: steering.answers[409],
  },
});
