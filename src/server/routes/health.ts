import * as native from '../../wire/native/operation.ts';
import { route } from './route.ts';

export const healthRoutes = [
  route({
    ...native.isAlive,
    handle: () => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    ...native.isReady,
    async handle({ context }) {
      if (context.closing.aborted) return { status: 503, json: { status: 'closing' } };
      const reason = await context.readiness.now();
      const trouble = context.door.trouble();
      const told = trouble === undefined ? {} : { warnings: [context.hide(trouble)] };
      return reason === undefined
        ? { status: 200, json: { status: 'ok', ...told } }
        : { status: 503, json: { status: 'unavailable', reason: context.hide(reason), ...told } };
    },
  }),
  route({
    ...native.readMetrics,
    async handle({ context: { metrics } }) {
      return { status: 200, bytes: { type: metrics.contentType, content: await metrics.text() } };
    },
  }),
];
