import type { FastifyReply } from 'fastify';
import { RunError } from '../run/failure.ts';
import type { AppSettings } from './app.ts';
import type { Caller } from './access/caller.ts';
import { safeHeaders } from './headers.ts';
import { refusalHeaders } from './raw-refusal.ts';
import { refusalOf } from './refusal.ts';
import type { Reply } from './routes/route.ts';
import { sseSink } from './viewers/sse-sink.ts';

export function send(
  { clean }: AppSettings,
  reply: FastifyReply,
  { status, json, bytes, headers }: Reply,
): FastifyReply {
  reply.code(status).headers(headers ?? {});
  if (bytes) return reply.type(bytes.type).send(bytes.content);
  if (json === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(clean(JSON.stringify(json)));
}

export function stream(
  { house }: AppSettings,
  reply: FastifyReply,
  { answer, caller }: { readonly answer: Reply; readonly caller: Caller },
): void {
  const { raw } = reply;
  // Whoever left while we looked things up never says so again. One that is queued behind another has no socket yet.
  if (raw.destroyed || raw.socket?.destroyed === true) return void reply.hijack();
  if (!raw.socket) throw new RunError('malformed', 'Ask for a stream on a connection of its own.');
  const giveBack = house.quotas.stream(caller.tenant);
  reply.hijack();
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  const sink = sseSink(raw, { ...headers, ...answer.headers }, answer.beat);
  const over = house.streams.add(caller, () => sink.cut());
  raw.on('close', () => {
    over();
    giveBack();
  });
  answer.stream?.(sink);
}

export function refuse(
  { house, hidden, clean }: AppSettings,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const { status, failure, isBug } = refusalOf(thrown, hidden);
  if (isBug) house.log.problem('A request failed.', thrown);
  return reply
    .code(status)
    .headers({ ...safeHeaders, ...refusalHeaders(status) })
    .type('application/json; charset=utf-8')
    .send(clean(JSON.stringify({ error: failure })));
}
