import { describe, expect, test, vi } from 'vitest';
import { appWith, serving, temporaryFolder, textAt } from '../../../test/serving.ts';
import { openBeforeEnd, streamViewer } from '../../../test/stream.ts';
import { keyringOf } from './keyring.ts';
import { createKey, revokeKey } from './keys.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};
const isAsked = (body: string): boolean => body.includes('May I?');
const ana = { name: 'ana', tenant: 'acme', role: 'member' } as const;

test('[V62] two people of a tenant cannot have the same name, unless the key of the first is over', () => {
  const data = temporaryFolder();
  const { record } = createKey(data, { ...ana, expiresAt: 2_000 }, 1_000);
  expect(() => createKey(data, ana, 1_500)).toThrow(
    `Key ${record.id} of tenant «acme» is called «ana» already`,
  );
  createKey(data, { ...ana, tenant: 'other' }, 1_500);
  const renewed = createKey(data, ana, 2_000).record;
  expect(() => createKey(data, ana, 2_500)).toThrow('revoke that key first');
  revokeKey(data, renewed.id, 3_000);
  expect(createKey(data, ana, 3_000).record.name).toBe('ana');
});

describe('[V28] a key that has an end', () => {
  test('is good until then, and refused with a sentence afterwards', async () => {
    const data = temporaryFolder();
    const now = Date.now();
    const { key } = createKey(data, { ...ana, expiresAt: now - 1 }, now - 1_000);
    const { key: lasting } = createKey(data, { ...ana, name: 'bo', expiresAt: now + 3_600_000 }, now);
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
    createKey(data, { ...ana, name: 'bo' }, Date.now());
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    const { cookie, viewers } = await openBeforeEnd(async (milliseconds) => {
      const name = `ana ${milliseconds}`;
      const { key } = createKey(data, { ...ana, name, expiresAt: Date.now() + milliseconds }, Date.now());
      const started = await at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
      const signedIn = await at.ask('/api/sign-in', { json: { key } });
      if (started.status === 401 || signedIn.status === 401) return undefined;
      const badge = signedIn.headers.get('set-cookie') ?? '';
      const path = `/api/runs/${textAt(started, 'run')}/events`;
      const all = [{ authorization: `Bearer ${key}` }, { cookie: badge }].map((headers) =>
        streamViewer({ url: at.url, path, headers }),
      );
      for (const viewer of all) await Promise.race([viewer.until(isAsked), viewer.closed]);
      return all.every(({ body }) => isAsked(body)) ? { cookie: badge, viewers: all } : undefined;
    });
    await Promise.all(viewers.map(({ closed }) => closed));
    expect(viewers.map(({ isWhole }) => isWhole)).toEqual([false, false]);
    expect((await at.ask('/api/me', { headers: { cookie } })).status).toBe(401);
  });

  test('is no key that could open the door of a server', () => {
    const data = temporaryFolder();
    const now = vi.fn(() => 1_000);
    const { key, record } = createKey(data, { ...ana, expiresAt: 2_000 }, 500);
    const keyring = keyringOf(data, { now, problem: () => {} });
    expect([keyring.find(key)?.id, keyring.isGood(record.id), keyring.isEmpty]).toEqual([
      record.id,
      true,
      false,
    ]);
    now.mockReturnValue(2_000);
    expect(() => keyring.find(key)).toThrow('has expired');
    expect([keyring.isGood(record.id), keyring.isEmpty]).toEqual([false, true]);
  });
});
