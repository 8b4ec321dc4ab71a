import { describe, expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { keyIn, serving, temporaryFolder, textAt, type Serving } from '../../../test/serving.ts';
import { routeTable } from '../routes/table.ts';

const settings = { access: { everyone: false, people: ['ann'] } };
const config = deskConfig({ plans: [planOf('single', [planStep(1, 'graph')])], settings });

const input = { text: 'What of the salary?' };

interface People {
  readonly ann: string;
  readonly bob: string;
  readonly boss: string;
}

function peopleIn(data: string): People {
  const member = (name: string): string => keyIn(data, { name, tenant: 't', role: 'member' });
  return {
    ann: member('ann'),
    bob: member('bob'),
    boss: keyIn(data, { name: 'boss', tenant: 't', role: 'operator' }),
  };
}

interface Begun {
  readonly run: string;
  readonly conversation: string;
}

async function begin(at: Serving, app: string, key: string): Promise<Begun> {
  const begun = await at.ask('/api/runs', { key, json: { app, input } });
  expect(begun.status, begun.text).toBe(201);
  return JSON.parse(begun.text) as Begun;
}

/** Whether lists tell of it, and how the run itself is answered. */
async function lookedAt(at: Serving, { run, conversation }: Begun, key: string): Promise<object> {
  const paths = ['/api/runs', '/api/runs?text=salary', '/api/conversations', '/api/sessions'];
  const listed = await Promise.all(
    paths.map(async (path) => (await at.ask(path, { key })).text.includes(run) && path),
  );
  const read = (await at.ask(`/api/runs/${run}`, { key })).status;
  const told = (await at.ask(`/api/conversations/${conversation}/documents`, { key })).status;
  return { listed: listed.filter(Boolean), read, told };
}

const nothing = { listed: [], read: 404, told: 404 };
const everything = {
  listed: expect.arrayContaining(['/api/runs', '/api/conversations']),
  read: 200,
  told: 200,
};

test('[V322] to those whom the access of an app does not name its runs are not there, by any route', async () => {
  const data = temporaryFolder();
  const { ann, bob, boss } = peopleIn(data);
  const at = await serving({ data, config: { ...config, auth: { required: true } } });
  const { run, conversation } = await begin(at, 'desk', ann);
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
    const { status, text } = await at.ask(named, { method, key: bob, ...body });
    expect([method, named, status, text.includes('salary')]).toEqual([
      method,
      named,
      expect.toSatisfy((one) => one === 404 || one === 400 || one === 403),
      false,
    ]);
    asked += status === 404 ? 1 : 0;
  }
  expect(asked).toBeGreaterThan(8);
  expect((await at.ask(`/api/runs/${run}`, { key: ann })).status).toBe(200);
});

describe('[V322] they stay hidden where the app is there no more', () => {
  test('since the configuration says nothing of it', async () => {
    const data = temporaryFolder();
    const { ann, bob, boss } = peopleIn(data);
    const auth = { required: true };
    const before = await serving({ data, config: { ...config, auth } });
    const begun = await begin(before, 'desk', ann);
    await before.close();
    const apps = Object.fromEntries(Object.values(config.apps ?? {}).map((app) => ['other', app]));
    const at = await serving({ data, config: { ...config, apps, auth } });
    expect(await lookedAt(at, begun, bob)).toEqual(nothing);
    expect(await lookedAt(at, begun, ann)).toEqual(everything);
    expect(await lookedAt(at, begun, boss)).toEqual(everything);
  });

  test.for(['archived', 'erased'])('since it was %s', async (what) => {
    const data = temporaryFolder();
    const { ann, bob, boss } = peopleIn(data);
    const at = await serving({ data, config: { ...config, auth: { required: true } } });
    const ask = (path: string, json: object) => at.ask(`/api/applications${path}`, { key: ann, json });
    const made = await ask('', {
      name: 'Pay',
      llm_links: [{ llm_id: 'planner', role: 'orchestrator' }],
      skill_links: [{ skill_id: 'graph', skill_type: 'agent', skill_name: 'Graph' }],
      welcome_prompt: 'Hello.',
      sorry_message: 'Sorry.',
      starter_questions: ['Which paths?'],
      persona_id: 'Technical Expert',
      available_for_all_users: false,
    });
    expect(made.status, made.text).toBe(201);
    expect((await ask('/pay/publish', {})).status).toBe(200);
    const begun = await begin(at, 'pay', ann);
    if (what === 'archived') expect((await ask('/pay/unpublish', {})).status).toBe(200);
    else {
      const gone = await at.ask('/api/applications/pay', { method: 'DELETE', key: ann });
      expect(gone.status, gone.text).toBe(204);
      const again = await at.ask('/api/apps', { key: bob, json: { title: 'Pay' } });
      expect(textAt(again, 'name')).toBe('pay-2');
    }
    expect(await lookedAt(at, begun, bob)).toEqual(nothing);
    expect(await lookedAt(at, begun, ann)).toEqual(everything);
    expect(await lookedAt(at, begun, boss)).toEqual(everything);
  });
});
