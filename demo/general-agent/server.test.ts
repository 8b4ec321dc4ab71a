import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import type { AgentEvent } from '../../src/gateways/gateway.ts';
import { frames } from '../../test/chat-frames.ts';
import { askDial, depthOf, merge, postDial } from '../../test/demo/dial-client.ts';
import { openUpstream, sse } from '../../test/upstream.ts';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from '../model/server.ts';
import { startGeneralAgent } from './server.ts';

const deployment = 'general-purpose-agent';
let [model, agent]: DemoServer[] = [];
const url = (server: DemoServer | undefined): string => server?.url ?? '';
const thinking = (server = model): { baseUrl: string; model: string } => ({
  baseUrl: `${url(server)}/v1`,
  model: 'vitrine-scripted',
});

beforeAll(async () => {
  model = await startModel({ pace: 0 });
  agent = await startGeneralAgent({ model: thinking() });
});
afterAll(async () => {
  await agent?.close();
  await model?.close();
});

const user = (content: string): object => ({ role: 'user', content });
const anyN = (): number => Math.floor(Math.random() * 91);

function fibonacci(n: number): bigint {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b];
  return a;
}

describe('the wire', () => {
  test('refuses a request without a key exactly as the SDK does', async () => {
    const response = await fetch(`${url(agent)}/openai/deployments/${deployment}/chat/completions`, {
      method: 'POST',
      body: '{}',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toBe(
      '{"error":{"message":"Api-Key header is required","type":"invalid_request_error","code":"400"}}',
    );
  });

  const stage = { name: 'x', status: 'completed' };
  const withStage = (more: object): object => ({
    messages: [{ role: 'assistant', content: '', custom_content: { stages: [{ ...stage, ...more }] } }],
  });
  test.for([
    {
      name: 'an unknown field',
      body: { messages: [], bogus: 1 },
      status: 400,
      message: 'path bogus. extra fields not permitted',
    },
    { name: 'no messages', body: {}, status: 400, message: 'path messages. field required' },
    {
      name: 'an open stage in the history',
      body: withStage({ status: 'open' }),
      status: 400,
      message:
        "path messages.0.custom_content.stages.0.status. value is not a valid enumeration member; permitted: 'completed', 'failed'",
    },
    {
      name: 'a stage as it was streamed',
      body: withStage({ index: 0 }),
      status: 400,
      message: 'path messages.0.custom_content.stages.0.index. extra fields not permitted',
    },
    {
      name: 'a running stage',
      body: withStage({ status: null }),
      status: 400,
      message: 'path messages.0.custom_content.stages.0.status. none is not an allowed value',
    },
    { name: 'several choices', body: { messages: [user('hi')], n: 2 }, status: 422, message: 'n > 1' },
    { name: 'no JSON', body: '{', status: 400, message: 'invalid JSON' },
    {
      name: 'a history that does not end with the user',
      body: { messages: [{ role: 'assistant', content: 'hi' }] },
      status: 400,
      message: 'last message',
    },
  ])('refuses $name with a status and a sentence', async ({ body, status, message }) => {
    const response = await postDial(url(agent), deployment, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining(message),
        type: 'invalid_request_error',
        code: String(status),
      },
    });
  });

  test('knows no other deployment', async () => {
    const response = await postDial(url(agent), 'gpt-4o', { messages: [] });
    expect([response.status, await response.text()]).toEqual([404, '{"detail":"Not Found"}']);
  });

  test('streams one line of ASCII per event, and the last chunk has the usage', async () => {
    const { text, chunks, isDone } = await askDial(url(agent), deployment, [
      user('Calculate fibonacci(3) — bitte 😀'),
    ]);
    expect(/^[\n -~]*$/.test(text)).toBe(true);
    expect(text.split('\n\n').every((event) => event === '' || /^data: \S/.test(event))).toBe(true);
    expect(isDone).toBe(true);
    expect(chunks[0]).toMatchObject({
      choices: [{ index: 0, finish_reason: null, delta: { role: 'assistant' } }],
      usage: null,
      object: 'chat.completion.chunk',
    });
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop', delta: {} }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
      statistics: {
        usage_per_model: [{ model: 'vitrine-scripted' }, { model: 'vitrine-scripted' }],
        discarded_messages: [],
      },
    });
  });

  test('gives the same in one piece to those who want no stream', async () => {
    const body = { messages: [user('Calculate fibonacci(12)')] };
    const streamed = await askDial(url(agent), deployment, body.messages);
    const whole = (await (await postDial(url(agent), deployment, body)).json()) as {
      choices: {
        message: {
          content: string;
          custom_content: { stages: { name: string; status: string; parent_stage_index?: number }[] };
        };
      }[];
    };
    const message = whole.choices[0]?.message;
    expect(message?.content).toBe(streamed.content);
    expect(
      message?.custom_content.stages.map(({ name, status, parent_stage_index: parent }) => ({
        name,
        status,
        parent,
      })),
    ).toEqual([...streamed.stages.values()].map(({ name, status, parent }) => ({ name, status, parent })));
  });

  test('says by comments that it still works', async () => {
    const slow = await startModel({ pace: 2 });
    const waiting = await startGeneralAgent({ model: thinking(slow), heartbeat: 20 });
    const response = await postDial(url(waiting), deployment, {
      messages: [user('Calculate 1 + 1')],
      stream: true,
    });
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      if (text.includes(': heartbeat\n\n')) break;
    }
    expect(text).toContain(': heartbeat\n\n');
    await waiting.close();
    await slow.close();
  });
});

describe('tools as stages', () => {
  test('calculates any fibonacci number exactly, three levels deep', async () => {
    const n = anyN();
    const { content, stages, state } = await askDial(url(agent), deployment, [
      user(`Calculate fibonacci(${n})`),
    ]);
    expect(content).toContain(`fibonacci(${n}) = ${fibonacci(n)}**`);
    const depths = [...stages.keys()].map((index) => depthOf(stages, index));
    expect(Math.max(...depths)).toBeGreaterThanOrEqual(3);
    expect([...stages.values()].map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Working with tools completed',
      'run_javascript completed',
      'QuickJS sandbox completed',
    ]);
    const call = stages.get(1);
    expect(call?.content).toContain('## Request arguments: ');
    expect(call?.content).toContain(`"fibonacci(${n})":"${fibonacci(n)}"`);
    expect(call?.attachments).toEqual([
      {
        index: 0,
        type: 'text/javascript',
        title: 'code.js',
        data: expect.stringContaining('function fibonacci'),
      },
    ]);
    expect(state).toEqual({
      tool_call_history: [
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: expect.any(String),
              type: 'function',
              function: { name: 'run_javascript', arguments: expect.any(String) },
            },
          ],
        },
        {
          role: 'tool',
          content: expect.stringContaining(String(fibonacci(n))),
          tool_call_id: expect.any(String),
          name: 'run_javascript',
        },
      ],
    });
  });

  test('shows code that fails as a failed stage, and answers all the same', async () => {
    const { content, stages, chunks } = await askDial(url(agent), deployment, [
      user('Run this code: `throw new Error("no luck")`'),
    ]);
    expect(content).toContain('no luck');
    expect([...stages.values()].map(({ status }) => status)).toEqual(['completed', 'failed', 'failed']);
    expect(JSON.stringify(chunks.at(-1))).not.toContain('"error"');
  });

  test('draws a chart of calculated numbers as SVG', async () => {
    const { content, attachments, stages } = await askDial(url(agent), deployment, [
      user('Draw a chart of the first 8 fibonacci numbers'),
    ]);
    expect(content).toContain('8 values from 1 to 21');
    expect(attachments).toHaveLength(1);
    const svg = Buffer.from(attachments[0]?.['data'] ?? '', 'base64').toString();
    expect(attachments[0]?.['type']).toBe('image/svg+xml');
    expect(svg.match(/<rect x=/g)).toHaveLength(8);
    expect([...stages.values()].map(({ name }) => name)).toEqual([
      'Working with tools',
      'run_javascript',
      'QuickJS sandbox',
      'draw_chart',
      'Draw the picture',
    ]);
  });

  test('answers from documents with citations, and summarises a file of its library', async () => {
    const found = await askDial(url(agent), deployment, [
      user('What do the documents say about maintenance windows?'),
    ]);
    expect(found.content).toContain('Maintenance windows open on Sunday and Wednesday');
    expect(found.content).toContain('maintenance-policy.md#L');
    const citations = [...found.stages.values()]
      .flatMap(({ attachments }) => attachments)
      .filter((each) => each['reference_url']);
    expect(citations.length).toBeGreaterThan(0);
    const summary = await askDial(url(agent), deployment, [user('Summarise the capacity review')]);
    expect(summary.content).toContain('Traffic between Sydney and Melbourne grew by 31 percent in 2025');
    const chart = await askDial(url(agent), deployment, [user('Plot energy-2025.csv')]);
    expect(chart.content).toContain('12 values from 1466 to 1660');
  });
});

describe('state', () => {
  test('another process goes on where the first one stopped, from what the client hands back', async () => {
    const [n, m] = [anyN(), anyN()];
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-general-'));
    const log = join(folder, 'requests.jsonl');
    const first = await startGeneralAgent({ model: thinking(), log });
    const before = await askDial(first.url, deployment, [user(`Calculate fibonacci(${n})`)]);
    await first.close();
    const second = await startGeneralAgent({ model: thinking(), log });
    const messages = [
      user('Do it'),
      { role: 'assistant', content: before.content, custom_content: { state: before.state } },
      user(`Now ${m}`),
    ];
    const after = await askDial(second.url, deployment, messages);
    expect(after.content).toContain(`fibonacci(${m}) = ${fibonacci(m)}**`);
    expect(after.content).toContain(`Before that it was fibonacci(${n}) = ${fibonacci(n)}`);
    const requests: unknown = await (await fetch(`${second.url}/requests`)).json();
    expect(requests).toMatchObject([
      {
        conversation: 'c/1',
        roles: ['user', 'assistant', 'user'],
        question: `Now ${m}`,
        restored: [
          {
            tool: 'run_javascript',
            arguments: expect.stringContaining(`fibonacci(${n}n)`),
            result: expect.stringContaining(String(fibonacci(n))),
          },
        ],
      },
    ]);
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line): { restored: unknown[] } => JSON.parse(line));
    expect(lines.map(({ restored }) => restored.length)).toEqual([0, 1]);
    await second.close();
    rmSync(folder, { recursive: true });
  });

  test('without the state it does not know what “now” means', async () => {
    const messages = [user('Do it'), { role: 'assistant', content: 'Done.' }, user('Now 20')];
    expect((await askDial(url(agent), deployment, messages)).content).toContain('none of my rules matches');
  });
});

describe('errors inside the stream', () => {
  test('a model that breaks in the middle of the work leaves no stage open', async () => {
    const broken = await openUpstream();
    const call = frames.call({ index: 0, id: 'c1', name: 'run_javascript', arguments: '{"code":"1"}' });
    broken.answer(
      [sse, { send: call }, { send: frames.finish('tool_calls') }, { send: frames.done }, 'end'],
      [{ head: 401 }, 'end'],
    );
    const unlucky = await startGeneralAgent({ model: { baseUrl: broken.url, model: 'm' } });
    const { stages, chunks } = await askDial(unlucky.url, deployment, [user('Calculate fibonacci(5)')]);
    expect([...stages.values()].map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Working with tools failed',
      'run_javascript completed',
      'QuickJS sandbox completed',
    ]);
    expect(chunks.at(-1)).toMatchObject({ error: { code: '502' } });
    await unlucky.close();
    await broken.close();
  });

  test('a model that is gone: stop, then the error, then done', async () => {
    const gone = await startModel({ pace: 0 });
    const lonely = await startGeneralAgent({ model: thinking(gone) });
    await gone.close();
    const { status, chunks, isDone } = await askDial(lonely.url, deployment, [
      user('Calculate fibonacci(5)'),
    ]);
    expect(status).toBe(200);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop', delta: {} }], usage: null });
    expect(chunks.at(-1)).toEqual({
      error: {
        message: expect.any(String),
        type: 'runtime_error',
        code: '502',
        display_message: expect.any(String),
      },
    });
    expect(isDone).toBe(true);
    const block = await postDial(lonely.url, deployment, { messages: [user('Calculate fibonacci(5)')] });
    expect(block.status).toBe(502);
    await lonely.close();
  });
});

test('Vitrine’s own gateway sees the nested stages, the state and the answer', async () => {
  const gateway = dialGateway({ baseUrl: url(agent), deployment, key: 'demo' });
  const turn = {
    messages: [{ role: 'user' as const, text: 'Calculate fibonacci(30)' }],
    idempotencyKey: 'k',
    conversation: 'c',
  };
  const events: AgentEvent[] = [];
  for await (const batch of gateway.takeTurn(turn, new AbortController().signal)) events.push(...batch);
  const opened = events.filter((event) => event.type === 'stage.opened');
  expect(opened.map(({ title, parent }) => [title, parent !== undefined])).toEqual([
    ['Working with tools', false],
    ['run_javascript', true],
    ['QuickJS sandbox', true],
  ]);
  expect(events.flatMap((event) => (event.type === 'text.appended' ? event.text : [])).join('')).toContain(
    '832040',
  );
  expect(events.some(({ type }) => type === 'state.reported')).toBe(true);
  expect(events.filter(({ type }) => type === 'notice.posted')).toEqual([]);
});

test('the merge of the test client is the one DIAL Chat does', () => {
  const seen = merge(
    200,
    readFileSync('test/captures/dial/boom1.stream.sse', 'utf8').replaceAll(/^#.*\n/gm, ''),
  );
  expect(seen.stages.get(0)).toMatchObject({ name: 'Working', content: 'step 1', status: 'failed' });
});
