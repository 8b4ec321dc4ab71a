import { z } from 'zod';
import { Limits } from '../../run/values.ts';
import { GivenAttachment } from './attachment.ts';
import { endpoint } from './endpoint.ts';
import { idempotencyHeader, showing } from './query.ts';

/** What a caller puts on a run. */
export const Labels = z
  .record(z.string().min(1).max(100), z.string().max(1_000))
  .refine((labels) => Object.keys(labels).length <= 50, { error: 'give at most 50' });

/** What to run. */
export const StartRun = z.strictObject({
  /** Needed where the server has several apps and no default. */
  app: z.string().min(1).max(100).exactOptional(),
  input: z.strictObject({
    text: z.string().min(1).max(1_000_000),
    attachments: z.array(GivenAttachment).max(50).exactOptional(),
  }),
  conversation: z.string().min(1).max(200).exactOptional(),
  /** Less than the app allows; more is not given. */
  limits: z.strictObject(Limits.shape).exactOptional(),
  labels: Labels.exactOptional(),
});
export type StartRun = z.infer<typeof StartRun>;

/** A run that has begun. */
export const StartedRun = z.object({
  run: z.string(),
  conversation: z.string(),
  /** Where to watch it. */
  events: z.string(),
});
export type StartedRun = z.infer<typeof StartedRun>;

export const startRun = endpoint({
  method: 'POST',
  path: '/api/runs',
  about:
    'Start a run. With an «Idempotency-Key» header, asking again gives the same run; with «Accept: text/event-stream» the answer is its stream, from the first entry on.',
  tag: 'runs',
  role: 'member',
  addresses: 'tenant',
  /** How the stream is told; it means nothing to others. */
  query: z.strictObject({ as: z.string().max(100).optional(), ...showing }),
  body: StartRun,
  headers: idempotencyHeader,
  answers: {
    200: {
      about:
        'It has begun; these are its frames, as of «/events». «Location» names the run, for those who come back.',
      type: 'text/event-stream',
    },
    201: { about: 'It has begun, and is durable.', schema: StartedRun },
    409: { about: 'The idempotency key was used for something else.' },
  },
});
