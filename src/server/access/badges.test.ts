import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  appWith,
  keyIn,
  serving,
  sharedAt,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};
const locked = { apps, auth: { required: true } };
const behindProxy = { ...locked, server: { proxies: ['127.0.0.1'], hosts: ['vitrine.example'] } };
const overTls = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };

type Headers = Readonly<Record<string, string>>;

/** The cookie a browser has when it has signed in. */
async function cookieOf(at: Serving, key: string, headers: Headers = {}): Promise<string> {
  const answer = await at.ask('/api/sign-in', { json: { key }, headers });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

async function statusOf(at: Serving, cookie: string, headers: Headers = {}): Promise<number> {
  return (await at.ask('/api/me', { headers: { cookie, ...headers } })).status;
}

function signOut(at: Serving, cookie: string): ReturnType<Serving['ask']> {
  return at.ask('/api/sign-out', { method: 'POST', headers: { cookie } });
}

test('[V151] a key for badges that a full disk cut off is made anew', async () => {
  const data = temporaryFolder();
  const file = join(data, 'badges.key');
  writeFileSync(file, 'abc');
  const key = keyIn(data);
  const at = await serving({ data, config: locked });
  const cookie = await cookieOf(at, key);
  expect(await statusOf(at, cookie)).toBe(200);
  const [secret] = await sharedAt(at).list({ kind: 'badge secret' });
  expect(Buffer.from(JSON.parse(secret?.value ?? '""') as string, 'base64')).toHaveLength(32);
  expect(existsSync(file)).toBe(false);
  await at.close();
  expect(await statusOf(await serving({ data, config: locked }), cookie)).toBe(200);
});

describe('[V21] a badge', () => {
  test('that was given out where nobody needed a key opens nothing once the door is locked', async () => {
    const data = temporaryFolder();
    const open = await serving({ data, config: { apps } });
    const cookie = await cookieOf(open, 'anything');
    expect(await statusOf(open, cookie)).toBe(200);
    await open.close();
    keyIn(data);
    const at = await serving({ data, config: locked });
    expect(await statusOf(at, cookie)).toBe(401);
  });

  test('that was given out for the tokens of another issuer opens nothing', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    process.env['BADGES_SECRET'] = 's'.repeat(40);
    const trusting = (issuer: string): object => ({
      apps,
      auth: { jwt: { issuer, audience: 'v', algorithms: ['HS256'], secret: { env: 'BADGES_SECRET' } } },
    });
    const first = await serving({ data, config: trusting('https://one.example') });
    const cookie = await cookieOf(first, key);
    expect(await statusOf(first, cookie)).toBe(200);
    await first.close();
    const second = await serving({ data, config: trusting('https://two.example') });
    expect(await statusOf(second, cookie)).toBe(401);
  });

  test('ends when its browser signs out: in every tab, for what is open, and over a restart', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: locked });
    const run = textAt(await at.ask('/api/runs', { key, json: { input: { text: 'x' } } }), 'run');
    const [cookie, other] = [await cookieOf(at, key), await cookieOf(at, key)];
    const tab = streamViewer({ url: at.url, path: `/api/runs/${run}/events`, headers: { cookie } });
    await tab.until((body) => body.includes('May I?'));
    expect((await signOut(at, cookie)).headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await statusOf(at, cookie)).toBe(401);
    await tab.closed;
    // Another browser of the same person has a badge of its own.
    expect(await statusOf(at, other)).toBe(200);
    await at.close();
    const again = await serving({ data, config: locked });
    expect(await statusOf(again, cookie)).toBe(401);
    expect(await statusOf(again, other)).toBe(200);
  });

  test('ended a thousand times over costs no more room than a few', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: locked });
    const cookies: string[] = [];
    for (let i = 0; i < 120; i += 1) {
      const cookie = await cookieOf(at, key);
      cookies.push(cookie);
      await signOut(at, cookie);
    }
    for (const cookie of cookies) expect(await statusOf(at, cookie)).toBe(401);
    const [person, ...others] = await sharedAt(at).list({ kind: 'signed out' });
    expect(others).toEqual([]);
    expect(person?.value.length).toBeLessThan(5_000);
    expect(await statusOf(at, await cookieOf(at, key))).toBe(200);
  });

  test('is not believed where it is no longer known who signed out', async () => {
    const data = temporaryFolder();
    keyIn(data);
    writeFileSync(join(data, 'signed-out.json'), '{"version":1,"pe');
    await expect(serving({ data, config: locked })).rejects.toThrow(/signed-out\.json.*badges\.key/);
  });
});

describe('[V27] where a proxy that is named says that TLS is spoken with it', () => {
  test('the cookie is bound to this host, a plain one does not count, and browsers come back by TLS', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: behindProxy });
    const answer = await at.ask('/api/sign-in', { json: { key }, headers: overTls });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^__Host-vitrine=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    const [badge = ''] = cookie.split(';', 1);
    expect(await statusOf(at, badge, overTls)).toBe(200);
    expect(await statusOf(at, badge.replace('__Host-', ''), overTls)).toBe(401);
    expect(
      (await at.ask('/api/none', { headers: overTls })).headers.get('strict-transport-security'),
    ).toMatch(/^max-age/);
  });

  test('a page of the same name that came without TLS may not use it', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: behindProxy });
    const { host } = new URL(at.url);
    const ask = async (origin: string): Promise<number> =>
      (await at.ask('/api/me', { key, headers: { ...overTls, origin } })).status;
    expect(await ask(`http://${host}`)).toBe(403);
    expect(await ask(`https://${host}`)).toBe(200);
  });

  test('and where anybody else says so, nothing of it is believed', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: locked });
    const answer = await at.ask('/api/sign-in', { json: { key }, headers: overTls });
    expect(answer.headers.get('set-cookie')).toMatch(/^vitrine=(?!.*Secure)/);
    expect(answer.headers.get('strict-transport-security')).toBeNull();
  });
});
