import { z } from 'zod';
import type {
  Door as AnyDoor,
  DoorRequest,
  Sought,
  Wanted,
  Wish as AnyWish,
} from '../../projections/door.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Framing } from '../../wire/framing.ts';
import type { Caller } from '../access/honest.ts';
import { stopOf } from '../../front/same-again.ts';
import type { ServerContext } from '../context.ts';
import { route, type Asker, type Reply, type Route } from '../routes/route.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import type { Protocol } from '../viewers/channels.ts';
import { answered, expectBegin, type Answering } from './answer.ts';
import { conversationOf } from './conversation.ts';
import { decideAll, resume } from './decide.ts';
import { deskOf } from './desk.ts';
import { begin } from './begin.ts';
import { present } from '../../run/tree.ts';

type Door = AnyDoor<Framing>;
type Wish = AnyWish<Framing>;

/** The ways in that protocols bring along. */
export function doorRoutes(protocols: readonly Protocol[]): readonly Route[] {
  return protocols.flatMap((protocol) => protocol.doors.map((door) => doorRoute(protocol, door)));
}

/** Whoever asks at a door. */
export interface Visitor {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly protocol: Protocol;
  readonly door: Door;
  readonly request: DoorRequest;
  readonly asker: Asker;
}

const Query = z.record(z.string(), z.unknown());

function doorRoute(protocol: Protocol, door: Door): Route {
  const { method = 'POST', path, about, role = 'member', keyHeader, bodyLimit } = door;
  return route({
    method,
    path,
    about,
    tag: protocol.name,
    role,
    addresses: 'tenant',
    query: Query,
    ...(method === 'GET' ? {} : { body: z.unknown() }),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    keyHeader,
    errorBody: protocol.error,
    answers: { 200: { about: 'The answer, as it comes or whole.', type: protocol.framing.type } },
    handle: ({ context, caller, params, query, body, header, heavy, left }) => {
      const request = { params, query, body, header };
      return done({ context, caller, protocol, door, request, asker: { heavy, left } }, door.read(request));
    },
  });
}

/** What somebody at a door asks for, and what they get. */
export async function done(visitor: Visitor, wish: Wish): Promise<Reply> {
  switch (wish.wants) {
    case 'look':
      return { status: 200, json: await wish.look(await deskOf(visitor)) };
    case 'start':
      return told(visitor, wish, { run: await begin(visitor, wish), answer: 0 });
    case 'decide':
      return told(visitor, wish, await decideAll(visitor, wish));
    case 'resume':
      return told(visitor, wish, await resume(visitor, await foundOr404(visitor, wish.of), wish));
    case 'follow': {
      const row = await found(visitor, wish.of);
      const { answer, after, had, endedWithin } = wish;
      if (endedWithin !== undefined && !isRecent(visitor, row, endedWithin)) return { status: 204 };
      const followed = known(row, wish.of);
      if (typeof answer === 'number') await expectBegin(visitor, followed, answer);
      return told(visitor, wish, { run: followed.run, answer, ...present({ after, had }) });
    }
    case 'stop':
      return told(visitor, wish, { run: await stopped(visitor, wish.of), answer: 'last' });
  }
}

async function told(
  visitor: Visitor,
  { form, framing, options }: Wanted<Framing>,
  answering: Answering & { readonly run: string },
): Promise<Reply> {
  const { run } = answering;
  const headers = { 'x-run-id': run };
  if (form === 'none') return { status: 204, headers };
  const row = await visitor.context.home.dispatch.get(run);
  if (!row) throw missing('run', run);
  const reply = await answered(visitor, row, { ...answering, form, ...present({ framing, options }) });
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The run that is meant: of the caller's tenant, and in a conversation of their own. */
async function found({ context, caller }: Visitor, of: Sought): Promise<RunRow | undefined> {
  if ('run' in of) return ownRun({ context, caller }, of.run);
  const { id: conversation } = await conversationOf({ context, caller }, of.conversation);
  return (await context.home.dispatch.list({ tenant: caller.tenant, conversation, limit: 1 }))[0];
}

/** Whether a run works, or ended a moment ago: whoever was cut off from it may come back late. */
function isRecent({ context }: Visitor, row: RunRow | undefined, endedWithin: number): row is RunRow {
  if (!row) return false;
  return row.state !== 'ended' || context.now() - row.updatedAt < endedWithin;
}

async function foundOr404(visitor: Visitor, of: Sought): Promise<RunRow> {
  return known(await found(visitor, of), of);
}

function known(row: RunRow | undefined, of: Sought): RunRow {
  if (row) return row;
  throw 'run' in of ? missing('run', of.run) : missing('conversation', of.conversation);
}

/** Stopped, or over already: whoever asks gets how it ended. */
async function stopped(visitor: Visitor, of: Sought): Promise<string> {
  const { context, caller } = visitor;
  const row = await foundOr404(visitor, of);
  if (row.state === 'ended') return row.run;
  const command = { type: 'stop', by: caller.who } as const;
  const { entry } = await context.home.front.command(row, { command, id: stopOf(row.run) });
  const { event } = entry ?? {};
  if (event?.type === 'notice.posted' && event.code !== 'ALREADY_STOPPING')
    throw new RunError('rejected', event.message);
  return row.run;
}
