import { expect, test } from 'vitest';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';

const noc = appWith(async (scope, text) => {
  await scope.step({ key: 'a', kind: 'agent', agent: 'GraphExplorerAgent', query: text }, async () => 'x');
  return `because of ${text}`;
}, 'noc');
const described = { ...noc, description: 'Looks after links.' };
const model = { gateway: scriptedGateway([]), description: 'Knows the graph.' };

test('[V84] the page of the original finds what it asks for, in its shapes', async () => {
  const at = await serving({ config: { apps: { noc: described }, agents: { GraphExplorerAgent: model } } });
  expect((await at.ask('/api/config/scenario')).json).toEqual({
    name: 'noc',
    displayName: 'noc',
    description: 'Looks after links.',
    graph: '',
    runbooksIndex: '',
    ticketsIndex: '',
    graphStyles: { nodeColors: {}, nodeSizes: {}, nodeIcons: {} },
    exampleQuestions: [],
    useCases: [],
    demoFlows: [],
  });
  const agent = {
    id: 'GraphExplorerAgent',
    name: 'GraphExplorerAgent',
    role: 'Knows the graph.',
    model: '',
    status: 'provisioned',
  };
  const agents = await at.ask('/api/agents');
  expect(agents.json).toMatchObject({ source: 'configuration' });
  expect(Reflect.get(agents.json as object, 'agents')).toContainEqual(agent);
  const current = await at.ask('/api/config/current');
  expect(current.json).toMatchObject({ graph: 'noc', agents: { GraphExplorerAgent: agent } });
  const { json } = await at.ask('/api/config/resources');
  expect(json).toMatchObject({ scenario: 'noc', edges: [] });
  expect(Reflect.get(json as object, 'nodes')).toEqual(
    expect.arrayContaining([
      { id: 'orchestrator-noc', label: 'noc', type: 'orchestrator', meta: { model: '' } },
      { id: 'agent-GraphExplorerAgent', label: 'GraphExplorerAgent', type: 'agent', meta: { model: '' } },
    ]),
  );
});

test('[V83] a session without a scenario is of the default app, is kept, and its erasure names it', async () => {
  const at = await serving({ config: { apps: { noc } } });
  for (const scenario of [{ scenario: '' }, {}]) {
    const begun = await at.ask('/api/sessions', { json: { ...scenario, alert_text: 'SYD' } });
    expect(begun.status).toBe(200);
    const id = textAt(begun, 'session_id');
    await at.ask(`/api/sessions/${id}/stream`);
    expect((await at.ask(`/api/sessions/${id}`)).json).toMatchObject({
      scenario: 'noc',
      status: 'completed',
    });
    expect((await at.ask('/api/sessions?scenario=')).text).toContain(id);
    expect((await at.ask(`/api/sessions/${id}/save`, { method: 'POST' })).json).toEqual({ saved: id });
    const erased = await at.ask(`/api/sessions/${id}?scenario=noc`, { method: 'DELETE' });
    expect(erased.json).toEqual({ deleted: id });
  }
});

test('[V83] where there is no default app, the refusal names the field and the apps', async () => {
  const at = await serving({ config: { apps: { noc, other: appWith(async () => 'x', 'other') } } });
  const { status, text } = await at.ask('/api/sessions', { json: { scenario: '', alert_text: 'SYD' } });
  expect(status).toBe(400);
  expect(text).toContain('«scenario» is one of noc, other');
});

test('[V165] a scenario that is no app is told so, with the app that works on it', async () => {
  const at = await serving({ config: { apps: { noc } } });
  const begin = async (scenario: string) =>
    (await at.ask('/api/sessions', { json: { scenario, alert_text: 'SYD' } })).json;
  expect(await begin('nope')).toMatchObject({
    status: 'in_progress',
    message: 'No app is called «nope» (there is noc), so «noc» works on it.',
  });
  for (const scenario of ['', 'noc']) expect(await begin(scenario)).not.toHaveProperty('message');
});

test('[V86] an alert is investigated in the answer itself', async () => {
  const at = await serving({ config: { apps: { noc } } });
  const { status, text } = await at.ask('/api/alert', { json: { text: 'SYD' } });
  expect(status).toBe(200);
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(names).toEqual(
    'run_start thread_created step_start step_started step_response step_complete message run_complete done'.split(
      ' ',
    ),
  );
  expect(text).toContain('because of SYD');
});

test('[V85] the log is told line by line, the last and those that come, to operators and of their tenant', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { name: 'ana', tenant: 'acme', role: 'operator' });
  const other = keyIn(data, { name: 'mallory', tenant: 'evil', role: 'operator' });
  const member = keyIn(data, { name: 'bob', tenant: 'acme', role: 'approver' });
  const at = await serving({ data, config: { apps: { noc }, auth: { required: true } } });
  await at.ask('/api/runs', { key });
  await at.ask('/api/runs/none', { key: other });
  const viewer = streamViewer({
    url: at.url,
    path: '/api/logs',
    headers: { authorization: `Bearer ${key}` },
  });
  await viewer.until((body) => body.includes('GET /api/runs 200'));
  await at.ask('/api/runs/none', { key: member });
  await viewer.until((body) => body.includes('GET /api/runs/:run 404'));
  const [line = ''] = viewer.body.split('\n\n');
  const ts = expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/);
  const msg = expect.stringMatching(/^GET \/api\/runs 200 in \d+\.\d ms for ana$/);
  expect(JSON.parse(line.replace(/^event: log\ndata: /, ''))).toEqual({
    ts,
    level: 'INFO',
    name: 'vitrine.http',
    msg,
  });
  expect(viewer.body).toContain('"level":"WARNING"');
  expect(viewer.body).not.toContain('mallory');
  expect((await at.ask('/api/logs?follow=false', { key: other })).text).not.toContain('ana');
  expect((await at.ask('/api/logs', { key: member })).status).toBe(403);
  await at.close();
  await viewer.closed;
  expect(viewer.body).toContain('retry: 1000');
});
