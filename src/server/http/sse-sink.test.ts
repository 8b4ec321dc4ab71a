import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { streamViewer } from '../../../test/stream.ts';
import { ConsoleFrame } from '../../wire/console.ts';
import { sseReader, type SseEvent } from '../../wire/sse.ts';
import { heartbeat } from '../routes/session-stream.ts';
import { sseSink } from './answer.ts';

/** A viewer on a real connection, and what it is written to with. */
async function connected(beat?: string) {
  const opened = Promise.withResolvers<ReturnType<typeof sseSink>>();
  const server = createServer((_, response) =>
    opened.resolve(sseSink(response, {}, beat === undefined ? {} : { beat })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const viewer = streamViewer({ url: `http://127.0.0.1:${port}`, path: '/' });
  const sink = await opened.promise;
  const frames = 'id: 1\ndata: {}\n\n';
  sink.write(sink.form(frames));
  return { viewer, sink, frames };
}

test('[R16] a sign of life goes into a silence only, and is no event to anybody', async () => {
  const { viewer, sink, frames } = await connected();
  sink.beat(true);
  sink.beat(false);
  sink.end();
  await viewer.closed;
  expect(viewer.body).toBe(`${frames}: \n\n`);
  expect(viewer.isWhole).toBe(true);
});

test('[R16] a console gets its own heartbeat, which moves no cursor', async () => {
  const { viewer, sink } = await connected(heartbeat);
  sink.beat(false);
  sink.end();
  await viewer.closed;
  const events: SseEvent[] = [];
  sseReader().read(Buffer.from(viewer.body), (event) => events.push(event));
  const [, beat] = events;
  expect(beat).toEqual({ event: 'heartbeat', data: '{}', id: '1' });
  expect(ConsoleFrame.parse({ event: beat?.event, data: JSON.parse(beat?.data ?? '') })).toBeTruthy();
});

test('a farewell says how soon to come back, and is no event', async () => {
  const { viewer, sink } = await connected();
  sink.end('reconnect');
  await viewer.closed;
  const reader = sseReader();
  const ids: string[] = [];
  reader.read(Buffer.from(viewer.body), ({ id }) => ids.push(id));
  expect(ids).toEqual(['1']);
  expect(reader.retry).toBe(1_000);
});

test('a connection serves one stream after the other, and keeps nothing of those before', async () => {
  const listeners: number[] = [];
  const server = createServer((_, response) => {
    const sink = sseSink(response, {});
    sink.listen({ drained: () => {}, gone: () => {} });
    listeners.push(response.socket?.listenerCount('drain') ?? 0);
    sink.write(sink.form('id: 1\ndata: {}\n\n'));
    sink.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ports = new Set<number | undefined>();
  for (let i = 0; i < 5; i += 1) {
    const answer = await new Promise<IncomingMessage>((resolve) => {
      get({ port, host: '127.0.0.1', agent }, resolve);
    });
    ports.add(answer.socket.localPort);
    expect(await text(answer)).toBe('id: 1\ndata: {}\n\n');
  }
  expect(ports.size).toBe(1);
  expect(new Set(listeners).size).toBe(1);
});

test('[V301] what is at hand leaves with the head of a stream, in one write', async () => {
  const writes: string[] = [];
  const server = createServer((_, response) => {
    const { socket } = response;
    if (!socket) throw new RangeError('a request without a connection');
    const writeAll = socket._writev?.bind(socket);
    vi.spyOn(socket, '_writev').mockImplementation((chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      writeAll?.(chunks, done);
    });
    const sink = sseSink(response, {});
    sink.say?.('id: 1\ndata: {}\n\n');
    sink.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const viewer = streamViewer({ url: `http://127.0.0.1:${port}`, path: '/' });
  await viewer.closed;
  expect(writes).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 [^]*id: 1\n[^]*\r\n0\r\n\r\n$/)]);
});
