import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chatSubject } from '../../../test/chat-subject.ts';
import { dial } from '../../../test/dial-frames.ts';
import { openStrictDial } from '../../../test/strict-dial.ts';
import { type Act, sse, type Upstream } from '../../../test/upstream.ts';
import { type Failure, RunError } from '../../run/failure.ts';
import { DialRequest } from '../../wire/dial.ts';
import { dialGateway, type DialSettings } from './dial.ts';
import { gatewayContract } from '../gateway.contract.ts';
import type { AgentEvent, Turn } from '../gateway.ts';

const refused = (status: number, error: object, headers: Record<string, string> = {}): Act[] => [
  { head: status, headers: { 'content-type': 'application/json', ...headers } },
  { send: JSON.stringify({ error }) },
  'end',
];

gatewayContract('dial', () =>
  chatSubject(
    ({ baseUrl, key }) => dialGateway({ baseUrl, key, deployment: 'd' }, { sleep: async () => undefined }),
    refused(429, { message: 'Rate limit', code: 'rate_limit_exceeded' }),
  ),
);

interface Heard {
  readonly events: AgentEvent[];
  readonly failure?: Failure;
  readonly slept: number[];
}

const signal = new AbortController().signal;
const key = 'dial-key-83fc1';
const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };
const answer: Act[] = [sse, { send: dial.role + dial.text('ok') + dial.last() }, { send: dial.done }, 'end'];

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openStrictDial();
});
afterEach(() => upstream.close());

async function hear(settings: Partial<DialSettings> = {}, given = turn): Promise<Heard> {
  const slept: number[] = [];
  const surroundings = { random: () => 1, sleep: async (ms: number) => void slept.push(ms) };
  const all = { baseUrl: upstream.url, deployment: 'gpa', key, ...settings };
  const events: AgentEvent[] = [];
  try {
    for await (const some of dialGateway(all, surroundings).takeTurn(given, signal)) events.push(...some);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { events, failure: error.failure, slept };
  }
  return { events, slept };
}

describe('the request', () => {
  test('is one that the strictest server takes, with state and attachments and without stages', async () => {
    upstream.answer(answer);
    const state = { tool_call_history: [{ role: 'tool', content: 'x', tool_call_id: '1' }] };
    const { failure } = await hear(
      { headers: { 'X-Job-Title': 'Tester' } },
      {
        messages: [
          { role: 'system', text: 'Be kind.' },
          { role: 'user', text: 'one' },
          {
            role: 'assistant',
            text: 'first',
            state,
            attachments: [{ type: 'image/png', url: 'files/a.png' }],
          },
          { role: 'user', text: 'use a tool' },
          { role: 'assistant', text: '', calls: [{ id: 'c1', tool: 'find', arguments: '{}' }] },
          { role: 'tool', text: 'found', call: 'c1' },
          {
            role: 'user',
            text: 'look',
            attachments: [
              { type: 'image/png', title: 'a.png', url: 'files/bucket/a.png' },
              { type: '', data: '# hi', referenceUrl: 'https://x.test', referenceType: 'text/html' },
              { type: 'application/zip', title: 'z', blob: { blob: 'f00', size: 9 } },
              { type: 'text/plain', title: '', data: 'both', url: 'files/b.txt' },
            ],
          },
        ],
        tools: [{ name: 'find', description: 'Finds.', schema: { type: 'object' } }],
        toolChoice: 'auto',
        temperature: 1,
        maxTokens: 5,
        idempotencyKey: 'run é/1',
        conversation: 'conversations/Grüße 1',
      },
    );
    expect(failure).toBeUndefined();
    const { path, headers, body } = await upstream.request(0);
    expect(path).toBe('/v1/openai/deployments/gpa/chat/completions?api-version=2025-01-01-preview');
    expect(headers).toMatchObject({
      'api-key': key,
      'x-conversation-id': 'conversations%2FGr%C3%BC%C3%9Fe%201',
      'x-job-title': 'Tester',
      'idempotency-key': 'run%20%C3%A9/1',
      'accept-encoding': 'identity',
    });
    expect(DialRequest.parse(body)).toEqual(body);
    expect(body).toEqual({
      stream: true,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'first', custom_content: { state } },
        { role: 'user', content: 'use a tool' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
        {
          role: 'user',
          content: 'look\n\nAttachment "z" (application/zip), not included.',
          custom_content: {
            attachments: [
              { type: 'image/png', title: 'a.png', url: 'files/bucket/a.png' },
              {
                type: 'text/markdown',
                data: '# hi',
                reference_url: 'https://x.test',
                reference_type: 'text/html',
              },
              { type: 'text/plain', data: 'both' },
            ],
          },
        },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } },
        },
      ],
      tool_choice: 'auto',
      temperature: 1,
      max_tokens: 5,
    });
  });

  test.for([
    ['gpt-4o', 'gpt-4o'],
    ['applications/bucket/My%20App__1.0', 'applications/bucket/My%20App__1.0'],
    ['my app?', 'my%20app%3F'],
  ] as const)('a deployment may have any id: %s', async ([deployment, sent]) => {
    upstream.answer(answer);
    await hear({ deployment, apiVersion: '2024-10-21', baseUrl: `${new URL(upstream.url).origin}/` });
    const { path } = await upstream.request(0);
    expect(path).toBe(`/openai/deployments/${sent}/chat/completions?api-version=2024-10-21`);
  });

  test('without a key nobody is asked', async () => {
    upstream.answer(answer);
    expect((await hear({ key: '' })).failure).toMatchObject({ code: 'unauthenticated' });
    const broken = (): never => {
      throw new Error('vault sealed: hunter2hunter2');
    };
    const unread = await hear({ key: broken });
    expect(unread.failure?.code).toBe('unauthenticated');
    expect(JSON.stringify(unread)).not.toContain('hunter2');
    expect(upstream.requests).toHaveLength(0);
  });

  test('a key is read anew for every turn, since it may be one of the request', async () => {
    upstream.answer(answer);
    let turns = 0;
    const gateway = dialGateway({ baseUrl: upstream.url, deployment: 'd', key: () => `key-${(turns += 1)}` });
    for (let i = 0; i < 2; i += 1) await Array.fromAsync(gateway.takeTurn(turn, signal));
    expect(upstream.requests.map(({ headers }) => headers['api-key'])).toEqual(['key-1', 'key-2']);
  });
});

describe('refusals', () => {
  const capture = (name: string): string =>
    readFileSync(new URL(`../../../test/captures/dial/${name}`, import.meta.url), 'utf8');

  test.for<{ name: string; acts: Act[]; failure: Partial<Failure> }>([
    {
      name: 'what was meant for people is what people are shown',
      acts: [{ head: 400 }, { send: capture('boom0.json') }, 'end'],
      failure: { code: 'malformed', message: 'Deployment gpa answered 400: Slow down.' },
    },
    {
      name: 'a request that a strict server does not take',
      acts: [{ head: 400 }, { send: capture('unknown-field.json') }, 'end'],
      failure: { code: 'malformed', message: expect.stringContaining('extra fields not permitted') as never },
    },
    {
      name: 'a history with an open stage, which only an old client would send',
      acts: [{ head: 400 }, { send: capture('stage-status-open-in-request.json') }, 'end'],
      failure: {
        code: 'malformed',
        message: expect.stringContaining("permitted: 'completed', 'failed'") as never,
        retryable: false,
      },
    },
    {
      name: 'a key that did not arrive',
      acts: [{ head: 400 }, { send: capture('no-api-key.json') }, 'end'],
      failure: {
        code: 'malformed',
        message: 'Deployment gpa answered 400: Api-Key header is required.',
        retryable: false,
      },
    },
    {
      name: 'a deployment that is not there',
      acts: [{ head: 404 }, { send: '{"detail":"Not Found"}' }, 'end'],
      failure: { code: 'unknown', message: 'Deployment gpa answered 404: Not Found.', retryable: false },
    },
    {
      name: 'a failure that may have come after the deed',
      acts: refused(502, { message: 'inner', display_message: 'Try later' }),
      failure: {
        code: 'unavailable',
        message: 'Deployment gpa answered 502: Try later. It may have acted on the message all the same.',
        retryable: false,
      },
    },
    {
      name: 'a 503 of somebody in between',
      acts: [{ head: 503 }, { send: 'upstream connect error or reset before headers' }, 'end'],
      failure: { retryable: false },
    },
    {
      name: 'a connection that is reset',
      acts: ['reset'],
      failure: { code: 'unavailable', retryable: false },
    },
    {
      name: 'a stream that ends at once',
      acts: [sse, 'end'],
      failure: { code: 'unavailable', retryable: false },
    },
  ])('[A1] $name is a failure at once', async ({ acts, failure }) => {
    upstream.answer(acts, answer);
    const heard = await hear();
    expect(heard).toMatchObject({ events: [], failure, slept: [] });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for<{ name: string; acts: Act[]; slept: number }>([
    { name: '429', acts: refused(429, { message: 'busy' }), slept: 500 },
    {
      name: '503 with Retry-After',
      acts: refused(503, { message: 'busy' }, { 'retry-after': '2' }),
      slept: 2000,
    },
  ])('[A1] $name is asked again, since nothing was begun', async ({ acts, slept }) => {
    upstream.answer(acts, answer);
    const heard = await hear();
    expect(heard.events.map(({ type }) => type)).toEqual([
      'turn.retried',
      'text.appended',
      'usage.reported',
      'turn.finished',
    ]);
    expect(heard.slept).toEqual([slept]);
  });

  test('[A1] a server that is not there was not asked, and may be asked later', async () => {
    const { url } = upstream;
    await upstream.close();
    const heard = await hear({ baseUrl: url });
    expect(heard.failure).toMatchObject({ code: 'unavailable', retryable: true });
    expect(heard.failure?.message).not.toContain('may have acted');
    expect(heard.slept).toHaveLength(2);
    upstream = await openStrictDial();
  });
});

describe('an agent that may be asked twice', () => {
  const repeatable = { ...turn, isRepeatable: true };
  const broken = refused(500, { message: 'inner' });

  test.for<{ name: string; acts: Act[] }>([
    { name: '500', acts: broken },
    { name: '503 of somebody in between', acts: [{ head: 503 }, { send: 'reset before headers' }, 'end'] },
    { name: 'a connection that is reset', acts: ['reset'] },
    { name: 'a stream that ends at once', acts: [sse, 'end'] },
  ])('[A22 G11] is asked again after $name, with the same key', async ({ acts }) => {
    upstream.answer(acts, answer);
    const { events, failure, slept } = await hear({}, repeatable);
    expect([failure, slept, events[0]?.type]).toEqual([undefined, [500], 'turn.retried']);
    expect(upstream.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  });

  test('[A22] is asked three times, and its failure does not say that it may have acted', async () => {
    upstream.answer(broken);
    const { failure } = await hear({}, repeatable);
    expect(upstream.requests).toHaveLength(3);
    expect(failure).toEqual({
      code: 'unavailable',
      message: 'Deployment gpa answered 500: inner.',
      retryable: true,
    });
  });

  test.for<{ name: string; acts: Act[]; retryable: boolean }>([
    { name: 'refuses', acts: refused(400, { message: 'no' }), retryable: false },
    { name: 'has begun to answer', acts: [sse, { send: dial.text('a') }, 'reset'], retryable: true },
    { name: 'is silent', acts: ['hang'], retryable: true },
  ])('[A22 G12] is not asked again here when it $name', async ({ acts, retryable }) => {
    upstream.answer(acts);
    // Who answers is waited for, however busy the machine is.
    const { failure } = await hear(acts[0] === 'hang' ? { timeouts: { firstByte: 50 } } : {}, repeatable);
    expect(failure?.retryable).toBe(retryable);
    // On a busy machine nothing may have come of a request that was given up.
    expect(upstream.requests.length).toBeLessThanOrEqual(1);
  });
});

describe('several answers at once', () => {
  const choice = (index: number, delta: object, finish: string | null = null): object => ({
    index,
    finish_reason: finish,
    delta,
  });
  const chunk = (...choices: object[]): string => `data: ${JSON.stringify({ choices })}\n\n`;

  test('[A20] the first is read, whatever the order, with its own stages and its own end', async () => {
    const stage = (name: string): object => ({ custom_content: { stages: [{ index: 0, name }] } });
    const send =
      chunk(choice(1, stage('theirs')), choice(0, stage('ours'))) +
      chunk(choice(1, { content: 'b' })) +
      chunk(choice(0, { content: 'a' })) +
      chunk(choice(0, {}, 'length'), choice(1, {}, 'stop')) +
      dial.done;
    upstream.answer([sse, { send }, 'end']);
    const { events } = await hear();
    expect(events).toEqual([
      expect.objectContaining({ type: 'notice.posted', code: 'UPSTREAM_MALFORMED' }),
      { type: 'stage.opened', stage: '0', title: 'ours' },
      { type: 'text.appended', text: 'a' },
      { type: 'turn.finished', reason: 'length' },
    ]);
  });

  test('[A20] a long second answer does not cost the first', async () => {
    const send = dial.text('a') + chunk(choice(1, { content: 'b' })).repeat(2_000) + dial.last() + dial.done;
    upstream.answer([sse, { send }, 'end']);
    const { events, failure } = await hear();
    expect([failure, events.filter(({ type }) => type === 'notice.posted').length]).toEqual([undefined, 1]);
  });
});

describe('parts that are too large', () => {
  test('[A21] are told in few notices, however many there are', async () => {
    const part = dial.attachment({ type: 'text/plain', title: 't', data: 'x'.repeat(11) });
    upstream.answer([sse, { send: part.repeat(50) + dial.text('ok') + dial.done }, 'end']);
    const { events } = await hear({ limits: { part: 10 } });
    const notices = events.flatMap((event) => (event.type === 'notice.posted' ? event.message : []));
    expect([events.length, notices.length]).toEqual([13, 11]);
    expect(notices.at(-1)).toBe('Deployment gpa sent 40 more parts that are too large.');
  });

  test('[A21] a data URL counts as what it holds', async () => {
    const url = `data:image/png;base64,${'x'.repeat(100)}`;
    upstream.answer([sse, { send: dial.attachment({ type: 'image/png', url }) + dial.done }, 'end']);
    const { events } = await hear({ limits: { part: 100 } });
    expect(events.map(({ type }) => type)).toEqual(['notice.posted', 'turn.finished']);
  });
});

const beats = (count: number, every: number): Act[] =>
  Array.from({ length: count }, (): Act[] => [
    { does: () => new Promise((resolve) => setTimeout(resolve, every)) },
    { send: dial.heartbeat },
  ]).flat();

describe('the end', () => {
  test('[A2] a stop without [DONE] is not the end, also with usage', async () => {
    upstream.answer([sse, { send: dial.text('all') + dial.last() }, 'end']);
    const { events, failure } = await hear();
    expect(events.map(({ type }) => type)).toEqual(['text.appended', 'usage.reported']);
    expect(failure?.message).toContain('closed without [DONE]. It may have acted');
  });

  test('[A3] a turn is finished when the server has hung up, not when it says [DONE]', async () => {
    const { promise: until, resolve: hangUp } = Promise.withResolvers<void>();
    upstream.answer([sse, { send: dial.text('a') + dial.stop + dial.done }, { until }, 'end']);
    const gateway = dialGateway({ baseUrl: upstream.url, deployment: 'gpa', key });
    const iterator = gateway.takeTurn(turn, signal)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual([{ type: 'text.appended', text: 'a' }]);
    const waiting = iterator.next();
    const early = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))]);
    expect(early).toBe('waits');
    hangUp();
    expect((await waiting).value).toEqual([{ type: 'turn.finished', reason: 'stop' }]);
  });

  test.for<{ name: string; acts: Act[] }>([
    { name: 'hangs', acts: ['hang'] },
    { name: 'is reset', acts: ['reset'] },
    { name: 'floods', acts: [{ endless: dial.heartbeat.repeat(1000) }] },
    { name: 'sends heartbeats for long', acts: [...beats(200, 20), 'end'] },
  ])('[A3] an answer with [DONE] is whole, also when its connection $name', async ({ acts }) => {
    upstream.answer([sse, { send: dial.text('a') + dial.stop + dial.done }, ...acts]);
    const { events, failure } = await hear({ timeouts: { idle: 60 } });
    expect(failure).toBeUndefined();
    expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'stop' });
    const notices = events.flatMap((event) => (event.type === 'notice.posted' ? event.code : []));
    expect(notices).toEqual(['UPSTREAM_CUT']);
    await (
      await upstream.request(0)
    ).left;
  });

  test('heartbeats keep a silent agent alive', async () => {
    upstream.answer([sse, { send: dial.role }, ...beats(8, 40), { send: dial.text('a') + dial.done }, 'end']);
    const { events, failure } = await hear({ timeouts: { idle: 150 } });
    expect(failure).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['text.appended', 'turn.finished']);
  });
});
