import { z } from 'zod';
import type { Door, Telling } from '../../projections/projection.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { WireFrame } from '../../wire/framing.ts';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/owner.ts';
import type { Protocol } from '../viewers/protocols.ts';
import { route, type Reply, type Route } from './route.ts';
import { startRun } from './start-run.ts';

/** The ways in that protocols bring along. */
export function doorRoutes(protocols: readonly Protocol[]): readonly Route[] {
  return protocols.flatMap((protocol) => protocol.doors.map((door) => doorRoute(protocol, door)));
}

function doorRoute(protocol: Protocol, { path, about, keyHeader, read }: Door): Route {
  return route({
    method: 'POST',
    path,
    about,
    tag: protocol.name,
    role: 'member',
    addresses: 'tenant',
    body: z.unknown(),
    keyHeader,
    errorBody: protocol.error,
    answers: { 200: { about: 'The answer, as it comes or whole.', type: protocol.framing.type } },
    async handle({ context, caller, params, body }) {
      const { app, text, conversation, isBlock } = read({ params, body });
      const named = conversation === undefined ? {} : { conversation, begins: true };
      const { run } = await startRun(context, caller, { app, input: { text }, ...named });
      const row = await context.home.dispatch.get(run);
      if (!row) throw missing('run', run);
      const reply = isBlock ? await blockOf(context, protocol, row) : streamOf(context, protocol, row);
      return { ...reply, headers: { 'x-run-id': run } };
    },
  });
}

function streamOf(context: ServerContext, protocol: Protocol, { run, head, app }: RunRow): Reply {
  const { name, framing } = protocol;
  const telling = untilOver(protocol, protocol.telling({ run, preferences: context.home.preferences(app) }));
  const watched = { run, head, as: `answer ${name}`, telling };
  return { status: 200, framing, stream: (sink) => void context.channels.watch(watched, sink, 0) };
}

/** A run as far as an answer of the protocol goes: what follows a question is told in another. */
function untilOver(protocol: Protocol, telling: Telling<WireFrame>, isOver = false): Telling<WireFrame> {
  let hasEnded = isOver;
  return {
    get seq() {
      return telling.seq;
    },
    get weight() {
      return telling.weight;
    },
    get hasEnded() {
      return hasEnded;
    },
    tell(entry) {
      const frames = telling.tell(entry);
      if (hasEnded) return [];
      hasEnded = protocol.isOver(entry);
      return frames;
    },
    fork: () => untilOver(protocol, telling.fork(), hasEnded),
  };
}

async function blockOf(context: ServerContext, protocol: Protocol, { run, app }: RunRow): Promise<Reply> {
  if (!protocol.block) throw new RunError('malformed', `«${protocol.name}» has no answers but streams.`);
  const preferences = context.home.preferences(app);
  const entries = await answerOf(context, protocol, run);
  return { status: 200, json: protocol.block(entries, { run, preferences }) };
}

/** All entries up to where an answer of this protocol ends. */
async function answerOf(
  { home }: ServerContext,
  { isOver }: Protocol,
  run: string,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const left = new AbortController();
  for await (const { frames } of home.journal.follow(run, 0, left.signal)) {
    for (const entry of decodeAll(frames)) {
      entries.push(entry);
      if (!isOver(entry)) continue;
      left.abort();
      return entries;
    }
  }
  return entries;
}
