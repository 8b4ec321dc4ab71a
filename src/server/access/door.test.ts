import type { Failure } from '../../run/failure.ts';
import crypto from 'node:crypto';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import {
  appWith,
  temporaryFolder,
  keyAt,
  keyIn,
  serving,
  sharedAt,
  shareServing,
  textAt,
  type Serving,
} from '../../../test/serving.ts';
import { readConfig } from '../../catalog/config.ts';
import { streamViewer } from '../../../test/stream.ts';
import { routeTable } from '../routes/table.ts';
import { revokeKey } from './keys.ts';
import { lockOf } from './honest.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

const bare = { host: '127.0.0.1', hosts: [], origins: [], proxies: [] };

async function locked(more: object = {}): Promise<Serving & { readonly key: string }> {
  const data = temporaryFolder();
  const key = keyIn(data);
  const at = await serving({ data, config: { apps, auth: { required: true }, ...more } });
  return { ...at, key };
}

describe('on this machine', () => {
  let at: Serving;
  beforeAll(() =>
    shareServing(async () => {
      at = await serving({ config: { apps } });
    }),
  );

  test('nobody needs a key, and any key is accepted', async () => {
    for (const key of [undefined, 'anything', 'vit_000000000000_nonsense'])
      expect((await at.ask('/api/me', key === undefined ? {} : { key })).json).toMatchObject({
        tenant: 'local',
      });
  });

  test('[S60] others are not let in without a key', async () => {
    const at = await serving({ host: '0.0.0.0' });
    const url = at.url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${url}/api/runs`)).status).toBe(401);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', '0', '::ffff:127.0.0.1'])
      expect(lockOf({}, { ...bare, host }).isLocked, host).toBe(true);
    for (const host of ['127.0.0.1', '127.8.9.10', '::1', '[::1]', 'localhost'])
      expect(lockOf({}, { ...bare, host }).isLocked, host).toBe(false);
  });

  test('[S60] that is where it listens unless it is told otherwise, and anybody else finds nothing', async () => {
    expect(readConfig({}, 'x').server).toMatchObject({
      host: '127.0.0.1',
      port: 4_177,
      hosts: [],
      origins: [],
    });
    expect(new URL(at.url).hostname).toBe('127.0.0.1');
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one?.family === 'IPv4' && !one.internal);
    for (const one of others) {
      const url = at.url.replace('127.0.0.1', one?.address ?? '');
      await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    }
  });

  test.for(['evil.example', 'evil.example:4177', '127.0.0.1.evil.example', 'localhost.', '[::2]', '', 'a b'])(
    '[S12] a request to «%s» is not for us',
    async (host) => {
      const answer = await raw(
        at.url,
        `GET /api/runs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 (403|400) /);
    },
  );

  test.for([
    ['a foreign site', { origin: 'https://evil.example' }, 403],
    ['a site without a name', { origin: 'null' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['a picture on a foreign page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['a page of its own', { 'sec-fetch-site': 'same-origin' }, 200],
  ] as const)('[S11] [S14] for %s the answer is right', async ([, headers, status]) => {
    const answer = await at.ask('/api/runs', { headers });
    expect(answer.status).toBe(status);
    // A refusal may be read by whoever caused it, an answer by nobody else.
    expect(answer.headers.get('access-control-allow-origin')).toBe('origin' in headers ? '*' : null);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('[V87] a page that is not named can ask, reads why it may not, and reaches nothing', async () => {
    const origin = 'https://evil.example';
    const asking = { origin, 'access-control-request-method': 'POST' };
    const preflight = await at.ask('/api/runs', { method: 'OPTIONS', headers: asking });
    expect([preflight.status, preflight.text]).toEqual([204, '']);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const message = `The site «${origin}» may not use this server: name it in «server.origins».`;
    for (const { method, path, errorBody = (error: Failure): unknown => ({ error }) } of routeTable) {
      if (method === 'WS') continue;
      const json = method === 'POST' ? { json: { input: { text: 'x' } } } : {};
      const refused = await at.ask(path, { method, headers: { origin }, ...json });
      expect(refused.status).toBe(403);
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
      expect(refused.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(refused.json).toEqual(errorBody({ code: 'refused', message }));
    }
    expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [] });
  });

  test('[V87] what is not asked by a page tells pages nothing', async () => {
    const others: Record<string, string>[] = [{}, { 'sec-fetch-site': 'cross-site' }, { origin: at.url }];
    for (const headers of others) {
      const answer = await at.ask('/api/runs', { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const rebound = await raw(
      at.url,
      'GET /api/runs HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(rebound).toMatch(/^HTTP\/1\.1 403 /);
    expect(rebound.toLowerCase()).not.toContain('access-control-allow-origin');
  });

  test('[S11] a form cannot start anything', async () => {
    const body = '{"input":{"text":"x"}}';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expect((await at.ask('/api/runs', { body, headers: { 'content-type': type } })).status).toBe(400);
    expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [] });
  });

  test('a link from elsewhere opens the page, and nothing else', async () => {
    const from = `Host: ${new URL(at.url).host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nConnection: close`;
    expect(await raw(at.url, `GET / HTTP/1.1\r\n${from}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    const post = `POST /api/runs HTTP/1.1\r\n${from}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    expect(await raw(at.url, post)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('[S14] a site that the configuration names may use it', async () => {
    const origin = 'https://app.example';
    const at = await serving({ config: { apps, server: { origins: [origin] } } });
    const key = await keyAt(at);
    const answer = await at.ask('/api/runs', { key, headers: { origin, 'sec-fetch-site': 'cross-site' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toContain('Origin');
    expect((await at.ask('/api/runs', { method: 'OPTIONS', headers: { origin } })).status).toBe(204);
    for (const other of [
      'https://evil.example',
      'https://app.example.evil.example',
      'http://app.example',
      'null',
    ])
      for (const method of ['GET', 'OPTIONS']) {
        const refused = await at.ask('/api/runs', { key, method, headers: { origin: other } });
        expect(refused.status).toBe(method === 'GET' ? 403 : 204);
        expect(refused.headers.get('access-control-allow-origin')).toBe('*');
        expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
      }
  });

  test.for([
    ['foreign', 'https://evil.example', '403'],
    ['null', 'null', '403'],
    ['its own', undefined, 'opens'],
  ] as const)('[S13] a socket whose origin is %s is judged', async ([, origin, fate]) => {
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
    const own = origin ?? at.url;
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/runs/${run}`, { origin: own });
    const outcome = await new Promise<string>((resolve) => {
      socket.on('open', () => resolve('opens'));
      socket.on('error', ({ message }) => resolve(message));
    });
    socket.terminate();
    expect(outcome).toContain(fate);
  });
});

describe('a socket', () => {
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

  let starters = 0;
  async function asked(at: Serving, lines: string): Promise<string> {
    const key = await keyAt(at, { name: `starter ${(starters += 1)}` });
    const run = textAt(await at.ask('/api/runs', { key, json: { input: { text: 'x' } } }), 'run');
    return raw(at.url, `GET /ws/runs/${run} HTTP/1.1\r\n${upgrade}${lines}\r\n`, 'HTTP/1.1 101');
  }

  test('[S13] without an origin is let in with a key, and not with a cookie', async () => {
    const at = await locked();
    const host = `Host: ${new URL(at.url).host}\r\n`;
    const signedIn = await at.ask('/api/sign-in', { json: { key: at.key } });
    const cookie = `Cookie: ${signedIn.headers.get('set-cookie')?.split(';', 1)[0]}\r\n`;
    const own = `Origin: ${at.url}\r\n`;
    expect(await asked(at, `${host}Authorization: Bearer ${at.key}\r\n`)).toMatch(/^HTTP\/1\.1 101 /);
    expect(await asked(at, `${host}${cookie}${own}`)).toMatch(/^HTTP\/1\.1 101 /);
    expect(await asked(at, `${host}${cookie}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await asked(at, `${host}${cookie}Origin: null\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await asked(at, `${host}${own}`)).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('[S12] [S53] to another name, or to two, is not for us', async () => {
    const at = await serving({ config: { apps } });
    const host = `Host: ${new URL(at.url).host}\r\n`;
    expect(await asked(at, 'Host: evil.example\r\n')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await asked(at, `${host}Host: evil.example\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('keys', () => {
  test('[S02] are kept as hashes, for the owner of the folder alone', async () => {
    const at = await locked();
    const key = await keyAt(at, { name: 'kept' });
    await at.close();
    const files = readdirSync(at.data).filter((name) => !name.endsWith('.sock'));
    const kept = files.map((name) => readFileSync(join(at.data, name), 'latin1')).join('\n');
    expect(kept).not.toContain(key.slice('vit_'.length + 12 + 1));
    expect(kept).toContain(createHash('sha256').update(key).digest('hex'));
    expect(statSync(join(at.data, 'vitrine.db')).mode & 0o777).toBe(0o600);
  });

  test('[S03] are compared in a time that tells nothing about them', async () => {
    const at = await locked();
    const { timingSafeEqual } = crypto;
    let compared = 0;
    crypto.timingSafeEqual = (one, other) => {
      compared += 1;
      return timingSafeEqual(one, other);
    };
    syncBuiltinESMExports();
    onTestFinished(() => {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    });
    // Right but for one letter, wherever it is: each is compared whole, by its digest.
    for (const i of [20, 40, at.key.length - 1]) {
      const wrong = `${at.key.slice(0, i)}${at.key[i] === 'a' ? 'b' : 'a'}${at.key.slice(i + 1)}`;
      expect((await at.ask('/api/me', { key: wrong })).status).toBe(401);
    }
    expect((await at.ask('/api/me', { key: at.key })).status).toBe(200);
    expect(compared).toBe(4);
  });

  test('let their holder in, and nobody else', async () => {
    const at = await locked();
    expect((await at.ask('/api/me', { key: at.key })).json).toEqual({
      tenant: 'local',
      who: 'someone',
      role: 'member',
    });
    const wrong = [`${at.key}x`, at.key.slice(0, -1), at.key.toUpperCase(), 'vit_', '', 'null'];
    for (const key of wrong) expect((await at.ask('/api/me', { key })).status).toBe(401);
    const headers = [
      { authorization: at.key },
      { authorization: `Basic ${at.key}` },
      { authorization: 'Bearer' },
    ];
    for (const header of headers) expect((await at.ask('/api/me', { headers: header })).status).toBe(401);
  });

  test('that were made a moment ago are good, and of a role that may not act are refused', async () => {
    const at = await locked();
    const key = await keyAt(at, { name: 'ann', role: 'viewer' });
    expect((await at.ask('/api/runs', { key })).status).toBe(200);
    const refused = await at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
    expect(refused.status).toBe(403);
    expect((await at.ask('/metrics', { key: at.key })).status).toBe(403);
    expect(
      (await at.ask('/metrics', { key: await keyAt(at, { name: 'oli', role: 'operator' }) })).status,
    ).toBe(200);
  });

  test('[S09] that are revoked close what they have open', async () => {
    const at = await locked();
    const run = textAt(await at.ask('/api/runs', { key: at.key, json: { input: { text: 'x' } } }), 'run');
    const other = await keyAt(at, { name: 'other' });
    const watch = (key: string) =>
      streamViewer({
        url: at.url,
        path: `/api/runs/${run}/events`,
        headers: { authorization: `Bearer ${key}` },
      });
    const [mine, theirs] = [watch(at.key), watch(other)];
    await Promise.all([mine, theirs].map((viewer) => viewer.until((body) => body.includes('May I?'))));
    const cookie = (await at.ask('/api/sign-in', { json: { key: at.key } })).headers.get('set-cookie') ?? '';
    const signedIn = streamViewer({ url: at.url, path: `/api/runs/${run}/events`, headers: { cookie } });
    await signedIn.until((body) => body.includes('May I?'));
    const sockets = [at.key, other].map((key) => socketWith(`/ws/runs/${run}`, { at, key }));
    await Promise.all(sockets.map(({ opened }) => opened));
    await revokeKey(sharedAt(at), 'someone', Date.now());
    await Promise.all([mine.closed, signedIn.closed, sockets[0]?.closed]);
    expect(sockets[1]?.socket.readyState).toBe(WebSocket.OPEN);
    sockets[1]?.socket.terminate();
    expect(theirs.socket.destroyed).toBe(false);
    expect((await at.ask('/api/me', { key: at.key })).status).toBe(401);
    expect((await at.ask('/api/me', { key: other })).status).toBe(200);
    theirs.socket.destroy();
  });
});

describe('a browser', () => {
  test('signs in with a key and carries a cookie that no script reads and no other site sends', async () => {
    const at = await locked();
    const bad = await at.ask('/api/sign-in', { json: { key: 'vit_wrong' } });
    expect(bad.status).toBe(401);
    const answer = await at.ask('/api/sign-in', { json: { key: at.key } });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^vitrine=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(at.key);
    const headers = { cookie: cookie.split(';', 1)[0] ?? '' };
    expect((await at.ask('/api/me', { headers })).json).toMatchObject({ who: 'someone' });
    const foreign = { ...headers, origin: 'https://evil.example' };
    expect((await at.ask('/api/runs', { headers: foreign, json: { input: { text: 'x' } } })).status).toBe(
      403,
    );
    const tampered = { cookie: `${headers.cookie}x` };
    expect((await at.ask('/api/me', { headers: tampered })).status).toBe(401);
    await revokeKey(sharedAt(at), 'someone', Date.now());
    await vi.waitFor(async () => expect((await at.ask('/api/me', { headers })).status).toBe(401), 5_000);
    expect((await at.ask('/api/sign-out', { method: 'POST' })).headers.get('set-cookie')).toContain(
      'Max-Age=0',
    );
  });

  test('stays signed in when the server starts again', async () => {
    const first = await locked();
    const answer = await first.ask('/api/sign-in', { json: { key: first.key } });
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    await first.close();
    const again = await serving({ data: first.data, config: { apps, auth: { required: true } } });
    expect((await again.ask('/api/me', { headers: { cookie } })).status).toBe(200);
  });
});

interface OpenSocket {
  readonly socket: WebSocket;
  readonly opened: Promise<unknown>;
  readonly closed: Promise<unknown>;
}

function socketWith(path: string, { at, key }: { readonly at: Serving; readonly key: string }): OpenSocket {
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`, { headers });
  socket.on('error', () => {});
  return {
    socket,
    opened: new Promise((resolve) => socket.once('open', resolve)),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}

/** What a server answers to exactly these bytes. */
function raw(url: string, text: string, enough = '\u0000'): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      answer += piece;
      if (answer.includes(enough)) socket.destroy();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
