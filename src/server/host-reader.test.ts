import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyIn, serving, temporaryFolder } from '../../test/serving.ts';
import { flowOf, toolOf } from '../../test/world.ts';
import { ask, askFor, type ServerAddress } from '../client/ask.ts';
import { vitrineClient } from '../client/client.ts';
import { listTenants, readHolder } from '../wire/native/folder.ts';
import { exportRun } from '../wire/native/runs.ts';
import { ownersWayFor } from './access/owners-way.ts';
import { hostReader } from './host-reader.ts';
import { fetchWithin } from './http/in-process.ts';

const never = toolOf('never', () => new Promise(() => {}));
const begins = flowOf(async (scope) => {
  await scope.call('never', {});
  return '';
}, 'begins');
const says = flowOf(async (_, text) => `you said ${text}`, 'says');

/** A folder with a run that has ended, one that was left, and one of another tenant. */
async function leftBehind(): Promise<{ readonly data: string; readonly runs: readonly string[] }> {
  const data = temporaryFolder();
  const other = keyIn(data, { name: 'eve', tenant: 'elsewhere' });
  const key = keyIn(data, { name: 'ada' });
  const apps = { says: { flow: says, preferences: { depth: 1 } }, begins: { flow: begins } };
  const at = await serving({
    data,
    config: { tools: [never], apps, auth: { required: true }, server: { grace: 0 } },
  });
  const client = vitrineClient({ url: at.url, key });
  const { run: ended } = await client.start({ app: 'says', text: 'a' });
  for await (const _ of client.entries(ended));
  const { run: left } = await client.start({ app: 'begins', text: 'b' });
  for await (const { event } of client.entries(left)) if (event.type === 'step.opened') break;
  await vitrineClient({ url: at.url, key: other }).start({ app: 'says', text: 'c' });
  await at.close();
  return { data, runs: [left, ended] };
}

async function reading(data: string, tenant?: string) {
  const hosted = await hostReader(data);
  const fetch = fetchWithin(hosted.app.server, hosted.ways, ownersWayFor(tenant));
  const server: ServerAddress = { url: 'http://localhost', fetch };
  return { server, client: vitrineClient(server), close: () => hosted.close() };
}

test('[Z14] a folder that nobody has is read by the same API: lists, trees, entries, whose runs there are', async () => {
  const { data, runs } = await leftBehind();
  const { server, client, close } = await reading(data);
  const page = await client.runs();
  expect(page.runs.map(({ run, left }) => [run, left])).toEqual([
    [runs[0], true],
    [runs[1], undefined],
  ]);
  expect(await client.tree(runs[1] ?? '')).toMatchObject({ status: 'completed', answer: 'you said a' });
  const types: string[] = [];
  for await (const { event } of client.entries(runs[1] ?? '')) types.push(event.type);
  expect(types.at(-1)).toBe('run.ended');
  const exported = await ask(server, exportRun, { of: { run: runs[1] ?? '' } });
  expect(await exported.text()).toContain(`"run":"${runs[1]}"`);
  expect((await askFor(server, listTenants, {})).tenants).toEqual([
    { tenant: 'local', runs: 2 },
    { tenant: 'elsewhere', runs: 1 },
  ]);
  await close();
  const theirs = await reading(data, 'elsewhere');
  expect((await theirs.client.runs()).runs).toHaveLength(1);
  await theirs.close();
});

test('[Z14] nothing can be asked of it that changes something, and nothing of it is left in the folder', async () => {
  const { data, runs } = await leftBehind();
  const before = readdirSync(data).filter((name) => !/-(shm|wal)$/.test(name));
  const { server, client, close } = await reading(data);
  expect((await askFor(server, readHolder, {})).apps).toEqual([]);
  const bytes = new Uint8Array([1]);
  await expect(client.upload({ name: 'a', type: 'text/plain', content: bytes })).rejects.toMatchObject({
    failure: { code: 'unavailable', message: expect.stringContaining('only read here') },
  });
  await expect(client.stop(runs[0] ?? '')).rejects.toMatchObject({ failure: { code: 'unknown' } });
  expect((await client.runs()).runs[0]).toMatchObject({ status: 'running' });
  expect(readdirSync(data).filter((name) => !/-(shm|wal)$/.test(name))).toEqual(before);
  await close();
});
