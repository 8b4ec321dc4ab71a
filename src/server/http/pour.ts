import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AppSettings } from '../app.ts';
import type { Caller } from '../access/honest.ts';
import type { Reply } from '../routes/route.ts';

/** What somebody else's library writes, as it comes. */
export interface Poured {
  readonly type: string;
  readonly texts: AsyncIterable<string | Uint8Array>;
}

const eventStream = 'text/event-stream';

/** Answer with what comes, as one of the caller's streams where it may go on for long. */
export function pour(
  { context }: AppSettings,
  reply: FastifyReply,
  { answer, caller, poured }: { readonly answer: Reply; readonly caller: Caller; readonly poured: Poured },
): FastifyReply {
  const { raw } = reply;
  const isStream = poured.type.startsWith(eventStream);
  const giveBack = isStream ? context.quotas.stream(caller.tenant) : () => undefined;
  const body = Readable.from(poured.texts, { objectMode: false });
  const over = context.streams.add(caller, () => raw.destroy());
  raw.on('close', () => {
    over();
    giveBack();
    body.destroy();
  });
  body.on('error', (thrown) => {
    if (!raw.destroyed) context.log.problem('An answer broke off.', thrown);
  });
  if (isStream) reply.headers({ 'cache-control': 'no-cache', 'x-accel-buffering': 'no' });
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .type(poured.type)
    .send(body);
}
