import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { Asked } from '../viewers/preferring.ts';
import { route, type Reply } from './route.ts';
import { cursorHeader } from './shapes.ts';

const Watching = z.strictObject({
  /** The protocol. */
  as: z.string().max(100).optional(),
  /** The last entry that was seen: a number, or `<run>:<number>`. */
  after: z.string().max(300).optional(),
  ...Asked,
});

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/api/runs/:run/events',
    about:
      'Watch a run as server-sent events, from any cursor, while it works and after. «Last-Event-ID» goes before «after».',
    tag: 'runs',
    role: 'viewer',
    addresses: 'run',
    query: Watching,
    headers: cursorHeader,
    answers: {
      200: { about: 'Frames, as they come. The stream ends with the run.', type: 'text/event-stream' },
      204: { about: 'The run has ended and the cursor is at its end.' },
      409: { about: 'The cursor is in the future of the run, or of another run.' },
    },
    handle: ({ context, subject, query, header }) =>
      watchRun(context, subject, { ...query, after: header('last-event-id') || query.after }),
  }),
  route({
    method: 'WS',
    path: '/ws/runs/:run',
    about: 'The same frames on a WebSocket, one message each: {"id", "event", "data"}.',
    tag: 'runs',
    role: 'viewer',
    addresses: 'run',
    query: Watching,
    answers: { 101: { about: 'Frames, as they come.' } },
    handle: ({ context, subject, query }) => watchRun(context, subject, query),
  }),
];

/** The rest of a run after a cursor, in a protocol. */
export function watchRun(context: ServerContext, row: RunRow, query: z.infer<typeof Watching>): Reply {
  const { as = 'steps', after = '0', ...asked } = query;
  const { run, head, state } = row;
  const told = context.protocols.telling(as, { run, preferences: context.home.preferences(row.app, asked) });
  const cursor = cursorIn(after, row);
  if (state === 'ended' && cursor === head) return { status: 204 };
  // Nobody can be told what comes after it: whoever has it would come back for ever.
  if (row.damaged !== null && cursor >= row.damaged) return { status: 204 };
  return {
    status: 200,
    stream: (sink) => void context.channels.watch({ run, head, ...told }, sink, cursor),
  };
}

function cursorIn(given: string, { run, head }: RunRow): number {
  const [, other, number = ''] = /^(?:(.+):)?(\d{1,15})$/.exec(given) ?? [];
  if (number === '')
    throw new RunError('malformed', `The cursor «${given.slice(0, 100)}» is not a number from 0 on.`);
  if (other !== undefined && other !== run)
    throw new RunError('rejected', 'The cursor is of another run: begin this one without a cursor.');
  const cursor = Number(number);
  if (cursor <= head) return cursor;
  throw new RunError(
    'rejected',
    `The cursor ${cursor} is in the future of run ${run}, which has come to ${head}.`,
  );
}
