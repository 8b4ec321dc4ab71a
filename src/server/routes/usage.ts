import { z } from 'zod';
import { route } from './route.ts';

const Usage = z.object({
  /** Of everything that is kept for the tenant, and the most it may be. */
  bytes: z.object({ held: z.int(), most: z.int() }),
  /** Streams and sockets. */
  streams: z.object({ open: z.int(), most: z.int() }),
});

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/api/usage',
    about: 'How much of its share the tenant uses.',
    tag: 'operation',
    role: 'viewer',
    addresses: 'tenant',
    answers: { 200: { about: 'What is used, and the most there is.', schema: Usage } },
    async handle({ context: { home, quotas }, caller: { tenant } }) {
      const held = await home.store.blobs.held(tenant);
      return {
        status: 200,
        json: { bytes: { held, most: quotas.bytes }, streams: quotas.streams(tenant) },
      };
    },
  }),
];
