import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { cursorHeader, whole } from '../../wire/native/query.ts';
import type { ServerContext } from '../context.ts';
import { consoleTelling, eventCount, Generation, turnsOf, type Turn } from '../sessions/session-turns.ts';
import { NumberedTurn, turnSinks } from '../sessions/session-sink.ts';
import type { Sink } from '../viewers/viewer.ts';
import { route, type Reply } from './route.ts';

/** The console's own sign of life. */
export const heartbeat = 'event: heartbeat\ndata: {}\n\n';

export const sessionStreamRoutes = [
  route({
    method: 'GET',
    path: '/api/sessions/:conversation/stream',
    about: 'The events of an investigation after a number of them, then what comes, until it is done.',
    tag: 'console',
    role: 'viewer',
    addresses: 'conversation',
    query: z.strictObject({
      /** How many events were seen; without it, all are told, or those of a follow-up that is under way. */
      since: whole(0, Number.MAX_SAFE_INTEGER).optional(),
      /** The generation of names; each counts its own events. */
      as: Generation.optional(),
    }),
    headers: cursorHeader,
    answers: {
      200: { about: 'Named events, each with its number.', type: 'text/event-stream' },
      204: { about: 'There is nothing more for one who comes back by «Last-Event-ID».' },
      409: { about: 'There are not so many events yet.' },
    },
    async handle({ context, caller: { tenant }, subject: { conversation }, query, header, left }) {
      const { as = 'console' } = query;
      const asker = { heavy: async () => {}, left };
      const turns = await turnsOf(context, { tenant, session: conversation, as }, asker);
      const seen = sinceIn(header('last-event-id'));
      // Browsers come back by themselves: one that has everything would come back for ever.
      if (seen !== undefined && isOver(turns) && seen === eventCount(turns)) return { status: 204 };
      return watchSession(context, turns, { as, since: seen ?? query.since ?? unsaidSince(turns) });
    },
  }),
];

/**
 * Where one begins who does not say. The original page does so when it opens a session again: it has the turns before from
 * the log, and puts whatever the stream tells into the one that is under way.
 */
function unsaidSince(turns: readonly Turn[]): number {
  return isOver(turns) ? 0 : eventCount(turns.slice(0, -1));
}

function isOver(turns: readonly Turn[]): boolean {
  return turns.at(-1)?.row.state === 'ended';
}

interface Watching {
  readonly as: Generation;
  readonly since: number;
}

function watchSession(context: ServerContext, turns: readonly Turn[], watching: Watching): Reply {
  const total = eventCount(turns);
  const { since } = watching;
  if (since > total)
    throw new RunError('rejected', `The session has ${total} events; ${since} is in its future.`);
  return { status: 200, beat: heartbeat, stream: (sink) => showTurns(context, turns, { ...watching, sink }) };
}

/** One turn after the other, each as far as the connection takes it: a long past waits in the journal, not here. */
function showTurns(
  context: ServerContext,
  turns: readonly Turn[],
  { as: generation, sink, since }: Watching & { readonly sink: Sink },
): void {
  const sinkFor = turnSinks(sink);
  const show = (i: number, before: number): void => {
    const turn = turns[i];
    if (!turn) return sink.end();
    const { row, events } = turn;
    const next = before + events;
    const isLast = i === turns.length - 1;
    if (!isLast && since >= next) return show(i + 1, next);
    const { run, head } = row;
    const { as, ...telling } = consoleTelling(context, turn, generation);
    const told = context.protocols.named(as).telling({ run, ...telling });
    const count = { before, since: Math.max(before, since), isLast };
    const watched = { run, head, as: `session ${as} ${JSON.stringify({ ...telling, ...count })}` };
    const over = isLast ? undefined : () => show(i + 1, next);
    context.channels.watch({ ...watched, telling: () => new NumberedTurn(told, count) }, sinkFor(over), 0);
  };
  show(0, 0);
}

function sinceIn(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new RunError('malformed', `«${header.slice(0, 60)}» is not a number of events.`);
}
