import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { cursorHeader } from './query.ts';
import { ListedRun } from './runs.ts';

/** A run that was erased. */
export const ErasedRun = z.object({ run: z.string() });

/** The names of its frames: a run as it stands now, and one of which nothing is left. */
export const feedEvents = { run: 'run', erased: 'erased' } as const;

/** What a feed tells: how a run stands, or that it is gone, with the place to go on after. */
export type FeedNews =
  | { readonly place: string; readonly run: ListedRun; readonly erased?: never }
  | { readonly place: string; readonly erased: string; readonly run?: never };

const FeedQuery = z.strictObject({
  /** The place to go on after: an id of this stream, or `feed` of a list. Without it, from the run that has not changed longest. */
  after: z.string().max(100).optional(),
});

export const watchFeed = endpoint({
  method: 'GET',
  path: '/api/feed',
  about:
    'Runs as they change, each as a list has it: those that have changed since a place, then what changes. Each stands in it once, where it last changed.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'tenant',
  query: FeedQuery,
  headers: cursorHeader,
  answers: {
    200: {
      about: 'Events «run» with a run of a list, and «erased» with its name; the id of each is its place.',
      type: 'text/event-stream',
    },
    409: { about: 'The place is none of this feed: begin without one.' },
  },
});

export const streamFeedOnSocket = endpoint({
  method: 'WS',
  path: '/ws/feed',
  about:
    'The same stream on a WebSocket: first a message with {"status", "headers"}, then its text, in pieces.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'tenant',
  query: FeedQuery,
  answers: { 101: { about: 'What «GET /api/feed» would answer.' } },
});
