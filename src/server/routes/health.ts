import { z } from 'zod';
import { route } from './route.ts';

const Health = z.object({
  status: z.enum(['ok', 'closing', 'unavailable']),
  /** Why requests should go elsewhere. */
  reason: z.string().optional(),
  /** What somebody should see to, though requests can be answered. */
  warnings: z.array(z.string()).optional(),
});

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    about: 'Whether the process is alive.',
    tag: 'operation',
    role: 'viewer',
    addresses: 'anyone',
    answers: { 200: { about: 'It is.', schema: Health } },
    handle: () => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    about: 'Whether requests should be sent here now.',
    tag: 'operation',
    role: 'viewer',
    addresses: 'anyone',
    answers: {
      200: { about: 'They should.', schema: Health },
      503: {
        about:
          'What is written would not be kept (no space, no folder, a broken database), or the server is going away.',
        schema: Health,
      },
    },
    async handle({ context }) {
      if (context.isClosing()) return { status: 503, json: { status: 'closing' } };
      const reason = await context.readiness.now();
      const trouble = context.door.trouble();
      const told = trouble === undefined ? {} : { warnings: [context.hide(trouble)] };
      return reason === undefined
        ? { status: 200, json: { status: 'ok', ...told } }
        : { status: 503, json: { status: 'unavailable', reason: context.hide(reason), ...told } };
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    about: 'Counters for Prometheus. They name no tenant and no run.',
    tag: 'operation',
    role: 'operator',
    addresses: 'tenant',
    answers: { 200: { about: 'The counters.', type: 'text/plain' } },
    async handle({ context: { metrics } }) {
      return { status: 200, bytes: { type: metrics.contentType, content: await metrics.text() } };
    },
  }),
];
