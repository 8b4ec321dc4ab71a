import { watchFeed } from '../../wire/native/feed.ts';
import { hiddenApps } from '../apps/hidden-apps.ts';
import { route } from './route.ts';

export const feedRoutes = [
  route({
    ...watchFeed,
    async handle({ context, caller, query, header }) {
      const { tenant } = caller;
      const from = { tenant, after: header('last-event-id') || query.after };
      // What is no place is refused while that can still be said.
      await context.home.store.feed.read({ ...from, limit: 1 });
      const hidden = (): Promise<ReadonlySet<string>> => hiddenApps(context, caller);
      return { status: 200, stream: (sink) => context.feedViewers.follow(from, sink, hidden) };
    },
  }),
];
