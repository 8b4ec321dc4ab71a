import { beforeAll, describe, expect, test } from 'vitest';
import {
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Serving,
} from '../../../test/serving.ts';
import { answering } from '../../../test/workflow/world.ts';

let at: Serving;
let key: string;
let other: string;

beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    key = keyIn(data, { name: 'ana', tenant: 'acme', role: 'member' });
    other = keyIn(data, { name: 'eve', tenant: 'elsewhere', role: 'operator' });
    const asks = appWith(async (scope) => {
      const first = await scope.ask({
        key: 'q',
        title: 'May I?',
        message: 'Look.',
        arguments: { amount: 5 },
        allowed: ['approve', 'reject', 'edit', 'defer'],
      });
      return JSON.stringify([first.decision, 'arguments' in first ? first.arguments : null]);
    }, 'asks');
    const { gateway } = answering('designer', () => designs.shift() ?? '');
    at = await serving({
      data,
      config: {
        apps: { asks },
        agents: { designer: { gateway, description: 'Drafts.' } },
        auth: { required: true },
      },
    });
  }),
);

const designs: string[] = [];

const get = (path: string, by = key) => at.ask(path, { key: by });
const post = (path: string, json: object, by = key) => at.ask(path, { key: by, json });

const echo = {
  workflow_id: 'greeting',
  name: 'Greeting',
  agents: [
    { agent_id: 's', metadata: { node_type: 'Start' } },
    {
      agent_id: 'say',
      metadata: { node_type: 'Template', template_config: { template: 'Hi {{input.text}}' } },
    },
    { agent_id: 'e', metadata: { node_type: 'End' } },
  ],
  connections: [
    { from: 's', to: 'say' },
    { from: 'say', to: 'e' },
  ],
};

async function answerOf(run: string): Promise<unknown> {
  await get(`/api/runs/${run}/events`);
  return ((await get(`/api/runs/${run}`)).json as { answer: unknown }).answer;
}

describe('[WR31] workflows in the forms of the workflow platform', () => {
  test('are saved, validated, published and read back', async () => {
    expect((await post('/workflows/validate/final', echo)).json).toMatchObject({ valid: true, errors: [] });
    expect((await post('/workflows/temp/save', echo)).json).toEqual({
      workflow_id: 'greeting',
      status: 'validated',
      version: 1,
      unmapped: [],
      errors: [],
    });
    expect((await post('/workflows/final/save', { workflow_id: 'greeting' })).json).toMatchObject({
      status: 'final',
      version: 1,
    });
    for (const path of ['temp', 'final/1', 'graph'])
      expect((await get(`/workflows/greeting/${path}`)).json).toMatchObject({
        workflow_id: 'greeting',
        execution_model: 'sequential',
        agents: [{ agent_id: 'start' }, { agent_id: 'say' }, { agent_id: 'end' }],
      });
    expect((await get('/workflows/greeting/versions')).json).toMatchObject({
      versions: [
        { version: 0, status: 'draft' },
        { version: 1, status: 'final', created_by: 'ana' },
      ],
    });
    expect((await get('/api/workflows/greeting/draft')).status).toBe(200);
    expect((await get('/workflows/greeting/graph', other)).status).toBe(404);
    const lonely = { ...echo, connections: [], name: 'x', workflow_id: 'lonely' };
    expect((await post('/workflows/validate/draft', lonely)).json).toMatchObject({
      valid: true,
      errors: expect.arrayContaining([expect.objectContaining({ node: 'say' })]),
    });
    await post('/workflows/temp/save', lonely);
    expect((await post('/workflows/final/save', { workflow_id: 'lonely' })).status).toBe(400);
  });

  test('are executed and talked to, draft or final, and watched by their run', async () => {
    await post('/workflows/temp/save', { ...echo, workflow_id: 'talk' });
    expect((await post('/workflows/chat/start', { workflow_id: 'talk' })).status).toBe(404);
    const started = await post('/workflows/chat/start', { workflow_id: 'talk', mode: 'test' });
    const session_id = textAt(started, 'session_id');
    const sent = await post('/workflows/chat/send', { session_id, message: 'there', execute_workflow: true });
    const run = textAt(sent, 'run_id');
    expect(sent.json).toMatchObject({ session_id, status: 'executing', ws_url: `/ws/execution/${run}` });
    expect(await answerOf(run)).toBe('Hi there');
    const again = textAt(await post('/workflows/chat/send', { session_id, message: 'you' }), 'run_id');
    const conversation = async (id: string) =>
      ((await get(`/api/runs/${id}/entries`)).json as { entries: { event: { conversation?: string } }[] })
        .entries[0]?.event.conversation;
    expect(await conversation(again)).toBe(await conversation(run));
    await post('/workflows/final/save', { workflow_id: 'talk' });
    const executed = await post('/workflows/execute', {
      workflow_id: 'talk',
      input_payload: { text: 'once' },
      version: '1',
    });
    expect(await answerOf(textAt(executed, 'run_id'))).toBe('Hi once');
    const steps = await get(`/workflows/execution/${textAt(executed, 'run_id')}/steps`);
    expect(steps.json).toMatchObject({ workflow_id: 'workflow:talk', steps: [{}, { step_name: 'say' }, {}] });
    expect((await post('/workflows/chat/send', { session_id: 'wfs_nope', message: 'x' })).status).toBe(404);
    expect((await post('/workflows/chat/send', { session_id, message: 'x' }, other)).status).toBe(404);
  });
});

describe('[WR32] questions in the forms of the workflow platform', () => {
  async function asked(): Promise<string> {
    const run = textAt(await post('/api/runs', { app: 'asks', input: { text: 'x' } }), 'run');
    await untilAnswer(
      () => get(`/workflows/hitl/status/${run}`),
      ({ text }) => text.includes('waiting_for_human'),
    );
    return run;
  }

  test('are listed, shown with their context, put off, edited and recorded', async () => {
    const run = await asked();
    const pending = await get('/workflows/hitl/pending');
    expect(pending.json).toMatchObject({
      count: 1,
      pending_reviews: [{ run_id: run, title: 'May I?', priority: 'medium', arguments: { amount: 5 } }],
    });
    expect((await get('/workflows/hitl/pending', other)).json).toEqual({ pending_reviews: [], count: 0 });
    expect((await get(`/workflows/hitl/context/${run}`)).json).toMatchObject({
      questions: [{ title: 'May I?', message: 'Look.' }],
    });
    expect((await get(`/workflows/execution/${run}/steps`)).json).toMatchObject({
      steps: expect.arrayContaining([expect.objectContaining({ status: 'interrupted' })]),
    });
    const until = new Date(Date.now() + 86_400_000).toISOString();
    expect((await post('/workflows/hitl/defer', { run_id: run, defer_until: until })).json).toMatchObject({
      status: 'deferred',
    });
    expect((await get(`/workflows/hitl/status/${run}`)).json).toEqual({ run_id: run, state: 'deferred' });
    const edit = { run_id: run, actor: 'somebody else', rationale: 'less' };
    expect((await post('/workflows/hitl/modify', edit)).status).toBe(400);
    const changed = { ...edit, payload: { changes: { amount: 2 } }, action: 'modify' };
    expect((await post('/workflows/hitl/decide', changed)).json).toMatchObject({ status: 'resumed' });
    expect(await answerOf(run)).toBe('["edit",{"amount":2}]');
    expect((await get(`/workflows/hitl/decisions/${run}`)).json).toMatchObject({
      decisions: [{ action: 'edit', actor: 'ana', rationale: 'less', changes: { amount: 2 } }],
    });
    expect((await get(`/workflows/hitl/status/${run}`)).json).toMatchObject({ state: 'modified' });
  });

  test('are decided once, by those who may, with an action there is', async () => {
    const run = await asked();
    const decide = (json: object, by = key) => post('/workflows/hitl/decide', { run_id: run, ...json }, by);
    expect((await decide({ action: 'dance' })).status).toBe(400);
    expect((await decide({ action: 'approve' }, other)).status).toBe(404);
    const question = textAt(await get(`/workflows/hitl/context/${run}`), 'questions', 0, 'approval_id');
    expect((await decide({ action: 'approve', approval_id: question.replace(/~.*/, '~stale') })).status).toBe(
      409,
    );
    expect((await decide({ action: 'reject', approval_id: question })).json).toMatchObject({
      status: 'rejected',
    });
    expect(await answerOf(run)).toContain('reject');
    expect((await decide({ action: 'approve' })).status).toBe(409);
  });
});

const drawn = {
  title: 'Greeter',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'say', type: 'template', value: 'Hello {{input.text}}' },
    { id: 'end', type: 'end', output: '{{nodes.say.output}}' },
  ],
  edges: [
    { from: 'start', to: 'say' },
    { from: 'say', to: 'end' },
  ],
};

describe('[WR44] a workflow that an agent drafts', () => {
  test('is a draft with its problems, made in a run whose steps are seen, and is not published', async () => {
    designs.push(JSON.stringify(drawn));
    const made = await post('/workflows/design/prompt', {
      prompt: 'Greet {{them}}.',
      workflow_id: 'greeter',
    });
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({ workflow_id: 'greeter', status: 'validated', version: 1, errors: [] });
    const steps = (await get(`/workflows/execution/${textAt(made, 'run_id')}/steps`)).text;
    expect(steps).toContain('"step_type":"llm_call"');
    const versions = (await get('/workflows/greeter/versions')).json;
    expect(versions).toMatchObject({ versions: [{ version: 0, status: 'draft', created_by: 'ana' }] });
    designs.push('Sure:', JSON.stringify({ ...drawn, edges: [] }));
    const broken = await post('/workflows/design/prompt', { prompt: 'Again.', workflow_id: 'greeter' });
    expect(broken.json).toMatchObject({ status: 'draft', version: 2, errors: expect.anything() });
    expect(broken.text).toContain('Nothing leads to it.');
  });

  test('is refused where there is nobody to draft it, or nothing came of it', async () => {
    const unknown = await post('/workflows/design/prompt', { prompt: 'x', agent: 'nobody' });
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('known: designer')]);
    designs.push('no', 'still no');
    const nothing = await post('/workflows/design/prompt', { prompt: 'x', workflow_id: 'nothing' });
    expect([nothing.status, nothing.text]).toEqual([409, expect.stringContaining('does not fit')]);
    expect((await get('/workflows/nothing/temp')).status).toBe(404);
    expect(
      (await post('/workflows/design/prompt', { prompt: 'x', workflow_id: 'greeter' }, other)).status,
    ).toBe(409);
  });
});

test('[WR31] what the platform’s clients ask is answered, each of its routes', async () => {
  const named = { ...echo, workflow_id: 'every', name: 'Every' };
  designs.push(JSON.stringify(drawn));
  const canvas = (await post('/workflows/backend/to-canvas', named)).json as object;
  expect(canvas).toMatchObject({
    nodes: [{ id: 's', type: 'Start', x: 0 }, { id: 'say' }, { id: 'e', x: 440 }],
  });
  const back = (await post('/workflows/canvas/to-backend', canvas)).json;
  expect(back).toMatchObject({
    workflow_id: 'every',
    agents: [{ agent_id: 's' }, echo.agents[1], { agent_id: 'e' }],
  });
  const { connections } = named;
  const typed = {
    nodes: [
      { id: 's', type: 'Start' },
      { id: 'say', type: 'Template', config: { template: 'x' } },
      { id: 'e', type: 'End' },
    ],
  };
  const asks: [string, object?][] = [
    ['/workflows/design/prompt', { prompt: 'x' }],
    ['/workflows/build', named],
    ['/workflows/validate/draft', named],
    ['/workflows/validate/final', named],
    ['/workflows/temp/save', named],
    ['/workflows/every/temp'],
    ['/workflows/final/save', { workflow_id: 'every' }],
    ['/workflows/save-final', named],
    ['/workflows/every/final/1'],
    ['/workflows/every/versions'],
    ['/workflows/every/graph'],
    ['/workflows/clone', { workflow_id: 'every', new_workflow_id: 'every-two' }],
    ['/workflows/execute', { workflow_id: 'every' }],
    ['/workflows/canvas/save', { workflow_id: 'drawn', name: 'Drawn', ...typed, connections }],
    ['/workflows/chat/start', { workflow_id: 'every' }],
    ['/workflows/hitl/pending'],
  ];
  for (const [path, json] of asks)
    expect((await (json ? post(path, json) : get(path))).status, path).toBe(200);
  expect((await get('/workflows/every-two/temp')).json).toMatchObject({ workflow_id: 'every-two' });
  expect(
    (await post('/workflows/clone', { workflow_id: 'greeting', new_workflow_id: 'every-two' })).status,
  ).toBe(409);
  expect((await get('/workflows/drawn/temp')).text).toContain('"template":"x"');
});
