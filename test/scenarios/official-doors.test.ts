import { expect, test } from 'vitest';
import { appWith, serving } from '../serving.ts';

const agUi = (content: string) => ({
  json: {
    threadId: 't',
    runId: 'r',
    messages: [{ id: 'u', role: 'user', content }],
    tools: [],
    context: [],
    state: {},
  },
});
const chat = (content: unknown, model = '') => ({ json: { model, messages: [{ role: 'user', content }] } });

test('[PR22] no client is told where in whose code a run broke', async () => {
  const broken = appWith(() => {
    throw new Error('It is broken.');
  }, 'broken');
  const { ask } = await serving({ config: { apps: { broken } } });
  const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }] };
  const told = [
    await ask('/ag-ui/broken', agUi('x')),
    await ask('/ai-sdk/broken/chat', { json: { id: 'c', messages: [user] } }),
    await ask('/v1/chat/completions', chat('x', 'broken')),
    await ask('/v1/responses', { json: { model: 'broken', input: 'x' } }),
    await ask('/openai/deployments/broken/chat/completions', chat('x')),
    await ask('/a2ui/0.9/broken', { json: { message: 'x' } }),
  ];
  for (const { text } of told) {
    expect(text).toContain('It is broken.');
    expect(text).not.toMatch(/official-doors\.test/);
  }
  const { text } = await ask(`/api/runs/${told[0]?.headers.get('x-run-id')}`);
  expect(text, 'whoever wrote it reads the journal').toMatch(/official-doors\.test\.ts:\d+/);
});
