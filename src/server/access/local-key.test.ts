import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyIn, serving, sharedAt, temporaryFolder, type Serving } from '../../../test/serving.ts';
import { readKeys, revokeKey } from './keys.ts';
import { linkLife, signInLinks } from './sign-in-links.ts';

const asking = { config: { auth: { local: 'key' } } } as const;

function keyBeside({ data }: Serving): string {
  return readFileSync(join(data, 'local.key'), 'utf8').trim();
}

describe('[V29] a locked server without any key', () => {
  test.for([
    ['since its address is not local', { host: '0.0.0.0' }],
    ['since it is told to', { config: { auth: { required: true } } }],
    ['since a host is named', { config: { server: { hosts: ['vitrine.example'] } } }],
  ] as const)('%s, makes one for the owner of the folder, says where it is, and starts', async ([, more]) => {
    const data = temporaryFolder();
    chmodSync(data, 0o755);
    const at = await serving({ data, ...(structuredClone(more) as object) });
    const file = join(data, 'local.key');
    expect(at.server.keyFile).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const url = at.url.replace('0.0.0.0', '127.0.0.1');
    const ask = (key: string): Promise<Response> =>
      fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await fetch(`${url}/api/me`)).status).toBe(401);
    expect(await (await ask(keyBeside(at))).json()).toMatchObject({ tenant: 'local', role: 'operator' });
    // It is in that file and nowhere else: not in another file, and not in what was logged.
    for (const name of readdirSync(data).filter((each) => each !== 'local.key' && !each.endsWith('.sock')))
      expect(readFileSync(join(data, name)).includes(keyBeside(at)), name).toBe(false);
    expect(JSON.stringify(at.problems)).not.toContain(keyBeside(at));
  });

  test('makes none where there is a key already', async () => {
    const data = temporaryFolder();
    keyIn(data);
    const at = await serving({ data, config: { auth: { required: true } } });
    expect(at.server.keyFile).toBeUndefined();
    expect(existsSync(join(data, 'local.key'))).toBe(false);
  });
});

describe('[V30] [S60] «auth.local: key» on this machine', () => {
  test('lets nobody in without a key, and keeps the one it made over restarts', async () => {
    const first = await serving(asking);
    expect((await first.ask('/api/me')).status).toBe(401);
    expect((await first.ask('/api/me', { key: 'anything' })).status).toBe(401);
    const key = keyBeside(first);
    expect((await first.ask('/api/me', { key })).status).toBe(200);
    await first.close();
    const again = await serving({ ...asking, data: first.data });
    expect(keyBeside(again)).toBe(key);
    expect(await readKeys(sharedAt(again))).toHaveLength(1);
    await revokeKey(sharedAt(again), 'local', Date.now());
    await again.close();
    const third = await serving({ ...asking, data: first.data });
    expect(keyBeside(third)).not.toBe(key);
    expect((await third.ask('/api/me', { key })).status).toBe(401);
    expect((await third.ask('/api/me', { key: keyBeside(third) })).status).toBe(200);
  });

  test('hands a browser its badge by a link that is good once', async () => {
    const at = await serving(asking);
    const [address = '', ticket = ''] = at.server.link?.split('#sign-in=') ?? [];
    expect(address).toBe(`${at.url}/`);
    const present = (link: string): ReturnType<Serving['ask']> => at.ask('/api/sign-in', { json: { link } });
    expect((await present(`${ticket}x`)).status).toBe(401);
    const answer = await present(ticket);
    expect(answer.json).toMatchObject({ tenant: 'local', role: 'operator' });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect((await at.ask('/api/me', { headers: { cookie } })).status).toBe(200);
    const second = await present(ticket);
    expect(second.status).toBe(401);
    expect(second.text).toMatch(/link.*once/);
    // Its badge ends with the key of the folder.
    await revokeKey(sharedAt(at), 'local', Date.now());
    await at.server.context.door.lookAgain();
    expect((await at.ask('/api/me', { headers: { cookie } })).status).toBe(401);
  });

  test('by a link that is too old nobody comes in', () => {
    const links = signInLinks();
    const caller = { tenant: 'local', who: 'local', role: 'operator' } as const;
    const [one, other] = [links.make(caller, 0), links.make(caller, 0)];
    expect(links.take(one, linkLife - 1)).toEqual(caller);
    expect(links.take(other, linkLife)).toBeUndefined();
    expect(links.take(other, 0)).toBeUndefined();
  });
});
