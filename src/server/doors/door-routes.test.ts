import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { imaginary, type Told } from '../../../test/imaginary.ts';
import { appWith, keyAt, serving, temporaryFolder, type Serving } from '../../../test/serving.ts';

const echo = appWith(async (scope, text) => {
  scope.notice('SAID', text);
  return `You said «${text}».`;
}, 'echo');

function speaking(more: Parameters<typeof serving>[0] = {}): Promise<Serving> {
  return serving({ ...more, config: { apps: { echo }, ...more.config }, protocols: [imaginary] });
}

function toldIn(text: string): Told[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);
}

test('[P68] a request in a protocol is answered in it: as a stream of its bytes, or whole', async () => {
  const at = await speaking();
  const stream = await at.ask('/imaginary/echo', { json: { say: 'hä?' } });
  expect(stream.headers.get('content-type')).toBe('application/octet-stream');
  expect(toldIn(stream.text).at(-1)).toEqual({ end: 'completed', answer: 'You said «hä?».' });
  const block = await at.ask('/imaginary/echo', { json: { say: 'hä?', whole: true } });
  expect(block.json).toEqual({ answer: 'You said «hä?».' });
  const run = block.headers.get('x-run-id') ?? '';
  expect(await at.ask(`/api/runs/${run}`)).toMatchObject({ status: 200 });
});

test('[P68] a stream ends where the protocol ends an answer: at a question', async () => {
  const asking = appWith(async (scope) => {
    await scope.ask({ key: 'may', title: 'May I?' });
    return 'Done.';
  }, 'asking');
  const at = await speaking({ config: { apps: { asking } } });
  const { text } = await at.ask('/imaginary/asking', { json: { say: 'x' } });
  expect(toldIn(text).at(-1)).toMatchObject({ ask: 'May I?' });
});

test('[P69] the same frames are binary messages on a WebSocket, and text in server-sent events', async () => {
  const at = await speaking();
  const { headers, text } = await at.ask('/imaginary/echo', { json: { say: 'x' } });
  const run = headers.get('x-run-id') ?? '';
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/runs/${run}?as=imaginary`);
  const messages: string[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) =>
    messages.push(isBinary ? data.toString() : 'text'),
  );
  await once(socket, 'close');
  expect(messages.join('')).toBe(text);
  const events = await at.ask(`/api/runs/${run}/events?as=imaginary`);
  const data = [...events.text.matchAll(/^data: (.*)$/gm)].map(([, line = '']) => atob(line));
  expect(Buffer.from(data.join(''), 'latin1').toString()).toBe(text);
});

test('[P68] what is refused is refused in its words, and the key is where its clients have it', async () => {
  const data = temporaryFolder();
  const at = await speaking({ data, config: { auth: { local: 'key' } } });
  const key = await keyAt(at);
  const asking = { json: { say: 'x', whole: true } };
  expect(await at.ask('/imaginary/echo', asking)).toMatchObject({
    status: 401,
    json: { sorry: expect.any(String) },
  });
  const headers = { 'x-imaginary-key': key };
  await vi.waitFor(async () =>
    expect(await at.ask('/imaginary/echo', { ...asking, headers })).toMatchObject({ status: 200 }),
  );
  expect(await at.ask('/imaginary/echo', { json: {}, headers })).toMatchObject({
    status: 400,
    json: { sorry: expect.stringContaining('say') },
  });
  expect(await at.ask('/api/runs', { headers })).toMatchObject({ status: 401, json: { error: {} } });
});
