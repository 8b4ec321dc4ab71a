import { streamFeedOnSocket, watchFeed } from '../../wire/native/feed.ts';
import type { Caller } from '../access/honest.ts';
import { hiddenApps } from '../apps/hidden-apps.ts';
import type { ServerContext } from '../context.ts';
import { route, type Reply } from './route.ts';

export const feedRoutes = [
  route({
    ...watchFeed,
    handle: ({ context, caller, query, header }) =>
      feedAfter({ context, caller }, header('last-event-id') || query.after),
  }),
  route({
    ...streamFeedOnSocket,
    handle: async ({ context, caller, query }) => ({
      ...(await feedAfter({ context, caller }, query.after)),
      isEventStream: true,
    }),
  }),
];

async function feedAfter(
  { context, caller }: { readonly context: ServerContext; readonly caller: Caller },
  after: string | undefined,
): Promise<Reply> {
  const from = { tenant: caller.tenant, after };
  // What is no place is refused while that can still be said.
  await context.home.store.feed.read({ ...from, limit: 1 });
  const hidden = (): Promise<ReadonlySet<string>> => hiddenApps(context, caller);
  return { status: 200, stream: (sink) => context.feedViewers.follow(from, sink, hidden) };
}
