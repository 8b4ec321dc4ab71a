import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving } from '../../../test/serving.ts';

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
