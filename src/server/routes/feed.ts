import { watchFeed } from '../../wire/native/feed.ts';
import { route } from './route.ts';

export const feedRoutes = [
  route({
    ...watchFeed,
    async handle({ context, caller: { tenant }, query, header }) {
      const from = { tenant, after: header('last-event-id') || query.after };
      // What is no place is refused while that can still be said.
      await context.home.store.feed.read({ ...from, limit: 1 });
      return { status: 200, stream: (sink) => context.feedViewers.follow(from, sink) };
    },
  }),
];
