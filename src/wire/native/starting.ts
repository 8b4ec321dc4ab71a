import { z } from 'zod';
import { Limits } from '../../run/values.ts';
import { GivenAttachment } from './attachment.ts';
import { endpoint } from './endpoint.ts';
import { idempotencyHeader, showing } from './query.ts';

/** What a caller puts on a run. */
export const Labels = z
  .record(z.string().min(1).max(100), z.string().max(1_000))
  .refine((labels) => Object.keys(labels).length <= 50, { error: 'give at most 50' });

const Input = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  attachments: z.array(GivenAttachment).max(50).optional(),
});
export type Input = z.infer<typeof Input>;

/** What to run. */
export const StartRun = z.strictObject({
  /** Needed where the server has several apps and no default. */
  app: z.string().min(1).max(100).optional(),
  /** Needed unless another run is asked for again. */
  input: Input.optional(),
  /** A run of yours that has ended, to be answered anew: this one takes its place in the conversation. What is left out is as it was there. */
  again: z.string().min(1).max(200).optional(),
  conversation: z.string().min(1).max(200).optional(),
  /** Less than the app allows; more is not given. */
  limits: z.strictObject(Limits.shape).optional(),
  labels: Labels.optional(),
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
    403: { about: 'The run that shall be answered anew is of somebody else.' },
    409: {
      about:
        'The idempotency key was used for something else, or the run that shall be answered anew has not ended, or was replaced already.',
    },
  },
});
