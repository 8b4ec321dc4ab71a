import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { routeTable } from '../../src/server/routes/table.ts';
import type { Agent } from '../../src/catalog/agent.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { deskConfig, planOf, planStep } from '../pipeline.ts';
import { agentOf } from '../world.ts';
import {
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Asking,
  type Serving,
} from '../serving.ts';

// The description is made from the schemas that check what comes in. What goes out is not checked by the server, so a
// walk over the routes looks whether all of it is as the description says: status, content type and body.

const described = routeTable.filter(
  ({ method, tag }) => method !== 'WS' && !['page', 'a2a', 'mcp', 'two-stage', 'a2ui'].includes(tag),
);

/** Answers that a walk cannot bring about. */
const beyond = new Set([
  'GET /readyz 503',
  'DELETE /api/conversations/:conversation 409',
  'DELETE /api/sessions/:conversation 409',
  // Through the socket of the folder.
  'GET /api/holder 200',
  'GET /api/holder/tenants 200',
  'POST /api/holder/shared 200',
  'POST /api/holder/shared 403',
  'PUT /api/holder/shared 200',
  'PUT /api/holder/shared 403',
  'PUT /api/holder/shared 409',
  // An agent that drafts stands in the tests of the route.
  'POST /workflows/design/prompt 200',
  // It goes on for ever.
  'GET /api/feed 200',
  // Where nobody works at all.
  'POST /api/runs/:run/pause 202',
  'POST /api/runs/:run/resume 202',
  'POST /api/runs/:run/stop 202',
  'POST /api/runs/:run/messages 202',
  'POST /api/approvals/:approval 202',
]);

const busy: Flow = {
  name: 'busy',
  version: '1',
  async run(scope, { text }) {
    scope.plan([{ key: 'later', title: 'Later', kind: 'step' }]);
    await scope.step(
      { key: 'a', title: 'Look', kind: 'agent', agent: 'GraphExplorerAgent', query: text },
      async (step) => {
        step.say('words');
        step.say('thoughts', 'reasoning');
        step.attach({ kind: 'visualization', shape: 'table', data: { columns: [], rows: [] } });
        step.attach({ kind: 'citation', title: 'A book', url: 'https://example.org' });
        step.notice('NOTE', 'Something to know.');
        await step.step({ key: 'b', title: 'Deeper' }, async () => 'x'.repeat(40_000));
      },
    );
    await scope
      .step({ key: 'f', title: 'Fails' }, () => Promise.reject(new Error('no')))
      .catch(() => undefined);
    return `long ${'y'.repeat(140_000)}`;
  },
};
const asks = appWith(async (scope) => {
  const allowed = ['approve', 'reject', 'edit', 'defer'] as const;
  const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 }, allowed });
  return decision;
}, 'asks');

function graphOf(nodes: readonly { readonly id: string; readonly type: string; readonly value: string }[]) {
  const all = [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end' }];
  const edges = all.slice(1).map(({ id: to }, i) => ({ from: all[i]?.id ?? '', to }));
  return { nodes: all, edges };
}

const gated: Agent = {
  ...agentOf('graph', () => [{ type: 'say', text: 'done' }], 'once'),
  approval: 'always',
};
const desk = deskConfig({
  plans: [planOf('single', [planStep(1, 'graph')])],
  agents: [gated],
  settings: { retrieval: { tools: ['find'], uploads: true } },
});

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: object }>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: object }>>;

let at: Serving;
let key: string;
let others: string;
let document: Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const seen = new Set<string>();

beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    key = keyIn(data, { name: 'ana', tenant: 'acme', role: 'operator' });
    others = keyIn(data, { name: 'bob', tenant: 'acme', role: 'member' });
    const quotas = { sessions: 100, file: 1_000_000 };
    const config = {
      ...desk,
      apps: { busy: { flow: busy }, asks, ...desk.apps },
      workflows: {
        fixed: { name: 'fixed', ...graphOf([]) },
        hourly: { name: 'hourly', schedules: [{ cron: '0 * * * *', timezone: 'UTC' }], ...graphOf([]) },
      },
      defaultApp: 'busy',
      auth: { required: true },
      server: { quotas },
    };
    at = await serving({ data, config });
    document = (await at.ask('/openapi.json')).json as Document;
    ajv.addSchema(document, 'document');
  }),
);

/** Ask at a route, and look whether what comes is what the description says. */
async function ask(
  route: string,
  asking: Asking & { readonly id?: string; readonly second?: string; readonly query?: string } = {},
): Promise<Answered> {
  const [method = '', path = ''] = route.split(' ');
  const place = path.replaceAll(/:(\w+)/g, '{$1}');
  const operation = document.paths[place]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${route} is not described`);
  const { id = '', second = '1', query = '', ...rest } = asking;
  const named = path.replace(/:\w+/, encodeURIComponent(id)).replace(/:\w+/, second);
  const answer = await at.ask(`${named}${query}`, {
    key,
    method,
    ...rest,
  });
  const told =
    operation.responses[answer.status] ?? operation.responses[`${Math.floor(answer.status / 100)}XX`];
  expect(told, `${route} ${answer.status} is not described`).toBeDefined();
  seen.add(`${route} ${answer.status}`);
  if (answer.status < 400 && rest.json !== undefined)
    expectFits(operation.requestBody?.content['application/json']?.schema, rest.json, route);
  expectAnswer(told?.$ref ? refused() : told?.content, answer, `${route} ${answer.status}`);
  return answer;
}

function refused(): Content {
  return { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } };
}

function expectAnswer(content: Content | undefined, { text, headers, json }: Answered, what: string): void {
  const type = headers.get('content-type')?.split(';', 1)[0];
  if (!content) return expect(text, what).toBe('');
  if ('*/*' in content) return;
  expect(Object.keys(content), what).toContain(type);
  const schema = content[type ?? '']?.schema;
  if (type === 'application/json' && json !== undefined) expectFits(schema, json, what);
}

function expectFits(schema: object | undefined, value: unknown, what: string): void {
  const text = JSON.stringify(schema ?? {}).replaceAll('"#/', '"document#/');
  const validate = ajv.compile(JSON.parse(text) as object);
  validate(value);
  expect(validate.errors ?? [], `${what}: ${JSON.stringify(value).slice(0, 500)}`).toEqual([]);
}

describe('what the server answers is what its description says', () => {
  test('of runs', async () => {
    const json = {
      input: { text: 'hello', attachments: [{ data: 'x' }] },
      labels: { a: 'b' },
      limits: { calls: 3 },
    };
    const run = textAt(await ask('POST /api/runs', { json }), 'run');
    await ask('POST /api/runs', { json: { nonsense: true } });
    await ask('POST /api/runs', { json, headers: { 'idempotency-key': 'k' } });
    await ask('POST /api/runs', { json: { input: { text: 'x' } }, headers: { 'idempotency-key': 'k' } });
    await ask('POST /api/runs', { json, headers: { accept: 'text/event-stream' } });
    await ask('GET /api/runs/:run/events', { id: run });
    await ask('POST /api/runs', { json: { again: run }, key: others });
    await ask('POST /api/runs', { json: { again: run } });
    await ask('GET /api/runs/:run/events', { id: run });
    const { seq } = (await ask('GET /api/runs/:run', { id: run })).json as { readonly seq: number };
    for (let moment = 0; moment <= seq; moment += 3)
      await ask('GET /api/runs/:run', { id: run, query: `?at=${moment}` });
    await ask('GET /api/runs/:run', { id: run, query: '?at=9999' });
    await ask('GET /api/runs/:run', { id: 'nope' });
    await ask('GET /api/runs/:run/summary', { id: run, query: '?depth=1' });
    await ask('GET /api/runs/:run/entries', { id: run });
    await ask('GET /api/runs/:run/entries', { id: run, query: '?after=9999' });
    await ask('GET /api/runs/:run/events', { id: run, query: `?after=${seq}` });
    await ask('GET /api/runs/:run/events', { id: run, query: '?after=9999' });
    await ask('GET /api/feed', { query: '?after=9999' });
    await ask('GET /api/runs', { query: '?limit=1' });
    await ask('GET /api/apps');
    await ask('GET /workflows/execution/:run/steps', { id: run });
    const blob = textAt(await ask('GET /api/runs/:run', { id: run }), 'answer', 'blob');
    await ask('GET /api/files/:file', { id: blob });
    await ask('DELETE /api/files/:file', { id: blob });
  });

  test('of commands and approvals', async () => {
    const run = textAt(await ask('POST /api/runs', { json: { app: 'asks', input: { text: 'x' } } }), 'run');
    const list = await untilAnswer(
      () => ask('GET /api/approvals', { query: `?run=${run}` }),
      ({ text }) => text.includes(run),
    );
    const approval = textAt(list, 'approvals', 0, 'id');
    await ask('GET /api/runs/:run', { id: run });
    await ask('GET /workflows/execution/:run/steps', { id: run });
    await ask('GET /api/approvals/:approval', { id: approval });
    await ask('POST /api/runs/:run/messages', { id: run, json: { text: 'hurry' } });
    for (const command of ['pause', 'pause', 'resume'])
      await ask(`POST /api/runs/:run/${command}`, { id: run, json: { reason: 'r' } });
    const fingerprint = textAt(list, 'approvals', 0, 'fingerprint');
    const json = { decision: 'approve', rationale: 'fine', fingerprint };
    await ask('POST /api/approvals/:approval', { id: approval, json, key: others });
    await ask('POST /api/approvals/:approval', { id: approval, json });
    await ask('POST /api/approvals/:approval', { id: approval, json: { decision: 'reject' } });
    await ask('GET /api/approvals/:approval', { id: approval });
    await ask('GET /api/runs/:run/events', { id: run });
    await ask('GET /api/runs/:run/export', { id: run });
    for (const command of ['pause', 'resume', 'stop'])
      await ask(`POST /api/runs/:run/${command}`, { id: run });
    await ask('POST /api/runs/:run/messages', { id: run, json: { text: 'late' } });
    const other = textAt(await ask('POST /api/runs', { json: { app: 'asks', input: { text: 'x' } } }), 'run');
    await ask('POST /api/runs/:run/stop', { id: other });
  });

  test('of conversations, files and people', async () => {
    const started = await ask('POST /api/runs', { json: { input: { text: 'z'.repeat(50_000) } } });
    const conversation = textAt(started, 'conversation');
    await ask('GET /api/runs/:run/events', { id: textAt(started, 'run') });
    await ask('GET /api/conversations', { query: '?limit=1' });
    await ask('GET /api/conversations/:conversation', { id: conversation });
    const bring = 'POST /api/conversations/:name/documents';
    const text = { 'content-type': 'text/plain' };
    await ask(bring, { id: conversation, body: 'The valve.', headers: text, query: '?name=a.txt' });
    await ask(bring, { id: conversation, body: 'x'.repeat(2_000_000), headers: text, query: '?name=b.txt' });
    await ask('GET /api/conversations/:name/documents', { id: conversation });
    await ask('GET /api/conversations/:name/documents', { id: 'conversation_of-nobody' });
    await ask(bring, { id: 'conversation_of-nobody', body: 'x', headers: text, query: '?name=a.txt' });
    await ask('DELETE /api/conversations/:conversation', { id: conversation });
    await ask('DELETE /api/conversations/:conversation', { id: conversation });
    const sent = await ask('POST /api/files', {
      body: 'abc',
      headers: { 'content-type': 'x/y' },
      query: '?name=a.txt',
    });
    await ask('GET /api/files');
    await ask('GET /api/files/:file', { id: textAt(sent, 'file') });
    await ask('DELETE /api/files/:file', { id: textAt(sent, 'file') });
    const theirs = { key: others, body: 'abc', headers: { 'content-type': 'x/y' }, query: '?name=b.txt' };
    const file = textAt(await ask('POST /api/files', theirs), 'file');
    const input = { text: 'x', attachments: [{ file }] };
    await ask('POST /api/runs', { key: others, json: { app: 'asks', input } });
    await ask('DELETE /api/files/:file', { id: file });
    await ask('POST /api/files', { body: 'x'.repeat(21_000_000), headers: { 'content-type': 'x/y' } });
    await ask('POST /api/sign-in', { json: { key } });
    await ask('POST /api/sign-in', { json: { key: 'wrong' } });
    await ask('POST /api/sign-out');
    for (const path of [
      '/api/me',
      '/api/usage',
      '/api/holder',
      '/api/holder/tenants',
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
    ])
      await ask(`GET ${path}`);
    await ask('GET /api/me', { key: 'wrong' });
    await ask('PUT /api/me/preferences', { json: { depth: 3 } });
    await ask('GET /api/me/preferences');
    await ask('PUT /api/me/preferences', { json: {} });
  });

  test('of sessions', async () => {
    const open = async (scenario: string): Promise<string> =>
      textAt(await ask('POST /api/sessions', { json: { scenario, alert_text: 'link' } }), 'session_id');
    const id = await open('telco');
    await ask('GET /api/sessions/:conversation/stream', { id });
    const { event_log: log } = (await ask('GET /api/sessions/:conversation', { id })).json as {
      readonly event_log: readonly unknown[];
    };
    await ask('GET /api/sessions/:conversation/stream', {
      id,
      headers: { 'last-event-id': `${log.length}` },
    });
    await ask('GET /api/sessions/:conversation/stream', { id, query: '?since=9999' });
    await ask('GET /api/sessions', { query: '?scenario=telco' });
    await ask('POST /api/sessions/:conversation/message', { id, json: { text: 'more' } });
    await ask('POST /api/sessions/:conversation/cancel', { id });
    const waiting = await open('asks');
    await ask('GET /api/sessions/:conversation', { id: waiting });
    await ask('POST /api/sessions/:conversation/message', { id: waiting, json: { text: 'more' } });
    await ask('POST /api/sessions/:conversation/cancel', { id: waiting });
    await ask('POST /api/sessions/:conversation/save', { id: waiting });
    await ask('DELETE /api/sessions/:conversation', { id: waiting });
  });

  test('of workflows', async () => {
    const graph = { name: 'w', ...graphOf([{ id: 'say', type: 'template', value: 'x' }]) };
    const schedules = [{ cron: '0 0 1 1 *', timezone: 'UTC' }];
    await ask('POST /api/workflows', {
      json: { name: 'timed', graph: { ...graph, name: 'timed', schedules } },
    });
    await ask('POST /api/workflows/:name/publish', { id: 'timed', json: {} });
    const scheduled = await ask('GET /api/workflows/:name/schedules', { id: 'timed' });
    const timed = textAt(scheduled, 'schedules', 0, 'schedule');
    const hourly = await ask('GET /api/workflows/:name/schedules', { id: 'hourly' });
    await ask('POST /api/workflows', { json: { name: 'w', graph } });
    await ask('POST /api/workflows', { json: { name: 'w' } });
    await ask('GET /api/workflows', { query: '?limit=1' });
    const on = (verb: string, asking: Parameters<typeof ask>[1] = {}) =>
      ask(verb.replace(' ', ' /api/workflows/:name/'), { id: 'w', ...asking });
    await on('GET draft');
    await on('PUT draft', { json: { graph: {}, revision: 1 } });
    await on('PUT draft', { json: { graph: { a: 1 }, revision: 1 } });
    await on('POST validate', { json: {} });
    await on('POST publish', { json: {} });
    await on('PUT draft', { json: { graph } });
    await on('POST publish', { json: { revision: 9 } });
    await on('POST publish', { json: {} });
    await on('GET versions');
    for (const id of ['w', 'none']) await ask('GET /api/workflows/:name/versions/:version', { id });
    await on('GET diff');
    await on('POST clone', { json: { name: 'w2' } });
    await on('POST clone', { json: { name: 'w2' } });
    for (const verb of ['archive', 'restore']) {
      await on(`POST ${verb}`, { json: {} });
      await on(`POST ${verb}`, { json: { version: 9 } });
      await on(`POST ${verb}`, { id: 'fixed', json: { version: 1 } });
    }
    await on('GET schedules', { id: 'timed' });
    await on('GET schedules', { id: 'none' });
    for (const verb of ['pause', 'resume']) {
      const path = `POST /api/workflows/:name/schedules/:schedule/${verb}`;
      await ask(path, { id: 'timed', second: timed, json: {} });
      await ask(path, { id: 'timed', json: {} });
      await ask(path, { id: 'hourly', second: textAt(hourly, 'schedules', 0, 'schedule'), json: {} });
    }
    await on('DELETE draft', { query: '?revision=1' });
    await on('DELETE draft');
    for (const missing of ['GET draft', 'GET versions', 'GET diff', 'POST publish', 'POST validate'])
      await on(missing, { id: 'none', ...(missing.startsWith('POST') ? { json: {} } : {}) });
    await on('POST clone', { id: 'none', json: { name: 'w3' } });
    const headers = { 'idempotency-key': 'w' };
    const run = textAt(await on('POST runs', { json: { input: 'x' }, headers }), 'run');
    await on('POST runs', { json: { input: 'y' }, headers });
    await on('POST runs', { json: { mode: 'draft', version: 1 } });
    await on('POST runs', { json: { version: 9 } });
    await on('POST runs', { json: {}, headers: { accept: 'text/event-stream' } });
    await ask('GET /api/runs/:run/graph', { id: run });
    await ask('GET /api/runs/:run/graph', { id: 'nope' });
    const tries = 'POST /api/workflows/:name/nodes/:node/try';
    for (const second of ['say', 'start', 'none']) await ask(tries, { id: 'w', second, json: {} });
    await ask('POST /api/runs/:run/go-on', { id: run, json: {} });
    await ask('POST /api/runs/:run/go-on', { id: 'nope', json: {} });
    const broken = { name: 'broken', ...graphOf([{ id: 'say', type: 'template', value: '{{input.none}}' }]) };
    await ask('POST /api/workflows', { json: { name: 'broken', graph: broken } });
    const failed = await ask('POST /api/workflows/:name/runs', { id: 'broken', json: { mode: 'draft' } });
    const id = textAt(failed, 'run');
    await untilAnswer(
      () => ask('GET /api/runs/:run', { id }),
      ({ json }) => Reflect.get(Object(json), 'status') === 'failed',
    );
    await ask('POST /api/runs/:run/go-on', { id, json: {}, key: others });
    await ask('POST /api/runs/:run/go-on', { id, json: {} });
  });

  test('of workflows as the workflow platform has them', async () => {
    const node = (agent_id: string, node_type: string) => ({ agent_id, metadata: { node_type } });
    const agents = [node('s', 'Start'), node('e', 'End')];
    const json = { workflow_id: 'echo', name: 'Echo', agents, connections: [{ from: 's', to: 'e' }] };
    for (const path of [
      'validate/draft',
      'validate/final',
      'build',
      'backend/to-canvas',
      'temp/save',
      'save-final',
    ])
      await ask(`POST /workflows/${path}`, { json });
    await ask('POST /workflows/final/save', { json: { workflow_id: 'echo' } });
    for (const path of ['temp', 'final/:version', 'graph', 'versions'])
      await ask(`GET /workflows/:name/${path}`, { id: 'echo' });
    const canvas = { workflow_id: 'drawn', name: 'Drawn', nodes: [{ id: 's', type: 'Start' }] };
    for (const path of ['to-backend', 'save']) await ask(`POST /workflows/canvas/${path}`, { json: canvas });
    const clone = { workflow_id: 'echo', new_workflow_id: 'echo-two' };
    for (const json of [clone, clone]) await ask('POST /workflows/clone', { json });
    await ask('POST /workflows/clone', { json: { ...clone, version: 9 } });
    for (const agent of ['graph', 'nobody'])
      await ask('POST /workflows/design/prompt', { json: { prompt: 'x', workflow_id: 'designed', agent } });
    await ask('POST /workflows/execute', { json: { workflow_id: 'echo' } });
    const session = await ask('POST /workflows/chat/start', { json: { workflow_id: 'echo' } });
    const session_id = textAt(session, 'session_id');
    await ask('POST /workflows/chat/send', { json: { session_id, message: 'x' } });
    const asked = async (): Promise<string> => {
      const run_id = textAt(
        await ask('POST /api/runs', { json: { app: 'asks', input: { text: 'x' } } }),
        'run',
      );
      await untilAnswer(
        () => ask('GET /workflows/hitl/status/:run', { id: run_id }),
        ({ text }) => text.includes('waiting'),
      );
      return run_id;
    };
    for (const action of ['approve', 'reject', 'modify', 'defer']) {
      const run_id = await asked();
      const payload = action === 'modify' ? { changes: { amount: 1 } } : undefined;
      await ask(`POST /workflows/hitl/${action}`, { json: { run_id, payload } });
      for (const what of ['status', 'context', 'decisions'])
        await ask(`GET /workflows/hitl/${what}/:run`, { id: run_id });
    }
    await ask('GET /workflows/hitl/pending');
    await ask('POST /workflows/hitl/decide', { json: { run_id: await asked(), action: 'approve' } });
  });

  test('of apps that are made', async () => {
    const { settings } = desk.apps?.['desk'] ?? {};
    await ask('GET /api/apps/definitions');
    await ask('GET /api/apps/parts');
    const name = textAt(await ask('POST /api/apps', { json: { title: 'Night desk' } }), 'name');
    const on = (verb: string, asking: Parameters<typeof ask>[1] = {}) =>
      ask(verb.replace(' ', ' /api/apps/:name/'), { id: name, ...asking });
    await on('POST publish', { json: {} });
    const app = { settings } as object;
    for (const json of [{ app }, { app, revision: 1 }, { app: { settings: { skills: 1 } } }])
      await on('PUT draft', { json });
    await on('POST publish', { json: { revision: 1 } });
    await on('POST publish', { json: {} });
    for (const verb of ['archive', 'restore']) await on(`POST ${verb}`);
    await on('POST clone', { json: { title: 'Day desk' } });
    for (const id of [name, 'desk', 'nobody']) {
      for (const what of ['draft', 'versions']) await on(`GET ${what}`, { id });
      await on('GET diff', { id, query: '?from=1&to=1' });
      await on('PUT draft', { id, json: { app } });
      await on('POST publish', { id, json: {} });
      for (const verb of ['archive', 'restore']) await on(`POST ${verb}`, { id });
      await ask('DELETE /api/apps/:name', { id });
    }
    await on('POST clone', { id: 'nobody', json: { title: 'x' } });
    const trial = { guards: [{ guard: 'pii' }], side: 'input', text: 'Write to ann@example.org' };
    for (const guards of [trial.guards, [{ guard: 'none' }]])
      await ask('POST /api/guards/try', { json: { ...trial, guards } });
  });

  test('of applications', async () => {
    const app = '/api/applications/:app';
    const whole = {
      llm_links: [{ llm_id: 'planner', role: 'orchestrator' }],
      skill_links: [{ skill_id: 'graph', skill_type: 'agent' }],
      welcome_prompt: 'Hello.',
      sorry_message: 'Sorry.',
      starter_questions: ['Which paths?'],
      persona_id: 'Technical Expert',
    };
    await ask('POST /api/applications', { json: { name: 'own' } });
    await ask('POST /api/applications', { json: { title: 'own' } });
    await ask('GET /api/applications');
    await ask(`GET ${app}`, { id: 'own' });
    for (const place of [`PUT ${app}`, `POST ${app}/publish`])
      await ask(place, { id: 'own', json: { colour: 1 } });
    await ask(`PUT ${app}`, { id: 'own', json: whole });
    const parts = { setup: 'name', access: 'people', context: 'persona_id', 'chat-config': 'disclaimer' };
    for (const [part, field] of Object.entries(parts)) {
      const json = { [field]: null };
      await ask(`PATCH ${app}/${part}`, { id: 'own', json });
      await ask(`PATCH ${app}/${part}`, { id: 'own', json: { colour: 1 } });
      await ask(`PATCH ${app}/${part}`, { id: 'desk', json });
    }
    await ask(`PUT ${app}`, { id: 'desk', json: {} });
    const headers = { 'content-type': 'image/gif' };
    for (const body of ['GIF89a', 'none']) await ask(`POST ${app}/logo`, { id: 'own', body, headers });
    await ask(`POST ${app}/publish`, { id: 'own', json: {} });
    await ask(`POST ${app}/chat/upload`, { id: 'own', body: 'x', headers: { 'content-type': 'text/plain' } });
    await ask(`POST ${app}/unpublish`, { id: 'own', json: {} });
    for (const id of ['own', 'desk']) await ask(`DELETE ${app}`, { id });
    await ask(`POST ${app}/unpublish`, { id: 'desk', json: {} });
    const lookups = ['skills', 'llms', 'data-sources', 'personas', 'guardrail-categories'];
    for (const what of [...lookups, 'designations', 'business-units', 'tags']) await ask(`GET /api/${what}`);
  });

  test('of chats with applications', async () => {
    const chat = '/api/applications/:app/chat';
    const say = { id: 'desk', json: { message: 'Go', session_id: 's' } };
    await ask(`POST ${chat}`, say);
    await ask(`POST ${chat}`, say);
    await ask(`POST ${chat}/stream`, say);
    const decide = { id: 'desk', json: { session_id: 's', action: 'approve' } };
    await ask(`POST ${chat}/hitl-decide`, decide);
    await ask(`POST ${chat}/hitl-decide`, decide);
    const document = { id: 'desk', body: 'text', headers: { 'content-type': 'text/plain' } };
    for (const body of ['text', 'x'.repeat(2_000_000)])
      await ask(`POST ${chat}/upload`, { ...document, body, query: '?name=a.txt' });
    await ask(`GET ${chat}/history`, { id: 'desk' });
    await ask(`GET ${chat}/sessions/:session`, { id: 'desk', second: 's' });
    await ask(`DELETE ${chat}/sessions/:session`, { id: 'desk', second: 's' });
    await ask(`POST ${chat}/stream`, { id: 'busy', json: { message: 'Go' } });
  });

  test('to the page of the console', async () => {
    await ask('GET /api/agents');
    for (const part of ['scenario', 'current', 'resources']) await ask(`GET /api/config/${part}`);
    await ask('POST /api/alert', { json: { text: 'a' } });
    await ask('GET /api/logs', { query: '?follow=false' });
  });

  test('of runs that nobody here can work on, and of more than a share', async () => {
    const run = textAt(await ask('POST /api/runs', { json: { app: 'asks', input: { text: 'x' } } }), 'run');
    const list = await untilAnswer(
      () => ask('GET /api/approvals', { query: `?run=${run}` }),
      ({ text }) => text.includes(run),
    );
    await at.close();
    at = await serving({
      data: at.data,
      config: {
        apps: { busy: { flow: busy } },
        auth: { required: true },
        server: { quotas: { sessions: 1, runs: 1 } },
      },
    });
    await ask('POST /api/runs/:run/take-up', { id: run });
    await ask('POST /api/runs/:run/messages', { id: run, json: { text: 'x' } });
    // What shall run instead is for its own flow to judge.
    const fingerprint = textAt(list, 'approvals', 0, 'fingerprint');
    await ask('POST /api/approvals/:approval', {
      id: textAt(list, 'approvals', 0, 'id'),
      json: { decision: 'edit', arguments: {}, fingerprint },
    });
    await ask('POST /api/sessions', { json: { scenario: 's', alert_text: 'a' } });
    await ask('POST /api/alert', { json: { text: 'a' } });
    for (const command of ['pause', 'resume', 'stop'])
      await ask(`POST /api/runs/:run/${command}`, { id: run });
  });

  test('and nothing that is described was left out', () => {
    const all = described.flatMap(({ method, path, answers }) =>
      Object.keys(answers).map((status) => `${method} ${path} ${status}`),
    );
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((one) => !seen.has(one) && !beyond.has(one))).toEqual([]);
  });
});
