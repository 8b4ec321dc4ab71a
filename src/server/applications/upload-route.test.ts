import { expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { keyIn, serving, temporaryFolder, textAt, untilAnswer } from '../../../test/serving.ts';

const plans = [planOf('single', [planStep(1, 'graph')])];
const path = '/api/applications/desk/chat';
const guide = '# Valves\n\nThe valve of Lisbon opens slowly.\n';

test('[PL67] a document that is brought into a session is found in it, by a form and by its bytes', async () => {
  const at = await serving({ config: deskConfig({ plans, settings: { retrieval: { uploads: true } } }) });
  const form = new FormData();
  form.set('file', new File([guide], 'guide.md', { type: 'text/markdown' }));
  const sent = await fetch(`${at.url}${path}/upload`, { method: 'POST', body: form });
  const first = (await sent.json()) as { readonly session_id: string };
  expect([sent.status, first]).toEqual([
    201,
    {
      session_id: expect.any(String),
      document_id: expect.any(String),
      filename: 'guide.md',
      status: 'pending',
    },
  ]);
  const { session_id } = first;
  const more = `${path}/upload?name=note.txt&session_id=${session_id}`;
  const headers = { 'content-type': 'text/plain' };
  expect((await at.ask(more, { method: 'POST', body: 'Pumps are blue.', headers })).status).toBe(201);
  const answer = await at.ask(path, { json: { message: 'What of the valve of Lisbon?', session_id } });
  expect(answer.status).toBe(200);
  const run = answer.headers.get('x-run-id') ?? '';
  expect((await at.ask(`/api/runs/${run}`)).text).toContain('guide.md');
});

test('[AW8] documents are brought before the first message, under a name of one’s own; by other names there are none', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const settings = { retrieval: { uploads: true } };
  const at = await serving({
    data,
    config: { ...deskConfig({ plans, settings }), auth: { required: true } },
  });
  const documents = (name: string) => `/api/conversations/${name}/documents`;
  const body = { method: 'POST', body: guide, headers: { 'content-type': 'text/markdown' } };
  expect((await at.ask(`${documents('mine')}?name=guide.md`, { ...body, key: ann })).status).toBe(201);
  const stands = (key: string | undefined, name: string) => at.ask(documents(name), { key });
  await untilAnswer(
    () => stands(ann, 'mine'),
    ({ text }) => text.includes('"ready"'),
  );
  expect((await stands(bob, 'mine')).json).toEqual({ documents: [] });
  for (const name of ['mine@ann', 'conversation_1']) expect((await stands(bob, name)).status, name).toBe(404);
  const input = { text: 'What of the valve of Lisbon?' };
  const asked = await at.ask('/api/runs', { key: ann, json: { app: 'desk', conversation: 'mine', input } });
  const run = textAt(asked, 'run');
  await at.ask(`/api/runs/${run}/events`, { key: ann });
  expect((await at.ask(`/api/runs/${run}`, { key: ann })).text).toContain('guide.md');
});

test('[PL67] [V321] an application that takes none says so, what is no form is refused, and another person’s session is not there', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const uploads = { retrieval: { uploads: true } };
  const at = await serving({
    data,
    config: { ...deskConfig({ plans, settings: uploads }), auth: { required: true } },
  });
  const body = { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } };
  const named = `${path}/upload?name=a.txt&session_id=`;
  await at.ask(path, { key: ann, json: { message: 'Go', session_id: 'mine' } });
  expect((await at.ask(`${named}mine@ann`, { ...body, key: bob })).status).toBe(404);
  expect((await at.ask(`${named}mine`, { ...body, key: ann })).status).toBe(201);
  const native = '/api/conversations/mine%40ann/documents';
  const asked = async (key = ''): Promise<number[]> => [
    (await at.ask(`${native}?name=b.txt`, { ...body, key })).status,
    (await at.ask(native, { key })).status,
  ];
  expect([await asked(bob), await asked(ann)]).toEqual([
    [404, 404],
    [201, 200],
  ]);
  const unnamed = await at.ask(`${path}/upload`, { ...body, key: ann });
  expect([unnamed.status, unnamed.text]).toEqual([400, expect.stringContaining('name: say what')]);
  const broken = { ...body, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
  expect((await at.ask(`${path}/upload`, { ...broken, key: ann })).status).toBe(400);
  const none = await serving({ config: deskConfig({ plans }) });
  const refused = await none.ask(`${path}/upload?name=a.txt`, body);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('takes no documents')]);
});
