import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const Health = z.object({
  status: z.enum(['ok', 'closing', 'unavailable']),
  /** Why requests should go elsewhere. */
  reason: z.string().optional(),
  /** What somebody should see to, though requests can be answered. */
  warnings: z.array(z.string()).optional(),
});

const Usage = z.object({
  /** Of everything that is kept for the tenant, and the most it may be. */
  bytes: z.object({ held: z.int(), most: z.int() }),
  /** Streams and sockets. */
  streams: z.object({ open: z.int(), most: z.int() }),
});

const Description = z.looseObject({ openapi: z.string() });

const shared = { method: 'GET', tag: 'operation' } as const;

export const isAlive = endpoint({
  ...shared,
  path: '/healthz',
  about: 'Whether the process is alive.',
  role: 'viewer',
  addresses: 'anyone',
  answers: { 200: { about: 'It is.', schema: Health } },
});

export const isReady = endpoint({
  ...shared,
  path: '/readyz',
  about: 'Whether requests should be sent here now.',
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
});

export const readMetrics = endpoint({
  ...shared,
  path: '/metrics',
  about: 'Counters for Prometheus. They name no tenant and no run.',
  role: 'operator',
  addresses: 'tenant',
  answers: { 200: { about: 'The counters.', type: 'text/plain' } },
});

export const readUsage = endpoint({
  ...shared,
  path: '/api/usage',
  about: 'How much of its share the tenant uses.',
  role: 'viewer',
  addresses: 'tenant',
  answers: { 200: { about: 'What is used, and the most there is.', schema: Usage } },
});

export const readDescription = endpoint({
  ...shared,
  path: '/openapi.json',
  about: 'This description.',
  role: 'viewer',
  addresses: 'anyone',
  answers: { 200: { about: 'OpenAPI 3.1.', schema: Description } },
});
