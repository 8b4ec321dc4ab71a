import { createServer, type Server } from 'node:net';
import { getEventListeners, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frames } from '../../../test/chat-frames.ts';
import { chatSubject } from '../../../test/chat-subject.ts';
import { type Act, openUpstream, sse, type Upstream } from '../../../test/upstream.ts';
import type { Failure } from '../../run/failure.ts';
import { RunError } from '../../run/failure.ts';
import { gatewayContract } from '../gateway.contract.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { openAiChatGateway, type OpenAiChatSettings } from './openai-chat.ts';

gatewayContract('openai-chat', () =>
  chatSubject(({ baseUrl, key }) =>
    openAiChatGateway({ baseUrl, key, model: 'm' }, { sleep: async () => undefined }),
  ),
);

interface Heard {
  readonly arrays: (readonly AgentEvent[])[];
  readonly events: AgentEvent[];
  readonly failure?: Failure;
  /** The waits between two tries, in milliseconds. */
  readonly slept: number[];
}

const signal = new AbortController().signal;
const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };
const answer: Act[] = [
  sse,
  { send: frames.text('ok') },
  { send: frames.finish() },
  { send: frames.done },
  'end',
];
const refusal = (status: number, headers: Record<string, string> = {}): Act[] => [
  { head: status, headers },
  { send: '{"error":{"message":"not now"}}' },
  'end',
];

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream();
});
afterEach(() => upstream.close());

async function hear(settings: Partial<OpenAiChatSettings> = {}, given = turn, random = 1): Promise<Heard> {
  const slept: number[] = [];
  const surroundings = { random: () => random, sleep: async (ms: number) => void slept.push(ms) };
  const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm', ...settings }, surroundings);
  const arrays: (readonly AgentEvent[])[] = [];
  try {
    for await (const events of gateway.takeTurn(given, signal)) arrays.push(events);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { arrays, events: arrays.flat(), failure: error.failure, slept };
  }
  return { arrays, events: arrays.flat(), slept };
}

const typesOf = ({ events }: Heard): string[] => events.map(({ type }) => type);

describe('chunks', () => {
  test('[G2] frames of one chunk are one array, and a frame cut in two comes with its second half', async () => {
    const text = frames.text('c');
    upstream.answer([
      sse,
      { send: frames.text('a') + frames.text('b') },
      { send: ': ping\n\n' },
      { send: text.slice(0, 40) },
      { send: text.slice(40) + frames.finish() },
      { send: frames.done },
      'end',
    ]);
    expect((await hear()).arrays).toEqual([
      [
        { type: 'text.appended', text: 'a' },
        { type: 'text.appended', text: 'b' },
      ],
      [{ type: 'text.appended', text: 'c' }],
      [{ type: 'turn.finished', reason: 'stop' }],
    ]);
  });

  test('[H1] an answer that arrives byte by byte tells the same as one that arrives whole', async () => {
    const text = frames.text('Grüße 😀') + frames.call({ index: 0, id: 'a', name: 't', arguments: '{}' });
    const bytes = Buffer.from(text + frames.finish('tool_calls') + frames.usage(1, 2) + frames.done);
    upstream.answer(
      [sse, { send: bytes }, 'end'],
      [sse, ...[...bytes].map((byte) => ({ send: Uint8Array.of(byte) })), 'end'],
    );
    const whole = await hear();
    expect(whole.events).toHaveLength(4);
    expect((await hear()).events).toEqual(whole.events);
  });

  test('[H11] a connection is used again after an answer, and after a refusal', async () => {
    upstream.answer(refusal(503), answer, answer, refusal(400), answer);
    const gateway = openAiChatGateway(
      { baseUrl: upstream.url, model: 'm' },
      { sleep: async () => undefined },
    );
    for (let i = 0; i < 4; i += 1) {
      await Array.fromAsync(gateway.takeTurn(turn, signal)).catch(() => undefined);
    }
    const connections = new Set(upstream.requests.map(({ connection }) => connection));
    expect(upstream.requests).toHaveLength(5);
    // A turn may begin before undici has taken back the connection of the last one.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  test('a server that says [DONE] and does not hang up keeps nobody waiting, and is hung up on', async () => {
    upstream.answer([sse, { send: frames.text('a') + frames.done }, 'hang']);
    expect(typesOf(await hear({ timeouts: { idle: 1_000 } }))).toEqual(['text.appended', 'turn.finished']);
    await (
      await upstream.request(0)
    ).left;
  });
});

describe('the request', () => {
  test('carries what the turn says', async () => {
    upstream.answer(answer);
    await hear(
      { key: () => 'secret', headers: { 'X-Team': 'blue', Accept: 'text/event-stream;q=1' } },
      {
        messages: [
          { role: 'system', text: 'Be kind.' },
          {
            role: 'user',
            text: 'look',
            attachments: [
              { type: 'image/png', url: 'https://example.org/a.png' },
              { type: 'image/gif', data: 'R0lG' },
              { type: 'text/plain', title: 'notes', data: 'milk' },
              { type: 'application/pdf', title: 'paper', url: 'https://example.org/p.pdf' },
            ],
          },
          { role: 'assistant', text: '', calls: [{ id: 'c1', tool: 'find', arguments: '{}' }] },
          { role: 'tool', text: 'found', call: 'c1' },
          {
            role: 'assistant',
            text: 'there',
            attachments: [{ type: 'image/png', url: 'https://example.org/b.png' }],
          },
          { role: 'user', text: 'file', attachments: [{ type: 'application/zip', title: 'z' }] },
        ],
        tools: [{ name: 'find', description: 'Finds.', schema: { type: 'object' } }],
        toolChoice: 'required',
        answerSchema: { type: 'object' },
        temperature: 0,
        maxTokens: 5,
        idempotencyKey: 'run é/1',
        conversation: 'c',
      },
    );
    const { path, headers, body } = await upstream.request(0);
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'idempotency-key': 'run%20%C3%A9/1',
      'x-team': 'blue',
      accept: 'text/event-stream;q=1',
    });
    expect(body).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
            { type: 'image_url', image_url: { url: 'data:image/gif;base64,R0lG' } },
            { type: 'text', text: 'Attachment "notes" (text/plain):\nmilk' },
            { type: 'text', text: 'Attachment "paper" (application/pdf): https://example.org/p.pdf' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
        { role: 'assistant', content: 'there\n\nAttachment (image/png): https://example.org/b.png' },
        { role: 'user', content: 'file\n\nAttachment "z" (application/zip), not included.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } },
        },
      ],
      tool_choice: 'required',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      temperature: 0,
      max_tokens: 5,
    });
  });

  test('leaves out a choice of tools when there are none, and a key when there is none', async () => {
    upstream.answer(answer);
    await hear({}, { ...turn, tools: [], toolChoice: 'none' });
    const { headers, body } = await upstream.request(0);
    expect(body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(headers).not.toHaveProperty('authorization');
  });

  test('goes to the address as it was given, query and trailing slash included', async () => {
    upstream.answer(answer);
    await hear({ baseUrl: `${upstream.url}/deployments/x/?api-version=1` });
    expect((await upstream.request(0)).path).toBe('/v1/deployments/x/chat/completions?api-version=1');
  });

  test.for(['', 'host/v1', 'ftp://host/v1'])(
    'an address like "%s" is refused when the gateway is made',
    (baseUrl) => {
      expect(() => openAiChatGateway({ baseUrl, model: 'm' })).toThrowError(/baseUrl .* https:\/\/host\/v1/);
    },
  );

  test('a key that cannot be read, or cannot be sent, is a failure that does not show it', async () => {
    const broken = (): never => {
      throw new Error('vault sealed: hunter2hunter2');
    };
    const unread = await hear({ key: broken });
    expect(unread.failure?.code).toBe('unauthenticated');
    const unsent = await hear({ key: 'hunter2hunter2\n' });
    expect(unsent.failure).toMatchObject({
      code: 'malformed',
      message: expect.stringContaining('check the key'),
    });
    expect(JSON.stringify([unread, unsent])).not.toContain('hunter2');
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('timeouts', () => {
  test.for<{ name: string; acts: Act[]; timeout: 'firstByte' | 'idle' }>([
    { name: 'before the headers', acts: ['hang'], timeout: 'firstByte' },
    { name: 'after the headers', acts: [sse, 'hang'], timeout: 'firstByte' },
    { name: 'in the answer', acts: [sse, { send: frames.text('a') }, 'hang'], timeout: 'idle' },
  ])('[H2] a server that hangs $name is hung up on, by $timeout', async ({ acts, timeout }) => {
    upstream.answer(acts);
    const { failure, slept } = await hear({
      timeouts: { connect: 60_000, firstByte: 60_000, idle: 60_000, [timeout]: 30 },
    });
    expect(failure).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining(`30 ms (timeouts.${timeout})`),
    });
    expect(slept).toEqual([]);
    // On a busy machine nothing may have come of it.
    await Promise.all(upstream.requests.map(({ left }) => left));
  });

  test('[H2] a server that accepts a connection and never shakes hands is left, by connect', async () => {
    const silent: Server = createServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { failure } = await hear({
      baseUrl: `https://127.0.0.1:${port}/v1`,
      timeouts: { connect: 30, firstByte: 60_000, idle: 60_000 },
    });
    expect(failure).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('30 ms (timeouts.connect)'),
    });
    silent.close();
  });

  test('[H2] bytes that came while our own process stood still were in time', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    const rest = frames.text('b') + frames.finish() + frames.done;
    upstream.answer([sse, { send: frames.text('a') }, { until }, { send: rest }, 'end']);
    const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm', timeouts: { idle: 60 } });
    const iterator = gateway.takeTurn(turn, signal)[Symbol.asyncIterator]();
    await iterator.next();
    goOn();
    // The server writes at the end of this tick; then neither it nor we can do anything for twice the timeout.
    for (let i = 0; i < 10; i += 1) await new Promise<void>((resolve) => process.nextTick(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120);
    await expect(iterator.next()).resolves.toMatchObject({
      value: [{ type: 'text.appended', text: 'b' }, {}],
    });
  });

  test('[H2] a reader that is behind is no server that is silent', async () => {
    const words = Array.from({ length: 400 }, (_, i) => ({ send: frames.text(`${i} `) }));
    upstream.answer([sse, ...words, { send: frames.finish() + frames.done }, 'end']);
    const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm', timeouts: { idle: 60 } });
    const iterator = gateway.takeTurn(turn, signal)[Symbol.asyncIterator]();
    let text = '';
    for (let i = 0; ; i += 1) {
      const { done, value = [] } = await iterator.next();
      if (done === true) break;
      for (const event of value) if (event.type === 'text.appended') text += event.text;
      // Longer than the timeout, twice: once while much is queued, once when all is taken.
      if (i === 1 || i === 70) await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(text.split(' ')).toHaveLength(401);
  });
});

describe('refusals', () => {
  test.for([408, 429, 500, 502, 503, 504, 529])(
    '[H6] %i is asked again, with growing waits, and told',
    async (status) => {
      upstream.answer(refusal(status), refusal(status), answer);
      const heard = await hear();
      expect(typesOf(heard)).toEqual(['turn.retried', 'turn.retried', 'text.appended', 'turn.finished']);
      expect(heard.events[0]).toEqual({
        type: 'turn.retried',
        reason: `Model m answered ${status}: not now. Asked again in 500 ms.`,
      });
      expect(heard.slept).toEqual([500, 1000]);
    },
  );

  test('[H6] jitter takes up to half of a wait away', async () => {
    upstream.answer(refusal(503), answer);
    expect((await hear({}, turn, 0)).slept).toEqual([250]);
  });

  test.for<{ name: string; acts: Act[]; slept: number[] }>([
    { name: 'seconds', acts: refusal(429, { 'retry-after': '7' }), slept: [7000] },
    {
      name: 'a date',
      acts: refusal(503, {
        date: 'Sun, 15 Nov 2026 20:00:00 GMT',
        'retry-after': 'Sun, 15 Nov 2026 20:00:09 GMT',
      }),
      slept: [9000],
    },
    {
      name: 'a date that is past',
      acts: refusal(503, {
        date: 'Sun, 15 Nov 2026 20:00:00 GMT',
        'retry-after': 'Sun, 15 Nov 2026 19:00:00 GMT',
      }),
      slept: [0],
    },
    {
      name: 'a day, which is cut to a minute',
      acts: refusal(429, { 'retry-after': '86400' }),
      slept: [60_000],
    },
    { name: 'nonsense, which is not obeyed', acts: refusal(429, { 'retry-after': 'soon' }), slept: [500] },
  ])('[H6] Retry-After as $name', async ({ acts, slept }) => {
    upstream.answer(acts, answer);
    expect((await hear()).slept).toEqual(slept);
  });

  test.for<{ name: string; acts: Act[] }>([
    { name: 'a connection that is reset', acts: ['reset'] },
    { name: 'a connection that is reset after the headers', acts: [sse, 'reset'] },
    { name: 'a stream that ends at once', acts: [sse, 'end'] },
    {
      name: 'an error in place of the answer',
      acts: [sse, { send: frames.error({ message: 'busy', code: 503 }) }, 'end'],
    },
  ])('[H6] $name is asked again', async ({ acts }) => {
    upstream.answer(acts, answer);
    expect(typesOf(await hear())).toEqual(['turn.retried', 'text.appended', 'turn.finished']);
  });

  test('[H6] after three tries it is a failure, and may be tried later', async () => {
    upstream.answer(refusal(503));
    const { failure } = await hear();
    expect(upstream.requests).toHaveLength(3);
    expect(failure).toEqual({
      code: 'unavailable',
      message: 'Model m answered 503: not now.',
      retryable: true,
    });
  });

  test('[H6 A23] a server that is not there is a failure that names who is asked, and no address', async () => {
    const { url } = upstream;
    await upstream.close();
    const { failure } = await hear({ baseUrl: url });
    expect(failure).toMatchObject({
      code: 'unavailable',
      message:
        'The connection to Model m failed (ECONNREFUSED); check that it runs and that baseUrl is right.',
    });
    upstream = await openUpstream();
  });

  test('[H6] fallback models are asked in order, each told by name', async () => {
    upstream.answer(...Array.from({ length: 6 }, () => refusal(503)), answer);
    const { events } = await hear({ fallbacks: ['n', 'o'] });
    const models = upstream.requests.map(({ body }) => (body as { model: string }).model);
    expect(models).toEqual(['m', 'm', 'm', 'n', 'n', 'n', 'o']);
    const told = events.map((event) => (event.type === 'turn.retried' ? event.model : event.type));
    expect(told).toEqual([
      undefined,
      undefined,
      'n',
      undefined,
      undefined,
      'o',
      'text.appended',
      'turn.finished',
    ]);
  });

  test('[H7] a timeout is not waited for twice, but a fallback model is asked', async () => {
    upstream.answer(['hang'], answer);
    const heard = await hear({ timeouts: { firstByte: 500 }, fallbacks: ['n'] });
    expect(typesOf(heard)).toEqual(['turn.retried', 'text.appended', 'turn.finished']);
    expect(heard.slept).toEqual([]);
  });

  test.for<{ status: number; code: string }>([
    { status: 400, code: 'malformed' },
    { status: 401, code: 'unauthenticated' },
    { status: 403, code: 'refused' },
    { status: 404, code: 'unknown' },
    { status: 413, code: 'too-large' },
    { status: 422, code: 'malformed' },
    { status: 301, code: 'unavailable' },
    { status: 501, code: 'unavailable' },
  ])('[H7] $status is not asked again, also no fallback, and is $code', async ({ status, code }) => {
    upstream.answer(refusal(status));
    const { failure } = await hear({ fallbacks: ['n'] });
    expect(failure).toEqual({ code, message: `Model m answered ${status}: not now.`, retryable: false });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for<{ name: string; body: string; words: string }>([
    { name: 'an error that is a text', body: '{"error":"bad model"}', words: 'bad model' },
    { name: 'a message at the top', body: '{"object":"error","message":"bad model"}', words: 'bad model' },
    { name: 'a detail', body: '{"detail":"bad model"}', words: 'bad model' },
    { name: 'a page', body: '<h1>\n  bad   model</h1>', words: '<h1> bad model</h1>' },
  ])('[H7] upstream is quoted from $name', async ({ body, words }) => {
    upstream.answer([{ head: 400 }, { send: body }, 'end']);
    expect((await hear()).failure?.message).toBe(`Model m answered 400: ${words}.`);
  });

  test('[H7] a refusal without end is cut, and quoted in short', async () => {
    upstream.answer([{ head: 400 }, { endless: 'no '.repeat(1000) }]);
    const { failure } = await hear();
    expect(failure?.message.length).toBeLessThan(600);
    expect(await (await upstream.request(0)).left).toBeLessThan(8 * 1024 * 1024);
  });

  test('[H7] a refusal whose text never comes is still that refusal', async () => {
    upstream.answer([{ head: 400 }, { send: 'half' }, 'hang']);
    expect((await hear({ timeouts: { idle: 30 } })).failure?.message).toBe('Model m answered 400: half.');
  });

  test('a whole answer where a stream was asked for is a failure that says so', async () => {
    upstream.answer([
      { head: 200, headers: { 'content-type': 'application/json' } },
      { send: '{"choices":[]}' },
      'end',
    ]);
    expect((await hear()).failure?.message).toContain('application/json instead of an event stream');
  });

  test('[G7] keys and headers that upstream repeats are not told, in failures, retries and notices', async () => {
    const key = 'correct-horse-battery';
    const header = 'opaque-header-value';
    const words = JSON.stringify({ error: { message: `no ${key} and ${header}` } });
    upstream.answer(
      [{ head: 503 }, { send: words }, 'end'],
      [sse, { send: `data: {${key}\n\n` }, { send: frames.error({ message: `${key} ${header}` }) }, 'end'],
    );
    const heard = await hear({ key, headers: { 'api-key': header } });
    expect(typesOf(heard)).toEqual(['turn.retried', 'notice.posted']);
    expect(JSON.stringify(heard)).not.toMatch(/correct-horse|opaque-header/);
    expect(JSON.stringify(heard)).toContain('[redacted]');
  });
});

describe('the end', () => {
  test('[H8] a stream that just ends has ended early', async () => {
    upstream.answer([sse, { send: frames.text('half') }, 'end']);
    const { events, failure } = await hear();
    expect(events).toEqual([{ type: 'text.appended', text: 'half' }]);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ended early') });
  });

  test.for<{ name: string; acts: Act[] }>([
    { name: 'ends without [DONE]', acts: ['end'] },
    { name: 'is reset', acts: ['reset'] },
    { name: 'hangs', acts: ['hang'] },
  ])('[H8] an answer with a finish reason is whole, also when its stream $name', async ({ acts }) => {
    upstream.answer([sse, { send: frames.text('a') + frames.finish('length') }, ...acts]);
    const { events, failure } = await hear({ timeouts: { idle: 30 } });
    expect(failure).toBeUndefined();
    expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length' });
  });

  test('[H9] usage that came before a failure is told', async () => {
    upstream.answer([
      sse,
      { send: frames.text('a') + frames.usage(5, 1) },
      { send: frames.error('gone') },
      'end',
    ]);
    const { events } = await hear();
    expect(events.at(-1)).toEqual({ type: 'usage.reported', usage: { input: 5, output: 1 } });
  });
});

describe('too much', () => {
  const mebibyte = 1024 * 1024;

  test('[H4] a line without end is refused after 1 MiB, long before 100 MB, and the server sees it', async () => {
    upstream.answer([sse, { send: 'data: ' }, { endless: 'x'.repeat(65_536) }]);
    const { failure } = await hear();
    expect(failure).toMatchObject({ code: 'too-large', message: expect.stringContaining('1048576') });
    expect(await (await upstream.request(0)).left).toBeLessThan(16 * mebibyte);
  });

  test('[H4] an answer without end is refused at its limit, and the server sees it', async () => {
    upstream.answer([sse, { endless: frames.text('x'.repeat(1000)) }]);
    const { events, failure } = await hear({ limits: { answer: 2 * mebibyte } });
    expect(failure).toMatchObject({ code: 'too-large', message: expect.stringContaining('2097152') });
    const told = events.reduce(
      (sum, event) => sum + (event.type === 'text.appended' ? event.text.length : 0),
      0,
    );
    expect(told).toBeLessThan(2 * mebibyte);
    expect(await (await upstream.request(0)).left).toBeLessThan(16 * mebibyte);
  });

  test('[H4] comments without end are bounded too', async () => {
    upstream.answer([sse, { endless: ': ping\n\n'.repeat(1000) }]);
    expect((await hear({ limits: { answer: mebibyte } })).failure?.code).toBe('too-large');
  });

  test('[G14] a reader that stands still stops the server, and memory with it', async () => {
    upstream.answer([sse, { endless: frames.text('x'.repeat(100_000)) }]);
    const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm' });
    const iterator = gateway.takeTurn(turn, signal)[Symbol.asyncIterator]();
    await iterator.next();
    const request = await upstream.request(0);
    // Long enough for hundreds of megabytes, if nothing held them back.
    for (let i = 0; i < 3000; i += 1) await new Promise(setImmediate);
    await iterator.return?.();
    expect(await request.left).toBeLessThan(32 * mebibyte);
  });

  test.for(['gzip', 'br', 'deflate'])(
    '[H5] an answer in %s is refused before it is read',
    async (encoding) => {
      upstream.answer([
        { head: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': encoding } },
        { endless: 'bomb' },
      ]);
      const { failure } = await hear();
      expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining(encoding) });
      expect(upstream.requests).toHaveLength(1);
      await (
        await upstream.request(0)
      ).left;
    },
  );
});

describe('leaving', () => {
  test('a signal that outlives many turns keeps nothing of them', async () => {
    const { signal: long } = new AbortController();
    upstream.answer(answer, refusal(400), answer);
    const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm' });
    for (let i = 0; i < 3; i += 1) await Array.fromAsync(gateway.takeTurn(turn, long)).catch(() => undefined);
    expect(upstream.requests).toHaveLength(3);
    expect(getEventListeners(long, 'abort')).toHaveLength(0);
  });
});

describe('flapping', () => {
  test('[H6] a server that fails every other time is asked at most three times a turn, 200 times', async () => {
    const gateway = openAiChatGateway(
      { baseUrl: upstream.url, model: 'm' },
      { sleep: async () => undefined, random: () => 0 },
    );
    // A fixed sequence of good and bad, so that a failure can be played again.
    let state = 7;
    const isBad = (): boolean => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 2 === 0;
    };
    const plans = Array.from({ length: 600 }, () =>
      isBad() ? (isBad() ? refusal(500) : (['reset'] as Act[])) : answer,
    );
    upstream.answer(...plans);
    let finished = 0;
    for (let i = 0; i < 200; i += 1) {
      const before = upstream.requests.length;
      const events = await Array.fromAsync(gateway.takeTurn(turn, signal)).catch(() => undefined);
      if (events !== undefined) finished += 1;
      expect(upstream.requests.length - before).toBeLessThanOrEqual(3);
    }
    expect(finished).toBeGreaterThan(150);
    expect(finished).toBeLessThan(200);
  });

  test('[G8] abort while waiting to ask again ends the turn, and nobody is asked', async () => {
    upstream.answer(refusal(503));
    const controller = new AbortController();
    const gateway = openAiChatGateway({ baseUrl: upstream.url, model: 'm' }, { random: () => 1 });
    const iterator = gateway.takeTurn(turn, controller.signal)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject([{ type: 'turn.retried' }]);
    const waiting = iterator.next();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(upstream.requests).toHaveLength(1);
  });
});
