import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frames } from '../../../test/chat-frames.ts';
import { chatSubject } from '../../../test/chat-subject.ts';
import { type Act, openUpstream, sse, type Upstream } from '../../../test/upstream.ts';
import { type Failure, RunError } from '../../run/failure.ts';
import { aiSdkGateway } from './ai-sdk.ts';
import { gatewayContract } from '../gateway.contract.ts';
import type { AgentEvent, Turn } from '../gateway.ts';

gatewayContract('ai-sdk', () =>
  chatSubject(({ baseUrl: baseURL, key: apiKey }) => {
    const provider = createOpenAICompatible({ name: 'fake', baseURL, apiKey, includeUsage: true });
    return aiSdkGateway(provider('m'), { sleep: async () => undefined });
  }),
);

test('[A23] a connection that fails is told without its address', async () => {
  const upstream = await openUpstream();
  await upstream.close();
  const provider = createOpenAICompatible({ name: 'fake', baseURL: upstream.url });
  const { failure } = await hear(provider('m'));
  expect(failure).toEqual({
    code: 'unavailable',
    message: 'The connection to Model m failed (ECONNREFUSED).',
    retryable: true,
  });
});

const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };

interface Heard {
  readonly events: AgentEvent[];
  readonly failure?: Failure;
  readonly slept: number[];
}

type Settings = NonNullable<Parameters<typeof aiSdkGateway>[1]>;

async function hear(model: LanguageModelV4, settings: Settings = {}, given = turn): Promise<Heard> {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => void slept.push(ms);
  const gateway = aiSdkGateway(model, { sleep, random: () => 1, ...settings });
  const events: AgentEvent[] = [];
  try {
    for await (const chunk of gateway.takeTurn(given, new AbortController().signal)) events.push(...chunk);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { events, failure: error.failure, slept };
  }
  return { events, slept };
}

describe('a provider package over a socket', () => {
  let upstream: Upstream;
  let model: LanguageModelV4;
  beforeEach(async () => {
    upstream = await openUpstream();
    const provider = createOpenAICompatible({
      name: 'fake',
      baseURL: upstream.url,
      apiKey: 'sk-1',
      includeUsage: true,
    });
    model = provider('m');
  });
  afterEach(() => upstream.close());

  const answer: Act[] = [sse, { send: frames.text('ok') + frames.finish() + frames.done }, 'end'];
  const refusal = (status: number, headers = {}): Act[] => [
    { head: status, headers },
    { send: '{"error":{"message":"not now"}}' },
    'end',
  ];

  test('[A25] a connection that is lost is told of in words', async () => {
    upstream.answer([sse, { send: frames.text('half') }, 'reset']);
    expect((await hear(model)).failure?.message).toBe('The connection to Model m was lost.');
  });

  test('carries what the turn says', async () => {
    upstream.answer(answer);
    await hear(
      model,
      {},
      {
        messages: [
          { role: 'system', text: 'Be kind.' },
          {
            role: 'user',
            text: 'look',
            attachments: [
              { type: 'image/png', url: 'https://example.org/a.png' },
              { type: 'image/gif', data: 'data:image/gif;base64,R0lG' },
              { type: 'text/plain', title: 'notes', data: 'milk' },
            ],
          },
          {
            role: 'assistant',
            text: 'so',
            calls: [
              { id: 'c1', tool: 'find', arguments: '{"q":1}' },
              { id: 'c2', tool: 'find', arguments: 'oops' },
            ],
          },
          { role: 'tool', text: 'found', call: 'c1' },
          { role: 'tool', text: 'bad arguments', call: 'c2' },
        ],
        tools: [{ name: 'find', description: 'Finds.', schema: { type: 'object' } }],
        toolChoice: 'required',
        temperature: 0,
        maxTokens: 5,
        idempotencyKey: 'k',
        conversation: 'c',
      },
    );
    expect((await upstream.request(0)).body).toMatchObject({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
            { type: 'image_url', image_url: { url: 'data:image/gif;base64,R0lG' } },
            { type: 'text', text: 'Attachment "notes" (text/plain):\nmilk' },
          ],
        },
        {
          role: 'assistant',
          content: 'so',
          tool_calls: [
            { id: 'c1', function: { name: 'find', arguments: '{"q":1}' } },
            { id: 'c2', function: { name: 'find', arguments: '"oops"' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
        { role: 'tool', tool_call_id: 'c2', content: 'bad arguments' },
      ],
      tools: [{ type: 'function', function: { name: 'find', description: 'Finds.' } }],
      tool_choice: 'required',
      temperature: 0,
      max_tokens: 5,
    });
  });

  test('a warning of the provider is a notice', async () => {
    upstream.answer(answer);
    const { events } = await hear(model, {}, { ...turn, answerSchema: { type: 'object' } });
    expect(events[0]).toMatchObject({ type: 'notice.posted', code: 'MODEL_WARNING' });
    expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'stop' });
  });

  test('a chunk that cannot be read is a notice, and the turn goes on', async () => {
    upstream.answer([sse, { send: 'data: {oops\n\n' }, ...answer.slice(1)]);
    const { events, failure } = await hear(model);
    expect(failure).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['notice.posted', 'text.appended', 'turn.finished']);
    expect(events[0]).toMatchObject({ code: 'UPSTREAM_MALFORMED' });
  });

  test('an error in the stream is a failure after what was told', async () => {
    upstream.answer([sse, { send: frames.text('a') }, { send: frames.error({ message: 'Broken' }) }, 'end']);
    const { events, failure } = await hear(model);
    expect(events).toEqual([{ type: 'text.appended', text: 'a' }]);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('Broken') });
  });

  test('a stream that ends early is a failure', async () => {
    upstream.answer([sse, { send: frames.text('a') }, 'end']);
    expect((await hear(model)).failure).toMatchObject({ code: 'unavailable' });
  });

  test('a refusal is asked again after Retry-After, at most three times', async () => {
    upstream.answer(refusal(429, { 'retry-after': '3' }), refusal(503), refusal(503));
    const { events, failure, slept } = await hear(model);
    expect(events.map(({ type }) => type)).toEqual(['turn.retried', 'turn.retried']);
    expect(slept).toEqual([3000, 1000]);
    expect(failure).toEqual({
      code: 'unavailable',
      message: 'Model m answered 503: not now.',
      retryable: true,
    });
    expect(upstream.requests).toHaveLength(3);
  });

  test.for<{ status: number; code: string }>([
    { status: 400, code: 'malformed' },
    { status: 401, code: 'unauthenticated' },
    { status: 404, code: 'unknown' },
  ])('$status is not asked again, and is $code', async ({ status, code }) => {
    upstream.answer(refusal(status));
    const { failure } = await hear(model);
    expect(failure).toEqual({ code, message: `Model m answered ${status}: not now.`, retryable: false });
    expect(upstream.requests).toHaveLength(1);
  });

  test('a server that is not there is unavailable', async () => {
    await upstream.close();
    expect((await hear(model)).failure).toMatchObject({ code: 'unavailable', retryable: true });
    upstream = await openUpstream();
  });

  test.for<{ name: string; acts: Act[]; timeout: 'firstByte' | 'idle' }>([
    { name: 'before the headers', acts: ['hang'], timeout: 'firstByte' },
    { name: 'after the headers', acts: [sse, 'hang'], timeout: 'firstByte' },
    { name: 'in the answer', acts: [sse, { send: frames.text('a') }, 'hang'], timeout: 'idle' },
  ])('a server that hangs $name is hung up on, by $timeout', async ({ acts, timeout }) => {
    upstream.answer(acts);
    const { failure } = await hear(model, { timeouts: { firstByte: 60_000, idle: 60_000, [timeout]: 30 } });
    expect(failure).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining(`30 ms (timeouts.${timeout})`),
    });
    // On a busy machine nothing may have come of it.
    await Promise.all(upstream.requests.map(({ left }) => left));
  });

  test('an answer without end is too large', async () => {
    upstream.answer([sse, { endless: frames.text('x'.repeat(1000)) }]);
    expect((await hear(model, { limits: { answer: 100_000 } })).failure?.code).toBe('too-large');
    await (
      await upstream.request(0)
    ).left;
  });
});

describe('parts', () => {
  const usage = {
    inputTokens: { total: 5, noCache: undefined, cacheRead: 2, cacheWrite: undefined },
    outputTokens: { total: 3, text: undefined, reasoning: 1 },
  };
  const finish = (unified: 'stop' | 'tool-calls' | 'interrupted' | 'error'): LanguageModelV4StreamPart => ({
    type: 'finish',
    usage,
    finishReason: { unified, raw: undefined },
  });
  const modelOf = (doStream: LanguageModelV4['doStream']): LanguageModelV4 => ({
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked for')),
    doStream,
  });
  const streaming = (...parts: LanguageModelV4StreamPart[]): LanguageModelV4 =>
    modelOf(async () => ({ stream: ReadableStream.from(parts) }));
  const end: AgentEvent[] = [
    { type: 'usage.reported', usage: { input: 5, output: 3, cached: 2, reasoning: 1 } },
    { type: 'turn.finished', reason: 'stop' },
  ];

  test.for<{ name: string; parts: LanguageModelV4StreamPart[]; events: AgentEvent[] }>([
    {
      name: 'a call that is streamed and then repeated whole is told once',
      parts: [
        { type: 'tool-input-start', id: 'a', toolName: 't' },
        { type: 'tool-input-delta', id: 'a', delta: '{"x":' },
        { type: 'tool-input-delta', id: 'a', delta: '1}' },
        { type: 'tool-input-end', id: 'a' },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{"x":1}' },
      ],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '{"x":' },
        { type: 'call.appended', call: 'a', text: '1}' },
      ],
    },
    {
      name: 'a call that comes whole is told whole',
      parts: [{ type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{}' }],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '{}' },
      ],
    },
    {
      name: 'a call streamed as plain text is told as the JSON it becomes',
      parts: [
        { type: 'tool-input-start', id: 'a', toolName: 't', inputEncoding: 'text' },
        { type: 'tool-input-delta', id: 'a', delta: 'say "hi"' },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '"say \\"hi\\""' },
      ],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '"say \\"hi\\""' },
      ],
    },
    {
      name: 'a call whose last piece was not streamed is completed',
      parts: [
        { type: 'tool-input-start', id: 'a', toolName: 't' },
        { type: 'tool-input-delta', id: 'a', delta: '{"x":1' },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{"x":1}' },
      ],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '{"x":1' },
        { type: 'call.appended', call: 'a', text: '}' },
      ],
    },
    {
      name: 'arguments written in another way at the end stay as they were streamed',
      parts: [
        { type: 'tool-input-start', id: 'a', toolName: 't' },
        { type: 'tool-input-delta', id: 'a', delta: '{ "x": 1 }' },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{"x":1}' },
      ],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '{ "x": 1 }' },
      ],
    },
    {
      name: 'a second call with an id that was used is told under another',
      parts: [
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '1' },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '2' },
      ],
      events: [
        { type: 'call.appended', call: 'a', tool: 't', text: '' },
        { type: 'call.appended', call: 'a', text: '1' },
        { type: 'call.appended', call: 'call_8254c329a928_1', tool: 't', text: '' },
        { type: 'call.appended', call: 'call_8254c329a928_1', text: '2' },
      ],
    },
    {
      name: 'a tool the provider runs itself is a stage, not a call',
      parts: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'web', input: '{"q":1}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'a', toolName: 'web', result: { n: 1 }, preliminary: true },
        { type: 'tool-result', toolCallId: 'a', toolName: 'web', result: { n: 2 } },
      ],
      events: [
        { type: 'stage.opened', stage: 'a', kind: 'call', title: 'web' },
        { type: 'stage.appended', stage: 'a', text: '{"q":1}', channel: 'arguments' },
        { type: 'stage.appended', stage: 'a', text: '{"n":2}' },
        { type: 'stage.closed', stage: 'a', outcome: 'completed' },
      ],
    },
    {
      name: 'sources, citations and files are attached',
      parts: [
        { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org', title: 'Example' },
        { type: 'source', sourceType: 'document', id: '2', mediaType: 'application/pdf', title: 'Paper' },
        {
          type: 'text-end',
          id: '0',
          citations: [
            {
              source: { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' },
              citedText: 'so',
            },
          ],
        },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(1, 2, 3) } },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'url', url: new URL('https://example.org/a.png') },
        },
      ],
      events: [
        { type: 'item.attached', item: { kind: 'citation', title: 'Example', url: 'https://example.org' } },
        { type: 'item.attached', item: { kind: 'citation', title: 'Paper' } },
        {
          type: 'item.attached',
          item: { kind: 'citation', title: 'https://example.org', url: 'https://example.org', quote: 'so' },
        },
        {
          type: 'item.attached',
          item: { kind: 'attachment', attachment: { type: 'image/png', data: 'AQID' } },
        },
        {
          type: 'item.attached',
          item: { kind: 'attachment', attachment: { type: 'image/png', url: 'https://example.org/a.png' } },
        },
      ],
    },
    {
      name: 'a character cut in two is told whole',
      parts: [
        { type: 'text-delta', id: '0', delta: '\uD83D' },
        { type: 'text-delta', id: '0', delta: '\uDE00' },
      ],
      events: [{ type: 'text.appended', text: '😀' }],
    },
  ])('$name', async ({ parts, events }) => {
    expect((await hear(streaming(...parts, finish('stop')))).events).toEqual([...events, ...end]);
  });

  test.for<{ name: string; part: LanguageModelV4StreamPart; code: string }>([
    {
      name: 'a piece of an unknown call',
      part: { type: 'tool-input-delta', id: 'z', delta: '{}' },
      code: 'UPSTREAM_MALFORMED',
    },
    {
      name: 'a result of an unknown call',
      part: { type: 'tool-result', toolCallId: 'z', toolName: 't', result: 1 },
      code: 'UPSTREAM_MALFORMED',
    },
    {
      name: 'a question to the user',
      part: { type: 'tool-approval-request', approvalId: '1', toolCallId: 'z' },
      code: 'UPSTREAM_UNSUPPORTED',
    },
    {
      name: 'something of its own',
      part: { type: 'custom', kind: 'test.thing' },
      code: 'UPSTREAM_UNSUPPORTED',
    },
  ])('$name becomes a notice', async ({ part, code }) => {
    expect((await hear(streaming(part, finish('stop')))).events[0]).toMatchObject({
      type: 'notice.posted',
      code,
    });
  });

  test.for<{ name: string; parts: LanguageModelV4StreamPart[] }>([
    { name: 'was interrupted', parts: [{ type: 'text-delta', id: '0', delta: 'a' }, finish('interrupted')] },
    { name: 'has no end', parts: [{ type: 'text-delta', id: '0', delta: 'a' }] },
  ])('a stream that $name is a failure', async ({ parts }) => {
    const { events, failure } = await hear(streaming(...parts));
    expect(events).toEqual([{ type: 'text.appended', text: 'a' }]);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ended early') });
  });

  test('[A24] an answer that ended with an error is a failure after what was told, and asked for again before that', async () => {
    const said: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'a' };
    const message = 'Model m ended its answer with an error.';
    expect(await hear(streaming(said, finish('error')))).toEqual({
      events: [{ type: 'text.appended', text: 'a' }],
      failure: { code: 'unavailable', message, retryable: true },
      slept: [],
    });
    expect((await hear(streaming(finish('error')))).slept).toHaveLength(2);
  });

  test('arguments over the limit are too large', async () => {
    const delta: LanguageModelV4StreamPart = { type: 'tool-input-delta', id: 'a', delta: 'x'.repeat(60) };
    const model = streaming({ type: 'tool-input-start', id: 'a', toolName: 't' }, delta, delta);
    expect((await hear(model, { limits: { event: 100 } })).failure?.code).toBe('too-large');
  });

  test('a model that does not listen to the signal is left all the same, and its late stream is cancelled', async () => {
    const asked = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<Awaited<ReturnType<LanguageModelV4['doStream']>>>();
    const model = modelOf(() => {
      asked.resolve();
      return opening.promise;
    });
    const controller = new AbortController();
    const iterator = aiSdkGateway(model).takeTurn(turn, controller.signal)[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await asked.promise;
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    opening.resolve({ stream: new ReadableStream({ cancel: () => cancelled.resolve() }) });
    await cancelled.promise;
  });

  test('a stream that does not listen to the signal is cancelled', async () => {
    const cancelled = Promise.withResolvers<void>();
    const model = modelOf(async () => ({
      stream: new ReadableStream({ cancel: () => cancelled.resolve() }),
    }));
    const controller = new AbortController();
    const waiting = aiSdkGateway(model).takeTurn(turn, controller.signal)[Symbol.asyncIterator]().next();
    await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await cancelled.promise;
  });

  test('a model that does not listen when it is too slow is left, and its late stream is cancelled', async () => {
    const cancelled = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<Awaited<ReturnType<LanguageModelV4['doStream']>>>();
    const { failure } = await hear(
      modelOf(() => opening.promise),
      { timeouts: { firstByte: 10 } },
    );
    expect(failure?.code).toBe('timed-out');
    opening.resolve({ stream: new ReadableStream({ cancel: () => cancelled.resolve() }) });
    await cancelled.promise;
  });

  test('whatever a provider throws is a failure', async () => {
    const { failure } = await hear(modelOf(() => Promise.reject(new TypeError('x is undefined'))));
    expect(failure).toMatchObject({ code: 'unavailable', message: 'Model m failed: x is undefined.' });
    expect(failure).not.toHaveProperty('retryable', true);
  });
});
