import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from './server.ts';

let server: DemoServer;
beforeAll(async () => {
  server = await startModel({ pace: 0 });
});
afterAll(() => server.close());

const post = (body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly total_tokens: number } | null;
}

async function chunksOf(response: Response): Promise<{ chunks: Chunk[]; last: string }> {
  const data = (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.slice('data: '.length));
  const last = data.pop() ?? '';
  return { chunks: data.map((each): Chunk => JSON.parse(each)), last };
}

const fibonacci = {
  type: 'function',
  function: {
    name: 'run_javascript',
    description: 'Runs JavaScript.',
    parameters: { type: 'object', properties: { code: { type: 'string' } } },
  },
};

describe('the scripted model over HTTP', () => {
  test('lists itself and says what it is', async () => {
    const listed = await (await fetch(`${server.url}/v1/models`)).json();
    expect(listed).toMatchObject({ object: 'list', data: [{ id: 'vitrine-scripted', object: 'model' }] });
    expect(JSON.stringify(listed)).toContain('Not a language model');
  });

  test('streams an answer in pieces that join to what it gives at once, with usage where it is asked for', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Are you real?' }] };
    const whole = (await (await post(body)).json()) as {
      choices: { message: { content: string } }[];
      usage: { total_tokens: number };
    };
    const { chunks, last } = await chunksOf(
      await post({ ...body, stream: true, stream_options: { include_usage: true } }),
    );
    expect(last).toBe('[DONE]');
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(text).toContain('scripted');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    const silent = await chunksOf(await post({ ...body, stream: true }));
    expect(silent.chunks.every(({ usage }) => usage === undefined)).toBe(true);
  });

  test('streams a call in pieces: the name first, then arguments that join to JSON', async () => {
    const response = await post({
      model: 'm',
      stream: true,
      tools: [fibonacci],
      messages: [{ role: 'user', content: 'Calculate fibonacci(10)' }],
    });
    const { chunks } = await chunksOf(response);
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(pieces[0]?.function.name).toBe('run_javascript');
    expect(pieces.length).toBeGreaterThan(3);
    const given: unknown = JSON.parse(pieces.map((piece) => piece.function.arguments ?? '').join(''));
    expect(given).toEqual({ code: expect.stringContaining('fibonacci(10n)') });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(
      chunks.some(({ choices }) => choices[0]?.delta.reasoning_content?.includes('rule «calculations»')),
    ).toBe(true);
  });

  test('calls nothing when tools are none, and something when a call is required', async () => {
    const messages = [{ role: 'user', content: 'Calculate fibonacci(10)' }];
    const none = await (await post({ model: 'm', messages, tools: [fibonacci], tool_choice: 'none' })).json();
    expect(none).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    const chatter = [{ role: 'user', content: 'Good morning' }];
    const forced = await (
      await post({ model: 'm', messages: chatter, tools: [fibonacci], tool_choice: 'required' })
    ).json();
    expect(forced).toMatchObject({
      choices: [
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'run_javascript' } }] } },
      ],
    });
    const named = { type: 'function', function: { name: 'run_javascript' } };
    const chosen = await (
      await post({ model: 'm', messages: chatter, tools: [fibonacci], tool_choice: named })
    ).json();
    expect(chosen).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });

  test('fills any form it is asked for with JSON of that form', async () => {
    const schema = {
      type: 'object',
      properties: {
        mood: { enum: ['calm', 'cross'] },
        points: { type: 'array', minItems: 2, items: { type: 'integer', minimum: 3 } },
        note: { type: ['string', 'null'] },
        inner: { $ref: '#/$defs/inner' },
      },
      required: ['mood', 'points', 'note', 'inner'],
      $defs: { inner: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] } },
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'form', schema } };
    const answer = (await (
      await post({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], response_format })
    ).json()) as { choices: { message: { content: string } }[] };
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({
      mood: 'calm',
      points: [3, 3],
      note: null,
      inner: { done: false },
    });
  });

  test.for([
    { name: 'no JSON', body: '{', message: 'not JSON' },
    { name: 'no messages', body: { model: 'm', messages: [] }, message: 'at least one message' },
    {
      name: 'a role nobody knows',
      body: { model: 'm', messages: [{ role: 'oracle', content: '' }] },
      message: 'role',
    },
  ])('refuses $name in the way OpenAI does', async ({ body, message }) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining(message),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
  });

  test('cuts its answer at max_tokens and says so', async () => {
    const answer = await (
      await post({ model: 'm', max_tokens: 3, messages: [{ role: 'user', content: 'Who are you?' }] })
    ).json();
    expect(answer).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: 'I am the scr' } }],
    });
  });

  test('takes its time at pace 1, and stops when the client leaves', async () => {
    const slow = await startModel({ pace: 1000 });
    const leaving = new AbortController();
    const response = await fetch(`${slow.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'Who are you?' }],
      }),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await slow.close();
  });
});
