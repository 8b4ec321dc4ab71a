import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../../../test/serving.ts';

test('[PL75] what somebody begins under the name of another is no session of theirs', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const echo = appWith(async (_, text) => text, 'echo');
  const at = await serving({ data, config: { apps: { echo }, auth: { required: true } } });
  const chat = '/api/applications/echo/chat';
  const own = await at.ask(chat, { key: ann, json: { message: 'mine', session_id: 's' } });
  const forged = { app: 'echo', input: { text: 'not mine' }, labels: { user: 'ann' } };
  const begun = await at.ask('/api/runs', { key: bob, json: forged });
  await at.ask('/v1/responses', { key: bob, json: { model: 'echo', input: 'x', metadata: { user: 'ann' } } });
  const history = await at.ask(`${chat}/history`, { key: ann });
  expect(history.json).toMatchObject({ sessions: [{ session_id: textAt(own, 'session_id') }] });
  expect((history.json as { sessions: unknown[] }).sessions).toHaveLength(1);
  const session = `${chat}/sessions/${textAt(begun, 'conversation')}`;
  expect((await at.ask(session, { key: ann })).status).toBe(404);
});

test('[PL75] however many runs others begin under the name of somebody, their own sessions are in their list', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const echo = appWith(async (_, text) => text, 'echo');
  const at = await serving({ data, config: { apps: { echo }, auth: { required: true } } });
  const chat = '/api/applications/echo/chat';
  const own = await at.ask(chat, { key: ann, json: { message: 'mine', session_id: 's' } });
  const forged = { app: 'echo', input: { text: 'not mine' }, labels: { user: 'ann' } };
  for (let i = 0; i < 201; i += 1)
    expect((await at.ask('/api/runs', { key: bob, json: forged })).status).toBe(201);
  const history = await at.ask(`${chat}/history`, { key: ann });
  expect(history.json).toMatchObject({ sessions: [{ session_id: textAt(own, 'session_id') }] });
});

test('[PL75] nobody else begins a run in a session, whatever labels it has, nor brings documents to it', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const echo = appWith(async (_, text) => text, 'echo');
  const at = await serving({ data, config: { apps: { echo }, auth: { required: true } } });
  const own = await at.ask('/api/applications/echo/chat', { key: ann, json: { message: 'mine' } });
  const conversation = textAt(own, 'session_id');
  const forged = { app: 'echo', input: { text: 'not mine' }, conversation };
  for (const labels of [{}, { user: 'bob' }, { user: 'ann' }])
    expect((await at.ask('/api/runs', { key: bob, json: { ...forged, labels } })).status).toBe(404);
  const documents = `/api/conversations/${conversation}/documents`;
  expect((await at.ask(documents, { key: bob })).status).toBe(404);
  expect((await at.ask(documents, { key: ann })).status).toBe(200);
  expect((await at.ask('/api/runs', { key: ann, json: { ...forged, labels: { user: 'ann' } } })).status).toBe(
    201,
  );
});
