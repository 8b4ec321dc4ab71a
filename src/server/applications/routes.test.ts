import { describe, expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import {
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';
import type { AppDraft } from '../../wire/native/apps.ts';

const one = planOf('single', [planStep(1, 'graph')]);
const base = '/api/applications';

const whole = {
  llm_links: [{ llm_id: 'planner', role: 'orchestrator' }],
  skill_links: [{ skill_id: 'graph', skill_type: 'agent', skill_name: 'Graph' }],
  welcome_prompt: 'Hello.',
  sorry_message: 'Sorry.',
  starter_questions: ['Which paths?'],
  persona_id: 'Technical Expert',
};

async function desk(): Promise<Serving> {
  return serving({ config: deskConfig({ plans: [one] }) });
}

const patch = (at: Serving, path: string, json: object) =>
  at.ask(`${base}/${path}`, { method: 'PATCH', json });
const post = (at: Serving, path: string, json: object = {}) =>
  at.ask(path === '' ? base : `${base}/${path}`, { method: 'POST', json });

function itemsIn({ json }: Answered): string[] {
  return (json as { items: { application_id: string }[] }).items.map((item) => item.application_id);
}

describe('applications', () => {
  test('[PL60] one is made of its name, filled by parts, and published when nothing is missing', async () => {
    const at = await desk();
    const made = await post(at, '', { name: 'Field Desk' });
    expect([made.status, textAt(made, 'application_id'), textAt(made, 'status')]).toEqual([
      201,
      'field-desk',
      'draft',
    ]);
    const early = await post(at, 'field-desk/publish');
    expect(early.status).toBe(400);
    for (const lack of [
      'at least one model',
      'at least one skill',
      'a welcome prompt',
      'a sorry message',
      'starter',
      'a persona',
    ])
      expect(early.text).toContain(lack);
    const { llm_links, skill_links, welcome_prompt, sorry_message, starter_questions, persona_id } = whole;
    expect(
      (await patch(at, 'field-desk/setup', { description: 'For the field', llm_links, skill_links })).status,
    ).toBe(200);
    await patch(at, 'field-desk/context', {
      persona_id,
      guardrail_category_ids: ['pii'],
      guardrail_text: 'BLOCK: secret sauce',
    });
    await patch(at, 'field-desk/chat-config', { welcome_prompt, sorry_message, starter_questions });
    await patch(at, 'field-desk/access', { tag_ids: ['field'] });
    const ready = await at.ask(`${base}/field-desk`);
    expect(ready.json).toMatchObject({
      ...whole,
      name: 'Field Desk',
      description: 'For the field',
      guardrail_category_ids: ['pii'],
      guardrail_text: 'BLOCK: secret sauce',
      tag_ids: ['field'],
      missing: [],
    });
    expect(textAt(await post(at, 'field-desk/publish'), 'status')).toBe('published');
    const chat = await post(at, 'field-desk/chat', { message: 'Which paths?' });
    expect(textAt(chat, 'message', 'content')).toBe('three paths');
    expect(textAt(chat, 'session_metadata', 'welcome_prompt')).toBe('Hello.');
  });

  test('[PL61] what is null stays, what is published stays so, and what would be missing is refused', async () => {
    const at = await desk();
    await post(at, '', { name: 'own', ...whole });
    await post(at, 'own/publish');
    const changed = await at.ask(`${base}/own`, {
      method: 'PUT',
      json: { description: 'Better', welcome_prompt: null },
    });
    expect(changed.json).toMatchObject({
      status: 'published',
      description: 'Better',
      welcome_prompt: 'Hello.',
    });
    const emptied = await patch(at, 'own/setup', { skill_links: [] });
    expect([emptied.status, emptied.text]).toEqual([400, expect.stringContaining('at least one skill')]);
    expect(textAt(await post(at, 'own/unpublish'), 'status')).toBe('draft');
    expect((await post(at, 'own/chat', { message: 'hi' })).status).toBe(404);
    expect((await at.ask(`${base}/own`, { method: 'DELETE' })).status).toBe(204);
    expect((await at.ask(`${base}/own`)).status).toBe(404);
  });

  test('[PL84] what people meet is what is published, whatever its draft says', async () => {
    const at = await desk();
    await post(at, '', { name: 'own', ...whole, upload_enabled: true });
    await post(at, 'own/publish');
    const { app } = (await at.ask('/api/apps/own/draft')).json as AppDraft;
    const { settings } = app;
    const drafted = {
      ...settings,
      chat: { ...settings.chat, welcome: 'Not yet.' },
      retrieval: { ...settings.retrieval, uploads: false },
    };
    const json = { app: { ...app, settings: drafted } };
    expect((await at.ask('/api/apps/own/draft', { method: 'PUT', json })).status).toBe(200);
    const chat = await post(at, 'own/chat', { message: 'Which paths?' });
    expect(textAt(chat, 'session_metadata', 'welcome_prompt')).toBe('Hello.');
    const session = textAt(chat, 'session_id');
    const told = (await at.ask(`${base}/own/chat/sessions/${session}`)).json as {
      messages: { content: string }[];
    };
    expect(told.messages[0]?.content).toBe('Hello.');
    const sent = await at.ask(`${base}/own/chat/upload?name=a.md&session_id=${session}`, {
      method: 'POST',
      headers: { 'content-type': 'text/markdown' },
      body: '# A',
    });
    expect(sent.status).toBe(201);
  });

  test('[PL62] apps of the configuration and those that people made are one list, everywhere', async () => {
    const at = await desk();
    await post(at, '', { name: 'own', ...whole });
    await post(at, '', { name: 'later' });
    await post(at, 'own/publish');
    const list = await at.ask(base);
    expect(itemsIn(list).toSorted()).toEqual(['desk', 'later', 'own']);
    expect(list.json).toMatchObject({ stats: { total: 3, published: 2, draft: 1, errors: 0 } });
    expect(itemsIn(await at.ask(`${base}?status=draft`))).toEqual(['later']);
    expect(itemsIn(await at.ask(`${base}?q=own&pageSize=1`))).toEqual(['own']);
    const native = (await at.ask('/api/apps')).json as { apps: { name: string; flow: string }[] };
    expect(native.apps.map(({ name, flow }) => `${name} ${flow}`)).toEqual(['desk pipeline', 'own pipeline']);
    const models = (await at.ask('/v1/models')).json as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['desk', 'own']);
    const answer = await at.ask('/v1/chat/completions', {
      json: { model: 'own', messages: [{ role: 'user', content: 'Which paths?' }] },
    });
    expect(textAt(answer, 'choices', 0, 'message', 'content')).toContain('three paths');
  });

  test('[PL63] an application is 404 to those whom its access does not name', async () => {
    const data = temporaryFolder();
    const [ann, ben] = ['ann', 'ben'].map((name) => keyIn(data, { name, role: 'member' }));
    const at = await serving({ data, config: deskConfig({ plans: [one] }) });
    const own = { name: 'own', ...whole, available_for_all_users: false };
    await at.ask(base, { key: ann, json: own });
    await at.ask(`${base}/own/publish`, { key: ann, method: 'POST', json: {} });
    const tried = async (key: string | undefined): Promise<number[]> => [
      (await at.ask(`${base}/own`, { key })).status,
      (await at.ask(`${base}/own/chat`, { key, json: { message: 'hi' } })).status,
      (await at.ask(`${base}/own/chat/stream`, { key, json: { message: 'hi' } })).status,
      (await at.ask('/api/runs', { key, json: { app: 'own', input: { text: 'hi' } } })).status,
    ];
    expect(await tried(ann)).toEqual([200, 200, 200, 201]);
    expect(await tried(ben)).toEqual([404, 404, 404, 404]);
    expect(itemsIn(await at.ask(base, { key: ben }))).toEqual(['desk']);
    await at.ask(`${base}/own/access`, { key: ann, method: 'PATCH', json: { people: ['ben'] } });
    expect(await tried(ben)).toEqual([200, 200, 200, 201]);
  });

  test.for([
    [
      'an unknown skill',
      { skill_links: [{ skill_id: 'nobody', skill_type: 'agent' }] },
      'skill_links[0].skill_id: there is no agent «nobody»',
    ],
    [
      'a kind of skill that is none',
      { skill_links: [{ skill_id: 'graph', skill_type: 'magic' }] },
      'skill_links[0].skill_type',
    ],
    [
      'one skill twice',
      {
        skill_links: [
          { skill_id: 'graph', skill_type: 'agent' },
          { skill_id: 'graph', skill_type: 'agent' },
        ],
      },
      'skill_links[1].skill_id: «graph» stands here twice',
    ],
    [
      'an app that is not there',
      { skill_links: [{ skill_id: 'nowhere', skill_type: 'app' }] },
      'there is no app «nowhere»',
    ],
    [
      'a tool that is not there',
      { skill_links: [{ skill_id: 'hammer', skill_type: 'tool' }] },
      'there is no tool «hammer»',
    ],
    [
      'an unknown model',
      { llm_links: [{ llm_id: 'gpt', role: 'enhancer' }] },
      'llm_links (enhancer): there is no agent «gpt»',
    ],
    ['a rule that looks ahead', { guardrail_text: 'fine\nREGEX: a(?=b)' }, 'guardrail_text: line 2'],
    [
      'an unknown category',
      { guardrail_category_ids: ['spam'] },
      'guardrail_category_ids: there is no «spam»',
    ],
    ['an unknown persona', { persona_id: 'Pirate' }, 'persona_id'],
    ['an unknown source', { data_source_ids: ['web'] }, 'there is no tool «web»'],
    ['a field that is none', { colour: 'red' }, 'colour'],
  ] as const)('[PL64] refused with the field: %s', async ([, change, message]) => {
    const at = await desk();
    await post(at, '', { name: 'own' });
    const answer = await at.ask(`${base}/own`, { method: 'PUT', json: change });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
    expect(at.problems).toEqual([]);
  });

  test('[PL65] what is the configuration’s cannot be changed, and a logo is a picture', async () => {
    const at = await desk();
    expect((await patch(at, 'desk/setup', { description: 'Mine' })).status).toBe(409);
    expect((await at.ask(`${base}/desk`, { method: 'DELETE' })).status).toBe(409);
    await post(at, '', { name: 'own' });
    const logo = (body: string) =>
      at.ask(`${base}/own/logo`, { method: 'POST', body, headers: { 'content-type': 'image/png' } });
    expect((await logo('no picture')).status).toBe(400);
    expect(textAt(await logo('GIF89a…'), 'logo_url')).toMatch(/^\/api\/files\//);
  });

  test('[PL66] what an application can be made of is listed', async () => {
    const at = await desk();
    const ids = async (path: string, list: string, id: string): Promise<string[]> => {
      const { json } = await at.ask(path);
      return (Reflect.get(json as object, list) as Record<string, string>[]).map((item) => item[id] ?? '');
    };
    expect(await ids('/api/skills', 'skills', 'skill_id')).toContain('desk');
    expect(await ids('/api/skills?type=tool', 'skills', 'skill_id')).toEqual(['find', 'lookup']);
    expect(await ids('/api/llms', 'llms', 'llm_id')).toContain('planner');
    expect(await ids('/api/data-sources', 'data_sources', 'data_source_id')).toEqual(['lookup']);
    expect(await ids('/api/personas', 'personas', 'persona_id')).toHaveLength(5);
    expect(await ids('/api/guardrail-categories', 'guardrail_categories', 'name')).toEqual([
      'Compliance',
      'PII',
      'Safety',
    ]);
    await post(at, '', { name: 'own', tag_ids: ['b', 'a'] });
    expect(await ids('/api/tags', 'items', 'id')).toEqual(['a', 'b']);
  });
});
