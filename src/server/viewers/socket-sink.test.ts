import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { eventSocketSink, socketSink } from './socket-sink.ts';
import type { Sink } from './viewer.ts';

type Ends = Parameters<typeof eventSocketSink>[0];

interface Pair {
  readonly sink: Sink;
  readonly socket: WebSocket;
  readonly client: WebSocket;
}

/** Both ends of a socket; the client answers pings, or does not. */
async function pair(
  autoPong: boolean,
  sinkOf = (ends: Ends): Sink => socketSink({ ...ends, bare: false }),
): Promise<Pair> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const sockets = new WebSocketServer({ noServer: true });
  const opened = Promise.withResolvers<Omit<Pair, 'client'>>();
  server.on('upgrade', (request, raw: Duplex, head) => {
    sockets.handleUpgrade(request, raw, head, (socket) =>
      opened.resolve({ socket, sink: sinkOf({ socket, raw }) }),
    );
  });
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
  onTestFinished(() => client.terminate());
  return { ...(await opened.promise), client };
}

test('[R11] a peer that does not answer is cut off, also while it is written to', async () => {
  const { sink, client } = await pair(false);
  const gone = Promise.withResolvers<void>();
  sink.listen({ drained: () => {}, gone: () => gone.resolve() });
  sink.beat(true);
  await once(client, 'ping');
  sink.beat(true);
  await gone.promise;
});

test('a peer that answers stays, and gets messages of any length', async () => {
  const { sink, socket, client } = await pair(true);
  const messages: string[] = [];
  client.on('message', (data: Buffer) => messages.push(data.toString()));
  for (let i = 0; i < 3; i += 1) {
    const answered = once(socket, 'pong');
    sink.beat(true);
    await answered;
  }
  const texts = [1, 125, 126, 65_535, 65_536, 200_000].map((length) => 'ü'.repeat(length / 2));
  const frames = texts.map((text, id) => ({ event: 'e', id, data: JSON.stringify(text) }));
  sink.write(sink.form(sink.framing?.text(frames) ?? ''));
  sink.end();
  await once(client, 'close');
  expect(messages.map((text): unknown => JSON.parse(text))).toEqual(
    texts.map((data, id) => ({ id, event: 'e', data })),
  );
});

test('[N40] a stream on a socket is the text of the stream, with its signs of life and its farewell', async () => {
  const { sink, socket, client } = await pair(true, eventSocketSink);
  let text = '';
  client.on('message', (data: Buffer) => (text += data.toString()));
  sink.write(sink.form('id: 1\ndata: "ü"\n\n'));
  for (const heard of [true, false]) {
    const answered = once(socket, 'pong');
    sink.beat(heard);
    await answered;
  }
  sink.end('reconnect');
  await once(client, 'close');
  expect(text).toMatch(/^id: 1\ndata: "ü"\n\n: \n\n: [^\n]+\nretry: \d+\n\n$/);
});
