import { z } from 'zod';
import { TraceEvent, TraceFilter } from '../../wire/trace.ts';
import { twoStageError } from '../../wire/two-stage.ts';
import { endpoint } from '../../wire/native/endpoint.ts';
import { hiddenApps } from '../apps/hidden-apps.ts';
import { traceOfProject } from '../compose/trace.ts';
import { route } from '../routes/route.ts';

export const searchTrace = endpoint({
  tag: 'two-stage',
  addresses: 'tenant',
  method: 'GET',
  path: '/api/trace/logs',
  about: 'The trace of a project over its newest runs: the newest events that fit, oldest first.',
  role: 'viewer',
  query: z.object({
    ...TraceFilter.shape,
    limit: z.coerce.number().int().min(1).max(1_000).default(50),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  answers: {
    200: { about: 'Events.', schema: z.object({ events: z.array(TraceEvent), total: z.int() }) },
  },
});

export const traceRoutes = [
  route({
    ...searchTrace,
    errorBody: twoStageError,
    handle: async ({ context, caller, query }) => ({
      status: 200,
      json: await traceOfProject(
        context.home,
        { tenant: caller.tenant, hidden: await hiddenApps(context, caller) },
        query,
      ),
    }),
  }),
];
