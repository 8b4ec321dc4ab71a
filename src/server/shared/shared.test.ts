import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appWith, keyAt, serving, textAt, type Answered, type Serving } from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';
import { vitrine } from '../../../test/vitrine.ts';
import { readConfig } from '../../catalog/config.ts';

const apps = {
  deep: {
    ...appWith(async (scope) => {
      await scope.step({ key: 'outer', title: 'Outer' }, (outer) =>
        outer.step({ key: 'inner', title: 'Inner' }, async (inner) => inner.say('deep')),
      );
      return 'done';
    }, 'deep'),
    preferences: { depth: 2 },
  },
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};
const locked = { apps, auth: { required: true }, defaultApp: 'deep' };

function titles({ json }: Answered): readonly string[] {
  return (json as { steps: readonly { title: string }[] }).steps.map(({ title }) => title);
}

function prefer(at: Serving, key: string, json: object): Promise<Answered> {
  return at.ask('/api/me/preferences', { method: 'PUT', key, json });
}

test('[V235] what somebody prefers is shown to them and nobody else, at every process, unless they ask for something else', async () => {
  const at = await serving({ config: locked });
  const [ann, bob] = [await keyAt(at, { name: 'ann' }), await keyAt(at, { name: 'bob' })];
  const eve = await keyAt(at, { name: 'ann', tenant: 'evil' });
  const run = textAt(await at.ask('/api/runs', { key: ann, json: { input: { text: 'x' } } }), 'run');
  const seen = async (key: string, query = '') => titles(await at.ask(`/api/runs/${run}${query}`, { key }));
  await at.ask(`/api/runs/${run}/events`, { key: ann });
  expect(await seen(ann)).toContain('Inner');
  expect((await at.ask('/api/me/preferences', { key: ann })).json).toEqual({});
  expect((await prefer(at, ann, { depth: 1 })).json).toEqual({ depth: 1 });
  expect(await seen(ann)).toContain('Outer');
  expect(await seen(ann)).not.toContain('Inner');
  expect((await at.ask(`/api/runs/${run}/events`, { key: ann })).text).not.toContain('"Inner"');
  expect(await seen(ann, '?depth=*')).toContain('Inner');
  for (const other of [bob, eve])
    expect((await at.ask('/api/me/preferences', { key: other })).json).toEqual({});
  expect(await seen(bob)).toContain('Inner');
  await at.close();
  const again = await serving({ data: at.data, config: locked });
  expect((await again.ask('/api/me/preferences', { key: ann })).json).toEqual({ depth: 1 });
  expect((await prefer(again, ann, {})).status).toBe(200);
  expect((await again.ask('/api/me/preferences', { key: ann })).json).toEqual({});
});

test.for([
  ['null', 'must be an object, not null'],
  ['', 'is missing; give an object'],
] as const)('[V235] what is no preferences (%j) takes the place of none', async ([body, says]) => {
  const at = await serving({ config: { apps } });
  const preferences = (asking: object) => at.ask('/api/me/preferences', asking);
  await preferences({ method: 'PUT', json: { depth: 1 } });
  const headers = { 'content-type': 'application/json' };
  const refused = await preferences({ method: 'PUT', body, headers });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(says)]);
  expect((await preferences({})).json).toEqual({ depth: 1 });
});

test.for([
  [{ depth: -1 }, /depth/],
  [{ stages: 'sideways' }, /stages/],
  [{ names: Array.from({ length: 101 }, () => 'x') }, /names/],
  [{ theme: 'dark' }, /theme/],
] as const)('[V235] preferences that make no sense (%j) are refused by name', async ([json, field]) => {
  const at = await serving({ config: { apps } });
  const answer = await prefer(at, 'anything', json);
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(field)]);
});

test('[V236] whoever watches a run that another process erases gets nothing more, and nobody finds it', async () => {
  const at = await serving({ config: { apps } });
  const started = await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'x' } } });
  const run = textAt(started, 'run');
  const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events` });
  await viewer.until((body) => body.includes('May I?'));
  await at.server.context.home.store.dispatch.erase(run);
  await viewer.closed;
  expect(at.server.context.channels.count()).toMatchObject({ viewers: 0, channels: 0 });
  for (const path of [`/api/runs/${run}`, `/api/runs/${run}/events`])
    expect((await at.ask(path)).status).toBe(404);
});

test('[V237] «store: memory» keeps nothing, says so, and its keys are made and listed like any others', async () => {
  const at = await serving({ config: { ...locked, store: 'memory' } });
  expect(at.server.context.home.notices.join()).toContain('nothing survives this process');
  const made = await vitrine(['keys', 'create', 'zoe', '--data', at.data], { cwd: at.data });
  expect((await at.ask('/api/me', { key: made.out.trim() })).json).toMatchObject({ who: 'zoe' });
  const listed = await vitrine(['keys', 'list', '--data', at.data], { cwd: at.data });
  expect(listed.out).toContain('zoe');
  await expect(serving({ data: at.data, config: locked })).rejects.toThrow(/is in use by process/);
  await at.close();
  expect(existsSync(join(at.data, 'vitrine.db'))).toBe(false);
  const again = await serving({ data: at.data, config: { ...locked, store: 'memory' } });
  expect((await again.ask('/api/me', { key: made.out.trim() })).status).toBe(401);
});

test('[V237] a store that is not there yet, or is none, is refused with what to write', () => {
  expect(() => readConfig({ store: 'postgres' }, 'v.json')).toThrow(
    'store: «postgres» comes with a later version: leave «store» away to keep everything in the data folder',
  );
  expect(() => readConfig({ store: 'disk' }, 'v.json')).toThrow('store: must be «sqlite» or «memory»');
});
