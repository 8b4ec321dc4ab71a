import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKeys } from '../../src/server/access/keys.ts';
import { expect, test } from 'vitest';
import { backUpFolder } from '../../src/server/compose/backup.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { appWith, keyAt, serving, temporaryFolder, textAt, untilAnswer } from '../serving.ts';
import { vitrine } from '../vitrine.ts';
import { readHighWater } from '../../src/stores/sqlite/commit.ts';

const config = { apps: { echo: appWith(async (_, text) => text, 'echo') } };

test('[Q26] a copy has a mark of its own, by which what it loses later is told', async () => {
  const [data, copy] = [temporaryFolder(), join(temporaryFolder(), 'copy')];
  const server = await serving({ data, config });
  await server.ask('/api/runs', { json: { input: { text: 'hello' } } });
  expect(backUpFolder(data, copy).problems).toEqual([]);
  expect(readHighWater(join(copy, 'high-water'))).toBeGreaterThan(1);
  expect(() => backUpFolder(data, copy)).toThrow('choose a folder that is empty');
});

test('[Q26] a copy is not made among what is there already, which stays as it was', async () => {
  const [cwd, copy] = [temporaryFolder(), temporaryFolder()];
  const data = join(cwd, 'data');
  await serving({ data, config });
  writeFileSync(join(copy, 'local.key'), 'of another folder');
  expect(await vitrine(['backup', copy, '--data', data], { cwd })).toMatchObject({
    code: 2,
    error: expect.stringContaining(`${copy} has something in it already: choose a folder that is empty.`),
  });
  expect(readdirSync(copy)).toEqual(['local.key']);
  expect(readFileSync(join(copy, 'local.key'), 'utf8')).toBe('of another folder');
});

test('[V265] a copy is not made within the folder it is a copy of', async () => {
  const data = temporaryFolder();
  await serving({ data, config });
  for (const target of [data, join(data, 'copy')])
    expect(() => backUpFolder(data, target)).toThrow('choose a folder elsewhere');
  expect(readdirSync(data)).not.toContain('copy');
});

test('[Q26] a copy is made while a server works, is its owner’s alone, and a server goes on from it', async () => {
  const cwd = temporaryFolder();
  const [data, copy] = [join(cwd, 'data'), join(cwd, 'copies', 'today')];
  const server = await serving({ data, config });
  await keyAt(server, { name: 'kept' });
  const run = textAt(await server.ask('/api/runs', { json: { input: { text: 'hello' } } }), 'run');
  const isOver = ({ json }: { json: unknown }) => (json as { status: string }).status === 'completed';
  await untilAnswer(() => server.ask(`/api/runs/${run}`), isOver);
  const made = await vitrine(['backup', copy, '--data', data], { cwd });
  expect(made).toMatchObject({ code: 0, error: '', out: expect.stringContaining('All is good') });
  expect(readdirSync(copy).toSorted()).toEqual(expect.arrayContaining(['high-water', 'vitrine.db']));
  const open = readdirSync(copy).filter((name) => (statSync(join(copy, name)).mode & 0o077) !== 0);
  expect([statSync(copy).mode & 0o777, open]).toEqual([0o700, []]);
  expect(await vitrine(['verify', '--backup', copy], { cwd })).toMatchObject({ code: 0 });
  expect(await vitrine(['backup', copy, '--data', data], { cwd })).toMatchObject({
    code: 2,
    error: expect.stringContaining('choose a folder that is empty'),
  });
  await server.close();

  const store = await sqliteStore({ folder: copy });
  expect(store.notices).toEqual([]);
  expect(await store.dispatch.get(run)).toMatchObject({ status: 'completed', damaged: null });
  expect(await readKeys(store.shared)).toMatchObject([{ name: 'kept' }]);
  await store.close();
});
