import { expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { keyIn, serving, temporaryFolder } from '../../../test/serving.ts';
import { routeTable } from '../routes/table.ts';

const settings = { access: { everyone: false, people: ['ann'] } };
const config = deskConfig({ plans: [planOf('single', [planStep(1, 'graph')])], settings });

test('[V322] to those whom the access of an app does not name its runs are not there, by any route', async () => {
  const data = temporaryFolder();
  const [ann, bob] = ['ann', 'bob'].map((name) => keyIn(data, { name, tenant: 't', role: 'member' }));
  const boss = keyIn(data, { name: 'boss', tenant: 't', role: 'operator' });
  const at = await serving({ data, config: { ...config, auth: { required: true } } });
  const input = { text: 'What of the salary?' };
  const begun = await at.ask('/api/runs', { key: ann, json: { app: 'desk', input } });
  const { run, conversation } = JSON.parse(begun.text) as { run: string; conversation: string };
  const seen = async (path: string, key = ''): Promise<boolean> =>
    (await at.ask(path, { key })).text.includes(run);
  for (const path of ['/api/runs', '/api/runs?text=salary', '/api/runs?app=desk', '/api/conversations'])
    expect([path, await seen(path, bob), await seen(path, ann), await seen(path, boss)]).toEqual([
      path,
      false,
      true,
      true,
    ]);
  expect(await seen('/api/sessions', bob)).toBe(false);
  const json = { app: 'desk', conversation, input };
  expect((await at.ask('/api/runs', { key: bob, json })).status).toBe(404);
  let asked = 0;
  for (const { method, path, addresses } of routeTable) {
    if (addresses !== 'run' && addresses !== 'conversation') continue;
    const named = path.replace(':run', run).replace(':conversation', encodeURIComponent(conversation));
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
    const { status, text } = await at.ask(named, { method, key: bob ?? '', ...body });
    expect([method, named, status, text.includes('salary')]).toEqual([
      method,
      named,
      expect.toSatisfy((one) => one === 404 || one === 400 || one === 403),
      false,
    ]);
    asked += status === 404 ? 1 : 0;
  }
  expect(asked).toBeGreaterThan(8);
  expect((await at.ask(`/api/runs/${run}`, { key: ann ?? '' })).status).toBe(200);
});
