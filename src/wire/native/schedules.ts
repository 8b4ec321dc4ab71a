import { z } from 'zod';
import { Json } from '../../run/values.ts';
import { endpoint } from './endpoint.ts';

/** When a workflow is started by itself, and how that stands. Moments are milliseconds since 1970. */
export const ToldSchedule = z.object({
  /** Its name: the same for as long as it says the same. */
  schedule: z.string(),
  cron: z.string(),
  timezone: z.string(),
  input: Json.optional(),
  missed: z.enum(['last', 'none', 'all']),
  overlap: z.enum(['skip', 'queue', 'start']),
  /** When it comes next: three times, none while it is paused. */
  next: z.array(z.number()),
  paused: z.object({ by: z.string(), at: z.number() }).optional(),
  /** What was started last: the time it was due. */
  last: z.object({ due: z.number() }).optional(),
  /** What was not started lately, and why. */
  skipped: z.array(z.object({ due: z.number(), why: z.string() })).optional(),
});
export type ToldSchedule = z.infer<typeof ToldSchedule>;

const shared = { tag: 'workflows', addresses: 'tenant' } as const;

export const listSchedules = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows/:name/schedules',
  about:
    'When the published version of a workflow is started by itself: the next three times of each schedule.',
  role: 'viewer',
  answers: {
    200: { about: 'Its schedules.', schema: z.object({ schedules: z.array(ToldSchedule) }) },
    404: { about: 'There is no such workflow, or none of its versions is published.' },
  },
});

const steering = {
  ...shared,
  method: 'POST',
  role: 'member',
  body: z.strictObject({}),
  answers: {
    200: { about: 'The schedule as it is now.', schema: ToldSchedule },
    403: { about: 'It is the configuration’s: for those of the owner’s tenant.' },
    404: { about: 'There is no such schedule.' },
  },
} as const;

export const pauseSchedule = endpoint({
  ...steering,
  path: '/api/workflows/:name/schedules/:schedule/pause',
  about: 'Let a schedule start nothing until it is resumed.',
});

export const resumeSchedule = endpoint({
  ...steering,
  path: '/api/workflows/:name/schedules/:schedule/resume',
  about: 'Let a schedule go on from now. What was due meanwhile is not made up for.',
});
