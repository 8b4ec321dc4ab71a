import { describe, expect, test, vi } from 'vitest';
import { appWith, keyAt, keyIn, serving, temporaryFolder, textAt } from '../../../test/serving.ts';
import { openBeforeEnd, streamViewer } from '../../../test/stream.ts';
import { SoonDatabase } from '../../../test/database/soon.ts';
import { databaseStore } from '../../stores/database.ts';
import { keyringOf } from './keyring.ts';
import { memoryStore } from '../../stores/memory.ts';
import { createKey, readKeys, revokeKey } from './keys.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};
const isAsked = (body: string): boolean => body.includes('May I?');
const ana = { name: 'ana', tenant: 'acme', role: 'member' } as const;

test('[V62] two people of a tenant cannot have the same name, unless the key of the first is over', async () => {
  const { shared } = memoryStore({ now: () => 0 });
  const { record } = await createKey(shared, { ...ana, expiresAt: 2_000 }, 1_000);
  await expect(createKey(shared, ana, 1_500)).rejects.toThrow(
    `Key ${record.id} of tenant «acme» is called «ana» already`,
  );
  await createKey(shared, { ...ana, tenant: 'other' }, 1_500);
  const renewed = (await createKey(shared, ana, 2_000)).record;
  await expect(createKey(shared, ana, 2_500)).rejects.toThrow('revoke that key first');
  expect(await revokeKey(shared, renewed.id, 3_000)).toEqual({ ...renewed, revokedAt: 3_000 });
  await expect(revokeKey(shared, renewed.id, 4_000)).rejects.toThrow('no single key');
  expect((await createKey(shared, ana, 3_000)).record.name).toBe('ana');
});

test('[V230] of many who change the keys at once nobody undoes what another did, and a name is had once', async () => {
  const { shared } = memoryStore({ now: () => 0 });
  await createKey(shared, { ...ana, name: 'gone' }, 1);
  const twins = Array.from({ length: 3 }, () => createKey(shared, { ...ana, name: 'twin' }, 2));
  const outcomes = await Promise.allSettled([
    ...twins,
    revokeKey(shared, 'gone', 2),
    ...['a', 'b', 'c', 'd'].map((name) => createKey(shared, { ...ana, name }, 2)),
  ]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  const kept = await readKeys(shared);
  expect(kept.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'd', 'gone', 'twin']);
  expect(kept.find(({ name }) => name === 'gone')).toMatchObject({ revokedAt: 2 });
});

describe('[V28] a key that has an end', () => {
  test('is good until then, and refused with a sentence afterwards', async () => {
    const data = temporaryFolder();
    const now = Date.now();
    const key = keyIn(data, { ...ana, expiresAt: now - 1 });
    const lasting = keyIn(data, { ...ana, name: 'bo', expiresAt: now + 3_600_000 });
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    expect((await at.ask('/api/me', { key: lasting })).status).toBe(200);
    for (const answer of [
      await at.ask('/api/me', { key }),
      await at.ask('/api/sign-in', { json: { key } }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.text).toMatch(/This key has expired on \d{4}-\d\d-\d\d: ask for another/);
    }
    // Whoever has only the first half of it learns nothing.
    const guessed = `${key.slice(0, 17)}${'a'.repeat(43)}`;
    expect((await at.ask('/api/me', { key: guessed })).text).not.toContain('expired');
  });

  test('closes what it has open when it ends, also what its badge has', async () => {
    const data = temporaryFolder();
    keyIn(data, { ...ana, name: 'bo' });
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    const { cookie, viewers } = await openBeforeEnd(async (milliseconds) => {
      const name = `ana ${milliseconds}`;
      const key = await keyAt(at, { ...ana, name, expiresAt: Date.now() + milliseconds });
      const started = await at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
      const signedIn = await at.ask('/api/sign-in', { json: { key } });
      if (started.status === 401 || signedIn.status === 401) return undefined;
      const badge = signedIn.headers.get('set-cookie') ?? '';
      const path = `/api/runs/${textAt(started, 'run')}/events`;
      const ways: Record<string, string>[] = [{ authorization: `Bearer ${key}` }, { cookie: badge }];
      const all = ways.map((headers) => streamViewer({ url: at.url, path, headers }));
      for (const viewer of all) await Promise.race([viewer.until(isAsked), viewer.closed]);
      return all.every(({ body }) => isAsked(body)) ? { cookie: badge, viewers: all } : undefined;
    });
    await Promise.all(viewers.map(({ closed }) => closed));
    expect(viewers.map(({ isWhole }) => isWhole)).toEqual([false, false]);
    expect((await at.ask('/api/me', { headers: { cookie } })).status).toBe(401);
  });

  test('is no key that could open the door of a server', async () => {
    const store = memoryStore({ now: () => 0 });
    const now = vi.fn(() => 1_000);
    const { key, record } = await createKey(store.shared, { ...ana, expiresAt: 2_000 }, 500);
    const keyring = await keyringOf(store, { now });
    expect([(await keyring.find(key))?.id, keyring.isGood(record.id), keyring.isEmpty]).toEqual([
      record.id,
      true,
      false,
    ]);
    now.mockReturnValue(2_000);
    await expect(keyring.find(key)).rejects.toThrow('has expired');
    expect([keyring.isGood(record.id), keyring.isEmpty]).toEqual([false, true]);
  });
});

test('[V231] a key that another process made or revoked is known once its hint is heard, and without one soon', async () => {
  const database = new SoonDatabase();
  const [one, other] = [databaseStore(database.of('one')), databaseStore(database.of('other'))];
  const deaf = { shared: other.shared, listen: () => () => {} };
  let now = 10_000;
  const rings = await Promise.all([other, deaf].map((store) => keyringOf(store, { now: () => now })));
  const { key, record } = await createKey(one.shared, ana, 1);
  for (const ring of rings) expect((await ring.find(key))?.id).toBe(record.id);
  await revokeKey(one.shared, 'ana', 2);
  await vi.waitFor(() => expect(rings[0]?.isGood(record.id)).toBe(false));
  expect(rings[1]?.isGood(record.id)).toBe(true);
  await rings[1]?.lookAgain();
  expect(rings[1]?.isGood(record.id)).toBe(false);
  // Whoever guesses keys has them looked for once a second, whatever they guess.
  const list = vi.spyOn(deaf.shared, 'list');
  now += 1_000;
  for (let i = 0; i < 5; i += 1) await rings[1]?.find(`vit_00000000000${i}_${'a'.repeat(43)}`);
  expect(list).toHaveBeenCalledTimes(1);
});
