import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyIn, temporaryFolder } from '../../../test/serving.ts';
import { RunError } from '../../run/failure.ts';
import { memoryStore, type Commit } from '../../stores/memory.ts';
import { readKeys, revokeKey } from '../access/keys.ts';
import { takenOver } from './old-files.ts';

const clean = <T>(value: T): T => value;
const pinned = { seen: { pin: 'a.b', endpoint: '["node"]', description: 'd', schema: {} }, approved: 'a.b' };

/** A folder as the version before left it. */
function oldFolder(): string {
  const folder = temporaryFolder();
  keyIn(folder, { name: 'ana', tenant: 'acme' });
  keyIn(folder, { name: 'bo', tenant: 'acme', role: 'operator', expiresAt: 5 });
  keyIn(folder, { name: 'eve', tenant: 'evil' });
  const out = { until: 3, badges: { one: 4 } };
  const people = { '["acme","ana","k1"]': out, '["local","local"]': out };
  writeFileSync(join(folder, 'signed-out.json'), JSON.stringify({ version: 1, people }));
  writeFileSync(join(folder, 'badges.key'), Buffer.alloc(32, 7));
  writeFileSync(join(folder, 'mcp-pins.json'), JSON.stringify({ 'sly/look': pinned, 'old/tool': 'aa' }));
  writeFileSync(join(folder, 'preferences.json'), '{"books":{"depth":2}}');
  return folder;
}

const kinds = ['keys', 'signed out', 'badge secret', 'pins', 'app preferences'];

async function allIn(shared: Parameters<typeof readKeys>[0]) {
  const lists = await Promise.all(kinds.map((kind) => shared.list({ kind })));
  return lists
    .flat()
    .map(({ kind, tenant, name, value }) => ({ kind, tenant, name, value: JSON.parse(value) as unknown }));
}

/** A store that can be written only while there is space. */
function smallDisk() {
  const disk = { isFull: true };
  const commit = ((apply: () => unknown, operation: string) =>
    disk.isFull && operation === 'share'
      ? Promise.reject(new RunError('unavailable', 'The disk is full.'))
      : Promise.resolve(apply())) as Commit;
  return { disk, store: memoryStore({ now: () => 0, commit }) };
}

const everything = [
  { kind: 'keys', tenant: 'acme', name: '', value: [{ name: 'ana' }, { name: 'bo', expiresAt: 5 }] },
  { kind: 'keys', tenant: 'evil', name: '', value: [{ name: 'eve' }] },
  { kind: 'signed out', tenant: 'acme', name: '["ana","k1"]', value: { until: 3, badges: { one: 4 } } },
  { kind: 'signed out', tenant: 'local', name: '["local"]', value: { until: 3 } },
  { kind: 'badge secret', tenant: '', name: '', value: Buffer.alloc(32, 7).toString('base64') },
  { kind: 'pins', tenant: '', name: 'sly/look', value: pinned },
  { kind: 'app preferences', tenant: '', name: 'books', value: { depth: 2 } },
];

test('[V232] all that the files of an earlier version say is in the store, once, and they are gone', async () => {
  const folder = oldFolder();
  const { shared } = memoryStore({ now: () => 0 });
  expect(await allIn(await takenOver(shared, { folder, clean }))).toMatchObject(everything);
  expect(await allIn(shared)).toMatchObject(everything);
  expect(readdirSync(folder)).toEqual([]);
});

test('[V232] what was taken over and changed since is not undone by a file that is still there', async () => {
  const folder = oldFolder();
  const before = readFileSync(join(folder, 'keys.json'));
  const { shared } = memoryStore({ now: () => 0 });
  await takenOver(shared, { folder, clean });
  await revokeKey(shared, 'ana', 9);
  writeFileSync(join(folder, 'keys.json'), before);
  await takenOver(shared, { folder, clean });
  expect((await readKeys(shared)).find(({ name }) => name === 'ana')).toMatchObject({ revokedAt: 9 });
});

test('[V233] on a full disk the files stay and count, and what is changed once there is space has them in it', async () => {
  const folder = oldFolder();
  const { disk, store } = smallDisk();
  const files = readdirSync(folder);
  const shared = await takenOver(store.shared, { folder, clean });
  expect(await allIn(shared)).toMatchObject(everything);
  expect(readdirSync(folder)).toEqual(files);
  await expect(revokeKey(shared, 'ana', 9)).rejects.toThrow('The disk is full.');
  disk.isFull = false;
  await revokeKey(shared, 'ana', 9);
  expect(await store.shared.list({ kind: 'keys' })).toHaveLength(1);
  expect((await readKeys(shared)).map(({ name, revokedAt }) => [name, revokedAt])).toEqual([
    ['ana', 9],
    ['bo', undefined],
    ['eve', undefined],
  ]);
  await takenOver(store.shared, { folder, clean });
  expect((await readKeys(store.shared)).find(({ name }) => name === 'ana')).toMatchObject({ revokedAt: 9 });
  expect(readdirSync(folder)).toEqual([]);
});

test.for([
  ['keys.json', '{"version":1,"keys":[{}]}', /keys\.json is not a list of keys any more; restore it/],
  ['keys.json', '', /keys\.json is not a list of keys any more; restore it/],
  ['signed-out.json', '{"version":1,"pe', /signed-out\.json no longer says who signed out.*badges\.key/],
  ['mcp-pins.json', '{"a":', /The MCP pins in .* are damaged; restore the file, or delete it/],
  ['mcp-pins.json', '[]', /The MCP pins in .* are damaged/],
  ['mcp-pins.json', '{"a":1}', /The MCP pins in .* are damaged/],
] as const)('[V234] %s that says %s is an error, not an empty one, and stays', async ([name, text, why]) => {
  const folder = oldFolder();
  writeFileSync(join(folder, name), text);
  const { shared } = memoryStore({ now: () => 0 });
  await expect(takenOver(shared, { folder, clean })).rejects.toThrow(why);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  expect(await allIn(shared)).toEqual([]);
  expect(existsSync(join(folder, 'preferences.json'))).toBe(true);
});
