import { expect, test } from 'vitest';
import { journal, started } from '../../../test/journal.ts';
import {
  appWith,
  keyIn,
  serving,
  sharedAt,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Serving,
} from '../../../test/serving.ts';
import { noFacts } from '../../run/facts.ts';
import { revokeKey } from '../access/keys.ts';
import { encodeAll } from '../../run/entries.ts';

const done: string[] = [];

const echo = appWith(async (_, text) => `You said «${text}».`, 'echo');
const asks = appWith(async (scope, text) => {
  const { decision } = await scope.ask({ key: 'may', title: 'May I?', arguments: { text } });
  if (decision === 'approve') done.push(text);
  return decision;
}, 'asks');

function at(): Promise<Serving> {
  done.length = 0;
  return serving({ config: { apps: { echo, asks } } });
}

const chat = (content: unknown, model = 'echo', more: readonly object[] = []) => ({
  json: { model, messages: [...more, { role: 'user', content }] },
});

async function questionOf(server: Serving, text: string): Promise<string> {
  const { headers } = await server.ask('/v1/chat/completions', chat(text, 'asks'));
  const run = headers.get('x-run-id') ?? '';
  const list = await server.ask(`/api/approvals?run=${run}`);
  return `${textAt(list, 'approvals', 0, 'id')}~${textAt(list, 'approvals', 0, 'fingerprint')}`;
}

test.for([
  { of: 'a character on the border of the title', text: `${'A'.repeat(199)}😀 hi` },
  { of: 'half a character', text: 'a \ud83d b' },
])('[PR12] $of damages nothing', async ({ text }) => {
  const server = await at();
  const json = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: text }] });
  const headers = { 'content-type': 'application/json' };
  const answer = await server.ask('/v1/chat/completions', { method: 'POST', body: json, headers });
  expect(answer.status).toBe(200);
  const named = JSON.stringify({ input: { text: 'x' }, conversation: 'c\ud83d', app: 'echo' });
  expect((await server.ask('/api/runs', { method: 'POST', body: named, headers })).status).toBe(201);
  await server.close();
  const again = await serving({ data: server.data, config: { apps: { echo } } });
  expect(await again.ask('/readyz')).toMatchObject({ status: 200 });
  expect(await again.ask('/api/sessions')).toMatchObject({ status: 200 });
  expect(await again.ask('/v1/chat/completions', chat('hello'))).toMatchObject({ status: 200 });
});

test('[PR13] a door takes no more attachments and labels than the native API', async () => {
  const server = await at();
  const links = Array.from({ length: 51 }, (_, i) => ({
    type: 'image_url',
    image_url: { url: `http://127.0.0.9/${i}` },
  }));
  const many = await server.ask('/v1/chat/completions', chat([{ type: 'text', text: 'x' }, ...links]));
  expect(many).toMatchObject({ status: 400, text: expect.stringContaining('at most 50') });
  const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']));
  const { json } = chat('x');
  expect((await server.ask('/v1/chat/completions', { json: { ...json, metadata } })).status).toBe(400);
});

test('[PR14] what was decided before the last answer is history, and a message behind a decision is not dropped', async () => {
  const server = await at();
  const question = await questionOf(server, 'pay');
  const approve = { type: 'mcp_approval_response', approval_request_id: question, approve: true };
  const say = (role: string, content: string) => ({ role, content });
  const asked = (input: readonly object[]) => server.ask('/v1/responses', { json: { model: 'echo', input } });
  const replayed = await asked([
    say('user', 'old'),
    approve,
    say('assistant', 'ok'),
    say('user', 'And now?'),
  ]);
  expect(replayed.text).toContain('You said «And now?»');
  expect((await asked([approve, say('user', 'no, do not!')])).status).toBe(400);
  expect(done).toEqual([]);
});

test('[PR15] a request that is refused has decided nothing', async () => {
  const server = await at();
  const [one, two] = [await questionOf(server, 'one'), await questionOf(server, 'two')];
  const approve = (id: string, isYes = true) => ({
    type: 'mcp_approval_response',
    approval_request_id: id,
    approve: isYes,
  });
  const asked = (input: readonly object[]) => server.ask('/v1/responses', { json: { model: 'asks', input } });
  const wrong = `${two.slice(0, -1)}${two.endsWith('0') ? '1' : '0'}`;
  expect((await asked([approve(one), approve(wrong)])).status).toBeGreaterThanOrEqual(400);
  expect((await asked([approve(one), approve(one, false)])).status).toBe(400);
  expect(done).toEqual([]);
});

test('[PR10] the same key with another history is another question', async () => {
  const server = await at();
  const headers = { 'idempotency-key': 'k' };
  const before = (content: string) => [{ role: 'assistant', content }];
  const first = await server.ask('/v1/chat/completions', { ...chat('x', 'echo', before('a')), headers });
  expect(first.status).toBe(200);
  expect(
    (await server.ask('/v1/chat/completions', { ...chat('x', 'echo', before('a')), headers })).status,
  ).toBe(200);
  expect(
    (await server.ask('/v1/chat/completions', { ...chat('x', 'echo', before('b')), headers })).status,
  ).toBe(409);
});

test('[A2A6] an agent card believes no name but the one the door has looked at', async () => {
  const data = temporaryFolder();
  const key = keyIn(data);
  const { ask } = await serving({ data, config: { apps: { echo }, auth: { required: true } } });
  const headers = { 'x-forwarded-host': 'evil.example' };
  const card = await ask('/a2a/echo/.well-known/agent-card.json', { key, headers });
  expect(card.status).toBe(200);
  expect(card.text).not.toContain('evil.example');
});

const agUi = (more: object) => ({
  json: { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {}, ...more },
});
const said = (content: string) => ({ id: content, role: 'user', content });

test('[PR17] what an app asked is decided at its own doors, and nothing is said beside it', async () => {
  const server = await at();
  const question = await questionOf(server, 'pay');
  const fingerprint = question.split('~')[1] ?? '';
  const response = { type: 'mcp_approval_response', approval_request_id: question, approve: true };
  const resume = [{ interruptId: question, status: 'resolved' }];
  const part = {
    type: 'dynamic-tool',
    state: 'approval-responded',
    approval: { id: question, approved: true },
  };
  const aiSdk = { id: 'c', messages: [{ id: 'a', role: 'assistant', parts: [part] }] };
  const elsewhere = [
    await server.ask('/v1/chat/completions', chat(`approve ${fingerprint}`)),
    await server.ask('/openai/deployments/echo/chat/completions', chat(`approve ${fingerprint}`)),
    await server.ask('/v1/responses', { json: { model: 'echo', input: [response] } }),
    await server.ask('/ag-ui/echo', agUi({ resume })),
    await server.ask('/ai-sdk/echo/chat', { json: aiSdk }),
  ];
  for (const { status, text } of elsewhere)
    expect([status, text]).toEqual([404, expect.stringContaining('«asks» asked it')]);
  const beside = [
    await server.ask('/ag-ui/asks', agUi({ resume, messages: [said('no, do not!')] })),
    await server.ask(
      '/v1/chat/completions',
      chat(
        [
          { type: 'text', text: `approve ${fingerprint}` },
          { type: 'image_url', image_url: { url: 'http://127.0.0.9/cat.png' } },
        ],
        'asks',
      ),
    ),
  ];
  for (const { status, text } of beside)
    expect([status, text]).toEqual([400, expect.stringMatching(/decide/)]);
  expect(done).toEqual([]);
  // What clients send again, because they have it, is not said anew.
  const repeated = await server.ask('/ag-ui/asks', agUi({ resume, messages: [said('pay')] }));
  expect(repeated).toMatchObject({ status: 200, text: expect.stringContaining('RUN_FINISHED') });
  expect(done).toEqual(['pay']);
});

test('[PR17] a chat of the AI SDK that says something instead is told that its decision was not used', async () => {
  const server = await at();
  const question = await questionOf(server, 'pay');
  const part = {
    type: 'dynamic-tool',
    state: 'approval-responded',
    approval: { id: question, approved: true },
  };
  const messages = [
    { id: 'a', role: 'assistant', parts: [part] },
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'No, wait!' }] },
  ];
  const { status, text } = await server.ask('/ai-sdk/echo/chat', { json: { id: 'c', messages } });
  expect([status, text]).toEqual([200, expect.stringContaining('REQUEST_FIELD_IGNORED')]);
  expect(text).toContain(question);
  expect(done).toEqual([]);
});

test('[PR18] an answer that a client names is one that was given', async () => {
  const server = await at();
  const question = await questionOf(server, 'pay');
  const run = question.split('.a')[0] ?? '';
  const next = (id: string) =>
    server.ask('/v1/responses', { json: { model: 'echo', input: 'x', previous_response_id: id } });
  for (const entry of [1, 2, 3, 999, '9'.repeat(15)]) {
    expect(await next(`resp_${run}.${entry}`)).toMatchObject({ status: 404 });
    expect(await server.ask(`/v1/responses/resp_${run}.${entry}`)).toMatchObject({ status: 404 });
  }
  expect(await next(`resp_${run}`)).toMatchObject({ status: 200 });
  const decided = await server.ask('/v1/responses', {
    json: { input: [{ type: 'mcp_approval_response', approval_request_id: question, approve: true }] },
  });
  const second = textAt(decided, 'id');
  expect(second).toMatch(/\.\d+$/);
  expect(await next(second)).toMatchObject({ status: 200 });
  expect(await server.ask(`/v1/responses/${second}`)).toMatchObject({ status: 200, json: { id: second } });
});

test('[PR19] a question is found by its fingerprint, however many came after it', async () => {
  const server = await at();
  const question = await questionOf(server, 'the first');
  const { store } = server.server.context.home;
  // As many runs that asked as were once looked at, twice, without the work of asking.
  for (let i = 0; i < 450; i += 1)
    await store.dispatch.create({
      run: `run_later_${i}`,
      tenant: 'local',
      conversation: `c${i}`,
      app: 'asks',
      title: '',
      flow: 'made-up@1',
      last: 1,
      frames: encodeAll(journal(started())),
      indexed: { facts: { ...noFacts, asked: 1 }, terms: [] },
    });
  const answer = await server.ask('/v1/chat/completions', chat(`approve ${question.split('~')[1]}`, 'asks'));
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('approve')]);
  expect(done).toEqual(['the first']);
});

test('[PR20] an address with a line break in it is no address', async () => {
  const server = await at();
  for (const odd of ['\r\nX-Evil: 1', '\n', ' ', '\u202e', '\u0000']) {
    const url = `http://127.0.0.9/a${odd}b.png`;
    const parts = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url } },
    ];
    const native = { app: 'echo', input: { text: 'x', attachments: [{ url }] } };
    for (const answer of [
      await server.ask('/v1/chat/completions', chat(parts)),
      await server.ask('/api/runs', { json: native }),
    ])
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('url')]);
  }
});

test('[PR21] whoever may look may look at what runs, at the doors of clients that come back', async () => {
  const data = temporaryFolder();
  const member = keyIn(data, { name: 'ann' });
  const viewer = keyIn(data, { name: 'vic', role: 'viewer' });
  const { ask } = await serving({ data, config: { apps: { echo, asks }, auth: { required: true } } });
  const messages = [said('pay')];
  expect(await ask('/ag-ui/asks', { key: member, ...agUi({ messages }) })).toMatchObject({ status: 200 });
  const joining = agUi({ threadId: 't@ann' });
  const joined = await ask('/ag-ui/asks/connect', { key: viewer, ...joining });
  expect([joined.status, joined.text]).toEqual([200, expect.stringContaining('RUN_STARTED')]);
  const stream = await ask('/ai-sdk/asks/chat/t@ann/stream', { key: viewer });
  expect([stream.status, stream.text]).toEqual([200, expect.stringContaining('tool-approval-request')]);
  for (const path of ['/ag-ui/asks', '/ag-ui/asks/stop'])
    expect(await ask(path, { key: viewer, ...joining })).toMatchObject({ status: 403 });
});

test('[PR23] what would not be seen as it is, is nowhere in a question but written out', async () => {
  const sneaky = appWith(async (scope, text) => {
    const { decision } = await scope.ask({ key: 'may', title: 'May I?', arguments: { to: text } });
    return decision;
  }, 'sneaky');
  const { ask } = await serving({ config: { apps: { sneaky } } });
  const interrupt = async (content: string): Promise<string> => {
    const { text } = await ask('/ag-ui/sneaky', agUi({ threadId: content, messages: [said(content)] }));
    return text.slice(text.indexOf('"interrupts"'));
  };
  expect(await interrupt('ada\u202egro.live')).not.toContain('\u202e');
  expect(await interrupt('ada\u202egro.live')).toContain('\\\\u202e');
  expect(await interrupt('ada')).toContain('"given":{"to":"ada"}');
});

test('[PR24] a key that is revoked while a whole answer is made gets nothing of it', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { name: 'ann' });
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = appWith(async () => promise.then(() => 'A secret.'), 'slow');
  const server = await serving({ data, config: { apps: { slow }, auth: { required: true } } });
  const asking = server.ask('/v1/chat/completions', { key, ...chat('x', 'slow') });
  await untilAnswer(
    () => server.ask('/api/runs', { key }),
    ({ text }) => text.includes('"running"'),
  );
  await revokeKey(sharedAt(server), 'ann', Date.now());
  await untilAnswer(
    () => server.ask('/api/runs', { key }),
    ({ status }) => status === 401,
  );
  resolve();
  const { status, text } = await asking;
  expect(status).toBe(401);
  expect(text).not.toContain('A secret.');
});
