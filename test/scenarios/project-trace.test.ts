import { expect, test } from 'vitest';
import { lookAround } from '../../src/cli/place/enter.ts';
import { askFor } from '../../src/client/ask.ts';
import { searchTrace } from '../../src/server/two-stage/trace-routes.ts';
import { appWith, serving, type Serving } from '../serving.ts';

const echo = appWith(async (_, text) => `You said ${text}`, 'echo');

async function said(at: Serving, content: string, metadata?: Record<string, string>): Promise<void> {
  const json = { model: 'echo', messages: [{ role: 'user', content }], ...(metadata ? { metadata } : {}) };
  expect(await at.ask('/v1/chat/completions', { json })).toMatchObject({ status: 200 });
}

test('[TS10] a project’s trace is found behind any number of runs, its own and others, in a folder and at a server', async () => {
  const at = await serving({ config: { apps: { echo } } });
  await said(at, 'the first of all', { projectId: 'P9' });
  await said(at, 'of no project');
  for (let i = 0; i < 60; i += 1) await said(at, `in between ${i}`, { projectId: i < 5 ? 'P9' : 'P1' });
  const beside = await lookAround({ data: at.data });
  for (const server of [beside.server, { url: at.url }]) {
    const trace = (more: object) => askFor(server, searchTrace, { query: { projectId: 'P9', ...more } });
    const all = await trace({ type: 'user_message', limit: 1_000 });
    expect(all).toMatchObject({ total: 6 });
    expect(JSON.stringify(all.events[0])).toContain('the first of all');
    const found = await trace({ projectId: 'echo', text: 'of no project' });
    expect(found.events.length, 'by its app, behind sixty others').toBeGreaterThan(0);
    expect(await trace({ type: 'user_message', limit: 2 })).toMatchObject({
      events: [expect.anything(), expect.anything()],
      total: 3,
    });
    expect(await trace({ until: '2020-01-01T00:00:00Z' })).toMatchObject({ events: [], total: 0 });
  }
});
