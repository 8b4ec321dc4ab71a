// The scripted model as the official client of the AI SDK sees it.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from './server.ts';

let server: DemoServer;
beforeAll(async () => {
  server = await startModel({ pace: 0 });
});
afterAll(() => server.close());

const model = () =>
  createOpenAICompatible({
    name: 'vitrine',
    baseURL: `${server.url}/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })('vitrine-scripted');
const prompt = (text: string) => [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
const tools = [
  {
    type: 'function' as const,
    name: 'run_javascript',
    description: 'Runs JavaScript.',
    inputSchema: { type: 'object' as const, properties: { code: { type: 'string' as const } } },
  },
];

test('answers whole and in a stream with the same words, thoughts and usage', async () => {
  const asked = { prompt: prompt('What is the meaning of seaweed?') };
  const whole = await model().doGenerate(asked);
  const text = whole.content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
  expect(text).toMatch(/none of my rules matches that question/);
  expect(whole.content.some(({ type }) => type === 'reasoning')).toBe(true);
  expect(whole.usage.inputTokens.total).toBeGreaterThan(0);
  const parts = await Array.fromAsync((await model().doStream(asked)).stream);
  expect(parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : [])).join('')).toBe(text);
  expect(parts.at(-1)).toMatchObject({
    type: 'finish',
    usage: whole.usage,
    finishReason: { unified: 'stop' },
  });
  expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
});

test('asks for a tool in a stream, and answers from what the tool gave', async () => {
  const n = randomInt(2, 91);
  const question = prompt(`Calculate fibonacci(${n})`);
  const parts = await Array.fromAsync((await model().doStream({ prompt: question, tools })).stream);
  const call = parts.find((part) => part.type === 'tool-call');
  expect(call).toMatchObject({
    toolName: 'run_javascript',
    input: expect.stringContaining(`fibonacci(${n}n)`),
  });
  const id = { toolCallId: call?.toolCallId ?? '', toolName: 'run_javascript' };
  const output = { type: 'json' as const, value: { value: { [`fibonacci(${n})`]: '12345' } } };
  const answer = await model().doGenerate({
    tools,
    prompt: [
      ...question,
      { role: 'assistant', content: [{ type: 'tool-call', ...id, input: JSON.parse(call?.input ?? '{}') }] },
      { role: 'tool', content: [{ type: 'tool-result', ...id, output }] },
    ],
  });
  expect(JSON.stringify(answer.content)).toContain(`fibonacci(${n}) = 12345`);
});

test('fills a JSON schema, also in a stream', async () => {
  const schema = {
    type: 'object' as const,
    properties: {
      agent: { type: 'string' as const, enum: ['users', 'general'] },
      sure: { type: 'boolean' as const },
    },
    required: ['agent', 'sure'],
  };
  const asked = {
    prompt: prompt('List users named John'),
    responseFormat: { type: 'json' as const, schema, name: 'choice' },
  };
  const { content } = await model().doGenerate(asked);
  const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
  expect(JSON.parse(text)).toEqual({ agent: 'users', sure: false });
  const parts = await Array.fromAsync((await model().doStream(asked)).stream);
  expect(parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : [])).join('')).toBe(text);
});

test('a request it cannot read is an error the client understands', async () => {
  const unreadable = [{ role: 'user' as const, content: [] }];
  await expect(model().doGenerate({ prompt: unreadable, maxOutputTokens: -1 })).rejects.toMatchObject({
    name: 'AI_APICallError',
    statusCode: 400,
  });
});
