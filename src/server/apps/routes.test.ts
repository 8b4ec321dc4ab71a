import { describe, expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { keyIn, serving, temporaryFolder, textAt, type Serving } from '../../../test/serving.ts';
import type { AppDraft, AppVersion, ListedApp, TriedGuards } from '../../wire/native/apps.ts';

const one = planOf('single', [planStep(1, 'graph')]);
const limits = { calls: 7 };

async function desk(): Promise<Serving> {
  const { apps = {}, ...rest } = deskConfig({ plans: [one] });
  const limited = Object.fromEntries(Object.entries(apps).map(([name, app]) => [name, { ...app, limits }]));
  return serving({ config: { ...rest, apps: limited } });
}

const whole = {
  models: { planner: 'planner' },
  skills: [{ name: 'graph', type: 'agent' }],
  persona: { preset: 'Technical Expert' },
  chat: { name: 'Field desk', welcome: 'Hello.', sorry: 'Sorry.', starters: ['Which paths?'] },
};

async function made(at: Serving, title = 'Field desk'): Promise<AppDraft> {
  const answer = await at.ask('/api/apps', { json: { title } });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as AppDraft;
}

/** Saves over the newest draft. */
function save(at: Serving, name: string, app: object) {
  return saveOver(at, name, { app });
}

function saveOver(at: Serving, name: string, json: { readonly app: object; readonly revision?: number }) {
  return at.ask(`/api/apps/${name}/draft`, { method: 'PUT', json });
}

async function listed(at: Serving): Promise<readonly ListedApp[]> {
  return ((await at.ask('/api/apps/definitions')).json as { apps: readonly ListedApp[] }).apps;
}

const post = (at: Serving, path: string, json: object = {}) => at.ask(path, { method: 'POST', json });

describe('applications as they are made', () => {
  test('[AW1] apps of the configuration and of people are one list, with their state and what was done with them', async () => {
    const at = await desk();
    const { name } = await made(at);
    expect(await listed(at)).toMatchObject([
      { name, title: 'Field desk', state: 'draft', readOnly: false, changed: true, counts: { runs: 0 } },
      { name: 'desk', state: 'published', readOnly: true, counts: { runs: 0, conversations: 0 } },
    ]);
    await save(at, name, { settings: whole });
    await post(at, `/api/apps/${name}/publish`);
    for (const conversation of ['one', 'one', 'two']) {
      const { run } = (await post(at, '/api/runs', { app: name, conversation, input: { text: 'Which?' } }))
        .json as { run: string };
      await at.ask(`/api/runs/${run}/events`);
    }
    expect(await listed(at)).toMatchObject([
      { name, state: 'published', changed: false, counts: { runs: 3, conversations: 2, skills: 1 } },
      { name: 'desk', counts: { runs: 0 } },
    ]);
    expect((await post(at, `/api/apps/${name}/archive`)).json).toMatchObject({ state: 'archived' });
    expect((await listed(at))[0]).toMatchObject({ name, state: 'archived' });
    const apps = (await at.ask('/api/apps')).text;
    expect(apps).not.toContain(name);
    expect((await post(at, `/api/apps/${name}/restore`)).json).toMatchObject({
      state: 'published',
      version: 1,
    });
    expect((await at.ask(`/api/apps/${name}`, { method: 'DELETE' })).status).toBe(204);
    expect((await listed(at)).map((app) => app.name)).toEqual(['desk']);
  });

  test('[AW2] a draft is saved over the revision that was read; what is published stays until it is published again', async () => {
    const at = await desk();
    const { name, revision } = await made(at);
    const saved = await saveOver(at, name, { app: { settings: whole }, revision });
    expect(saved.json).toMatchObject({ revision: revision + 1, lacks: [] });
    const late = await saveOver(at, name, { app: { settings: {} }, revision });
    expect([late.status, textAt(late, 'error', 'code')]).toEqual([409, 'rejected']);
    await post(at, `/api/apps/${name}/publish`, { revision: revision + 1 });
    const chat = { ...whole.chat, welcome: 'Not yet.' };
    await save(at, name, { settings: { ...whole, chat } });
    expect((await at.ask(`/api/apps/${name}/draft`)).json).toMatchObject({ version: 1, state: 'published' });
    const greeting = (): Promise<string> => at.ask('/api/apps').then(({ text }) => text);
    expect(await greeting()).toContain('"welcome":"Hello."');
    await post(at, `/api/apps/${name}/publish`);
    expect(await greeting()).toContain('"welcome":"Not yet."');
  });

  test('[AW3] what publish lacks is named, each by its field, and nothing is published until it is there', async () => {
    const at = await desk();
    const { name, lacks } = await made(at);
    const fields = lacks.map(({ field }) => field);
    expect(fields).toEqual([
      'settings.models.planner',
      'settings.skills',
      'settings.chat.welcome',
      'settings.chat.sorry',
      'settings.chat.starters',
      'settings.persona',
    ]);
    const refused = await post(at, `/api/apps/${name}/publish`);
    const { problems } = (refused.json as { error: { problems: readonly { field: string }[] } }).error;
    expect([refused.status, problems.map(({ field }) => field)]).toEqual([400, fields]);
    expect((await listed(at))[0]?.state).toBe('draft');
  });

  test('[AW11] versions say who made and who archived each, and where they differ', async () => {
    const data = temporaryFolder();
    const ann = keyIn(data, { name: 'ann', tenant: 't', role: 'member' });
    const boss = keyIn(data, { name: 'boss', tenant: 't', role: 'operator' });
    const eve = keyIn(data, { name: 'eve', tenant: 't', role: 'member' });
    const config = { ...deskConfig({ plans: [one] }), auth: { required: true } };
    const at = await serving({ data, config });
    const by = (key: string) => (path: string, json: object) => at.ask(path, { method: 'POST', key, json });
    const { name } = (await by(ann)('/api/apps', { title: 'Pay' })).json as AppDraft;
    const settings = { ...whole, access: { everyone: false, people: [] } };
    for (const welcome of ['Hello.', 'Welcome.']) {
      const app = { settings: { ...settings, chat: { ...whole.chat, welcome } } };
      await at.ask(`/api/apps/${name}/draft`, { method: 'PUT', key: ann, json: { app } });
      expect((await by(ann)(`/api/apps/${name}/publish`, {})).status).toBe(200);
    }
    await by(ann)(`/api/apps/${name}/archive`, {});
    await by(ann)(`/api/apps/${name}/restore`, {});
    const asked = async (path: string, key: string) => at.ask(`/api/apps/${name}/${path}`, { key });
    const { versions } = (await asked('versions', ann)).json as { versions: readonly AppVersion[] };
    expect(versions.map(({ version, state, by: who }) => `${version} ${state} ${who}`)).toEqual([
      '0 draft ann',
      '1 archived ann',
      '2 published ann',
    ]);
    expect(versions[2]?.moved).toMatchObject({ by: 'ann', at: expect.any(Number) });
    expect((await asked('diff?from=1&to=2', ann)).json).toEqual({
      fields: [{ path: 'settings.chat.welcome', before: 'Hello.', after: 'Welcome.' }],
    });
    expect((await asked('diff?from=1&to=9', ann)).status).toBe(404);
    for (const key of [eve, boss])
      for (const path of ['versions', 'diff?from=1&to=2']) expect((await asked(path, key)).status).toBe(404);
  });

  test('[AW2] an app of the configuration is cloned whole, and is not changed itself', async () => {
    const at = await desk();
    const clone = (await post(at, '/api/apps/desk/clone', { title: 'Another desk' })).json as AppDraft;
    const { app } = (await at.ask('/api/apps/desk/draft')).json as AppDraft;
    expect(clone).toMatchObject({ name: 'another-desk', state: 'draft', readOnly: false, lacks: [] });
    expect(clone.app.settings).toEqual({
      ...app.settings,
      chat: { ...app.settings.chat, name: 'Another desk' },
    });
    await save(at, clone.name, clone.app);
    await post(at, `/api/apps/${clone.name}/publish`);
    const { run } = (await post(at, '/api/runs', { app: clone.name, input: { text: 'Which?' } })).json as {
      run: string;
    };
    expect((await at.ask(`/api/runs/${run}/entries`)).text).toContain('"calls":7');
    for (const path of ['archive', 'restore', 'publish'])
      expect((await post(at, `/api/apps/desk/${path}`)).status, path).toBe(409);
    expect((await save(at, 'desk', app)).status).toBe(409);
    expect((await at.ask('/api/apps/desk', { method: 'DELETE' })).status).toBe(409);
  });
});

describe('guards that are tried', () => {
  const guardsTried = async (at: Serving, guards: readonly object[], side = 'input') =>
    (await post(at, '/api/guards/try', { guards, side, text })).json as TriedGuards;
  const text = 'Write to ann@example.org about Project Nightjar, not KX-1234, and no bribes.';

  test('[AW4] what they find is told by its place, guard, action and line, and what would pass', async () => {
    const at = await desk();
    const rules = { guard: 'rules', text: '# names\nProject Nightjar\n\nREGEX: KX-\\d{4}', action: 'ask' };
    const tried = await guardsTried(at, [{ guard: 'pii', action: 'redact' }, rules]);
    const told = tried.findings.map(({ start, end, ...rest }) => ({ at: text.slice(start, end), ...rest }));
    expect(told).toEqual([
      { at: 'ann@example.org', guard: 'pii', category: 'email', action: 'redact' },
      { at: 'Project Nightjar', guard: 'rules', category: 'rule 2', action: 'ask', line: 2 },
      { at: 'KX-1234', guard: 'rules', category: 'rule 4', action: 'ask', line: 4 },
    ]);
    expect(tried).toMatchObject({
      verdict: 'ask',
      text: 'Write to [email] about [rule 2], not [rule 4], and no bribes.',
      unasked: [],
    });
    const judged = await guardsTried(at, [{ guard: 'judge', agent: 'graph' }], 'output');
    expect(judged).toEqual({ text, verdict: 'pass', findings: [], unasked: ['graph'] });
    const ended = await guardsTried(at, [{ guard: 'rules', text: 'BLOCK: example.org\nbribes' }]);
    expect(ended.findings.map(({ line }) => line)).toEqual([1]);
    expect([ended.verdict, ended.text]).toEqual(['block', 'Write to ann@[blocked: rule 1]']);
  });

  test('[AW5] a rule that cannot be read is refused with its field and line, tried or saved', async () => {
    const at = await desk();
    const bad = { guard: 'rules', text: 'fine\nREGEX: (?=x)y' };
    const { name } = await made(at);
    const answers = [
      await post(at, '/api/guards/try', { guards: [{ guard: 'pii' }, bad], side: 'input', text }),
      await save(at, name, { settings: whole, guards: { input: [], output: [{ guard: 'pii' }, bad] } }),
    ];
    const fields = ['guards.1.text', 'guards.output.1.text'];
    for (const [i, { status, json }] of answers.entries()) {
      const { problems } = (json as { error: { problems: readonly object[] } }).error;
      expect([status, problems]).toMatchObject([
        400,
        [{ field: fields[i], problem: expect.stringMatching(/^line 2: /) }],
      ]);
    }
    expect((await at.ask(`/api/apps/${name}/draft`)).json).toMatchObject({ revision: 1 });
    const long = await post(at, '/api/guards/try', { guards: [], side: 'input', text: 'x'.repeat(10_001) });
    expect([long.status, textAt(long, 'error', 'message')]).toMatchObject([
      400,
      expect.stringContaining('text'),
    ]);
  });

  test('[AW4] viewers may not', async () => {
    const data = temporaryFolder();
    const key = keyIn(data, { name: 'vic', tenant: 'acme', role: 'viewer' });
    const at = await serving({ data, config: { ...deskConfig({ plans: [one] }), auth: { required: true } } });
    const trial = { guards: [], side: 'input', text };
    expect((await at.ask('/api/guards/try', { key, json: trial })).status).toBe(403);
    expect((await at.ask('/api/apps', { key, json: { title: 'Mine' } })).status).toBe(403);
    expect((await at.ask('/api/apps/definitions', { key })).status).toBe(200);
  });
});
