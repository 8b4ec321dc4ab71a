import { A2A_VERSION_HEADER, AgentCard, formatSSEErrorEvent, formatSSEEvent } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext, type A2ARequestHandler } from '@a2a-js/sdk/server';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { readAs } from '../../run/values.ts';
import { appFor } from '../apps/apps-for.ts';
import type { App } from '../folder/home.ts';
import { route, type Asked, type Reply } from '../routes/route.ts';
import { agentCard, legacyFields } from './agent-card.ts';
import { misfit } from './message.ts';
import { a2aRequests } from './requests.ts';

type Request = Asked<'tenant', unknown, unknown>;

const Call = z.looseObject({ id: z.union([z.string(), z.number()]).nullish() });
const text = z.string().nullish();
const Part = z
  .looseObject({
    text,
    raw: text,
    url: text,
    filename: text,
    mediaType: text,
    file: z.looseObject({ bytes: text, uri: text, name: text, mimeType: text }).nullish(),
  })
  .refine(({ kind, file }) => kind !== 'file' || !!file, {
    path: ['file'],
    error: 'is missing; give an object',
  });
/** Where the library takes whatever it finds for what it needs, in 1.0 and in 0.3. */
const Sent = z.looseObject({
  params: z
    .looseObject({
      id: text,
      contextId: text,
      message: z
        .looseObject({ messageId: text, contextId: text, taskId: text, parts: z.array(Part).nullish() })
        .nullish(),
    })
    .nullish(),
});
const legacyVersion = '0.3';

/** Apps as agents of the A2A protocol: a card each, and one place to speak to it. */
export const a2aRoutes = [
  route({
    method: 'GET',
    path: '/.well-known/agent-card.json',
    about: 'The card of the app that those get who name none.',
    tag: 'a2a',
    role: 'viewer',
    addresses: 'tenant',
    answers: { 200: { about: 'The card, for clients of A2A 1.0 and 0.3.' } },
    handle: (asked) => card(asked, asked.context.defaultApp),
  }),
  route({
    method: 'GET',
    path: '/a2a/:app/.well-known/agent-card.json',
    about: 'The card of an app.',
    tag: 'a2a',
    role: 'viewer',
    addresses: 'tenant',
    answers: { 200: { about: 'The card, for clients of A2A 1.0 and 0.3.' } },
    handle: (asked) => card(asked, asked.params['app']),
  }),
  route({
    method: 'POST',
    path: '/a2a/:app',
    about: 'JSON-RPC of A2A 1.0, and of 0.3 for those who name no version.',
    tag: 'a2a',
    role: 'member',
    addresses: 'tenant',
    body: Call,
    answers: { 200: { about: 'The answer, or the stream of a task.' } },
    handle: rpc,
  }),
];

async function card(asked: Request, name: string | undefined): Promise<Reply> {
  if (name === undefined)
    throw new RunError(
      'unknown',
      'There is no default app: ask for «/a2a/<app>/.well-known/agent-card.json».',
    );
  const app = await appFor(asked.context, asked.caller, name);
  const url = addressOf(asked, app);
  return {
    status: 200,
    json: { ...(AgentCard.toJSON(agentCard(app, url)) as object), ...legacyFields(url) },
  };
}

/** As the client reached it, by the one name that the door has looked at: what stands before this server hands it on. */
function addressOf({ header, source }: Request, { name }: App): string {
  const host = header('host') ?? 'localhost';
  return `${source.isTls ? 'https' : 'http'}://${host}${source.prefix}/a2a/${encodeURIComponent(name)}`;
}

async function rpc(asked: Request): Promise<Reply> {
  const { context, caller, params, body, header, left } = asked;
  const app = await appFor(context, caller, params['app'] ?? '');
  const requests = a2aRequests({ context, caller, app, url: addressOf(asked, app), signal: left() });
  const version = header(A2A_VERSION_HEADER.toLowerCase()) ?? legacyVersion;
  const handler = version === legacyVersion ? legacy(requests) : current(requests);
  const failed = (thrown: unknown): object => ({
    jsonrpc: '2.0',
    id: Call.parse(body).id ?? null,
    error: handler.errorOf(thrown),
  });
  const read = readAs(Sent, body);
  if (!read.fits) return { status: 200, json: failed(misfit('The request', read.wrong)) };
  const call = new ServerCallContext({
    requestedVersion: version,
    user: { isAuthenticated: true, userName: caller.who },
  });
  const answer = await handler.handle(body as Record<string, unknown>, call);
  if (!isStream(answer)) return { status: 200, json: answer };
  return { status: 200, poured: { type: 'text/event-stream', texts: frames(answer, failed) } };
}

interface Handler {
  handle(body: Record<string, unknown>, call: ServerCallContext): Promise<object | AsyncIterable<object>>;
  errorOf(thrown: unknown): unknown;
}

function current(requests: A2ARequestHandler): Handler {
  const handler = new JsonRpcTransportHandler(requests);
  return {
    handle: (body, call) => handler.handle(body, call),
    errorOf: (thrown) => JsonRpcTransportHandler.mapToJSONRPCError(thrown),
  };
}

function legacy(requests: A2ARequestHandler): Handler {
  const handler = new LegacyJsonRpcTransportHandler(requests);
  return {
    handle: (body, call) => handler.handle(body, call),
    errorOf: (thrown) => LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown),
  };
}

function isStream(answer: object): answer is AsyncIterable<object> {
  return Symbol.asyncIterator in answer;
}

async function* frames(
  answers: AsyncIterable<object>,
  failed: (thrown: unknown) => unknown,
): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield formatSSEEvent(answer);
  } catch (thrown) {
    yield formatSSEErrorEvent(failed(thrown));
  }
}
