import type { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import * as native from '../../wire/native/runs.ts';
import type { Watching } from '../../wire/native/runs.ts';
import type { Caller } from '../access/caller.ts';
import { shownTo } from '../viewers/preferring.ts';
import { nativeProtocol } from '../viewers/protocols.ts';
import { route, type Reply } from './route.ts';

export const eventRoutes = [
  route({
    ...native.watchRun,
    handle: ({ context, caller, subject, query, header }) =>
      watchRun({ context, caller }, subject, { ...query, after: header('last-event-id') || query.after }),
  }),
  route({
    ...native.watchRunOnSocket,
    handle: ({ context, caller, subject, query }) => watchRun({ context, caller }, subject, query),
  }),
  route({
    ...native.streamRunOnSocket,
    handle: ({ context, caller, subject, query }) => ({
      ...watchRun({ context, caller }, subject, query),
      isEventStream: true,
    }),
  }),
];

/** The rest of a run after a cursor, in a protocol. */
export function watchRun(
  { context, caller }: { readonly context: ServerContext; readonly caller: Caller },
  row: RunRow,
  query: z.infer<typeof Watching>,
): Reply {
  const { as = nativeProtocol, after = '0', ...asked } = query;
  const { run, head, state } = row;
  const told = context.protocols.telling(as, {
    run,
    preferences: shownTo({ context, caller }, row.app, asked),
  });
  const cursor = cursorIn(after, row);
  if (state === 'ended' && cursor === head) return { status: 204 };
  // Nobody can be told what comes after it: whoever has it would come back for ever.
  if (row.damaged !== null && cursor >= row.damaged) return { status: 204 };
  return {
    status: 200,
    headers: { [native.headHeader]: String(head) },
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
