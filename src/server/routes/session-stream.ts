import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { House } from '../house.ts';
import { consoleTelling, eventCount, turnsOf, type Turn } from '../session-log.ts';
import { numberedSink, pastOf } from '../session-sink.ts';
import { route, type Reply } from './route.ts';
import { cursorHeader, whole } from './shapes.ts';

/** The console's own sign of life. */
const heartbeat = 'event: heartbeat\ndata: {}\n\n';

export const sessionStreamRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:conversation/stream',
    about: 'The events of an investigation after a number of them, then what comes, until it is done.',
    tag: 'console',
    role: 'viewer',
    addresses: 'conversation',
    query: z.strictObject({ since: whole(0, Number.MAX_SAFE_INTEGER).optional() }),
    headers: cursorHeader,
    answers: {
      200: { about: 'Named events, each with its number.', type: 'text/event-stream' },
      204: { about: 'There is nothing more.' },
      409: { about: 'There are not so many events yet.' },
    },
    async handle({ house, caller: { tenant }, subject: { conversation }, query, header }) {
      const turns = await turnsOf(house, tenant, conversation);
      const since = sinceIn(header('last-event-id')) ?? query.since ?? 0;
      return watchSession(house, turns, since);
    },
  }),
];

function watchSession(house: House, turns: readonly Turn[], since: number): Reply {
  const total = eventCount(turns);
  const last = turns.at(-1);
  if (since > total || !last)
    throw new RunError('rejected', `The session has ${total} events; ${since} is in its future.`);
  const isOver = last.row.state === 'ended';
  if (isOver && since === total) return { status: 204 };
  const { row, cardsBefore } = last;
  const before = total - last.frames.length;
  return {
    status: 200,
    beat: heartbeat,
    stream(sink) {
      const past = pastOf(
        turns.slice(0, -1).flatMap(({ frames }) => frames),
        { before: 0, since },
      );
      if (past !== '') sink.write(sink.form(past));
      const { run, head } = row;
      const { as, ...telling } = consoleTelling(house, row, cardsBefore);
      const told = house.protocols.telling(as, { run, ...telling });
      house.channels.watch({ run, head, ...told }, numberedSink(sink, { before, since }), 0);
    },
  };
}

function sinceIn(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new RunError('malformed', `«${header.slice(0, 60)}» is not a number of events.`);
}
