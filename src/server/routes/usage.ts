import { readUsage } from '../../wire/native/operation.ts';
import { route } from './route.ts';

export const usageRoutes = [
  route({
    ...readUsage,
    async handle({ context: { home, quotas }, caller: { tenant } }) {
      const held = await home.store.blobs.held(tenant);
      return {
        status: 200,
        json: { bytes: { held, most: quotas.bytes }, streams: quotas.streams(tenant) },
      };
    },
  }),
];
