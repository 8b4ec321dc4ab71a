import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base64url, exportJWK, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  appWith,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';
import { openBeforeEnd, streamViewer } from '../../../test/stream.ts';
import { serve } from '../serve.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

describe('tokens', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const jwt = {
    issuer: 'https://id.example',
    audience: 'vitrine',
    algorithms: ['RS256'] as const,
    publicKey: pem,
  };
  const claims = { tenant: 'acme', sub: 'ana' };
  const now = Math.floor(Date.now() / 1_000);
  type Make = () => Promise<string>;

  function token(more: { readonly alg?: string; readonly [claim: string]: unknown } = {}): SignJWT {
    const { alg = 'RS256', ...rest } = more;
    const payload = { iss: jwt.issuer, aud: jwt.audience, exp: now + 600, ...claims, ...rest };
    return new SignJWT(payload).setProtectedHeader({ alg });
  }

  let shared: Serving;
  beforeAll(() =>
    shareServing(async () => {
      shared = await serving({
        config: { apps, auth: { jwt: { ...jwt, algorithms: [...jwt.algorithms] } } },
      });
    }),
  );
  const house = (): Serving => shared;

  test('of the issuer let their subject into their tenant', async () => {
    const at = house();
    const key = await token().sign(privateKey);
    expect((await at.ask('/api/me', { key })).json).toEqual({ tenant: 'acme', who: 'ana', role: 'member' });
    expect((await at.ask('/api/me')).status).toBe(401);
    expect((await at.ask('/api/sign-in', { json: { key } })).status).toBe(200);
  });

  test('[V20] never name the tenant of the terminal, whatever they are signed with', async () => {
    const at = house();
    const key = await token({ tenant: 'local', role: 'operator' }).sign(privateKey);
    for (const answer of [
      await at.ask('/api/runs', { key }),
      await at.ask('/api/sign-in', { json: { key } }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('«local» is the terminal');
    }
  });

  test.for([
    ['an empty name', { sub: '' }],
    ['a blank after the name', { sub: 'ana ' }],
    ['a blank in it', { sub: 'a na' }],
    ['a blank that takes no room', { sub: 'an\u200ba' }],
    ['a filler', { sub: 'ana\u3164' }],
    ['a line end', { sub: 'ana\n' }],
    ['letters of another width', { sub: 'ａｎａ' }],
    ['a tenant with a blank', { tenant: 'local ' }],
    ['a tenant with what is not seen', { tenant: 'acme\u2060' }],
    ['the tenant of the terminal in capitals', { tenant: 'Local' }],
  ] as const)('[V121] with %s pass for nobody, and the log says why', async ([, wrong]) => {
    const at = house();
    const before = at.problems.length;
    const answer = await at.ask('/api/me', { key: await token(wrong).sign(privateKey) });
    expect(answer.status, answer.text).toBe(401);
    expect(at.problems.slice(before)).toMatchObject([{ message: 'A token was refused for a name in it.' }]);
    expect(answer.text).toMatch(/«(?:sub|tenant)» of this token|«local» is the terminal/);
  });

  test.for(['ana@acme.example', 'auth0|5f7c', 'https://id.example/ana', 'Åsa', '李'])(
    '[V121] may name «%s»',
    async (sub) => {
      const key = await token({ sub }).sign(privateKey);
      expect((await house().ask('/api/me', { key })).json).toMatchObject({ who: sub });
    },
  );

  test.for(['viewer', 'member', 'approver', 'operator'])('say the role «%s»', async (role) => {
    const key = await token({ role }).sign(privateKey);
    expect((await house().ask('/api/me', { key })).json).toMatchObject({ role });
  });

  test.for([
    ['that is expired', () => token({ exp: now - 120 }).sign(privateKey)],
    ['that is not good yet', () => token({ nbf: now + 600 }).sign(privateKey)],
    ['without an end', () => token({ exp: undefined }).sign(privateKey)],
    ['of another issuer', () => token({ iss: 'https://evil.example' }).sign(privateKey)],
    ['for another audience', () => token({ aud: 'other' }).sign(privateKey)],
    ['without a tenant', () => token({ tenant: '' }).sign(privateKey)],
    ['of a role there is not', () => token({ role: 'god' }).sign(privateKey)],
    ['by another algorithm', () => token({ alg: 'PS256' }).sign(privateKey)],
    [
      'signed with the public key as a secret',
      () => token({ alg: 'HS256' }).sign(new TextEncoder().encode(pem)),
    ],
    [
      'signed by nobody',
      async () =>
        new UnsecuredJWT({ ...claims, iss: jwt.issuer, aud: jwt.audience, exp: now + 600 }).encode(),
    ],
    ['whose words were changed', async () => changed(await token().sign(privateKey))],
    ['that is no token', async () => 'a.b.c'],
  ] as readonly (readonly [string, Make])[])('[S04] [S05] one %s is no token', async ([, make]) => {
    const at = house();
    expect((await at.ask('/api/me', { key: await make() })).status).toBe(401);
  });

  test.for([
    [{ ...jwt, algorithms: ['HS256'] as const }, 'HS… algorithms go with «secret»'],
    [{ issuer: 'i', audience: 'a', algorithms: ['RS256'] as const }, 'exactly one of'],
  ] as const)('that could be confused are not configured', async ([settings, why]) => {
    const config = { auth: { jwt: { ...settings, algorithms: [...settings.algorithms] } } };
    await expect(serve({ data: temporaryFolder(), port: 0, config })).rejects.toThrow(why);
  });

  test('[S04] what a token says of its own key is not believed, and not fetched', async () => {
    const evil = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = await exportJWK(evil.publicKey);
    const { url, asked } = await jwksOf([{ ...jwk, kid: 'evil', alg: 'RS256' }]);
    const payload = { iss: jwt.issuer, aud: jwt.audience, exp: now + 600, ...claims };
    for (const more of [
      { jku: url },
      { x5u: url },
      { jwk },
      { kid: 'evil', jku: url },
      { kid: '../../etc/passwd' },
    ]) {
      const forged = await new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', ...more })
        .sign(evil.privateKey);
      expect((await house().ask('/api/me', { key: forged })).status).toBe(401);
    }
    expect(asked()).toBe(0);
  });

  test('[S04] of an issuer that publishes its keys count by its keys alone', async () => {
    const [own, evil] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
    if (!own || !evil) throw new Error('two pairs were made');
    const { url, asked, close } = await jwksOf([
      { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256' },
    ]);
    const at = await serving({
      config: {
        apps,
        auth: { jwt: { issuer: 'i', audience: 'a', algorithms: ['RS256'], jwks: url, tenant: 'sub' } },
      },
    });
    const signed = (kid: string, { privateKey: by }: typeof own): Promise<string> =>
      new SignJWT({ iss: 'i', aud: 'a', exp: now + 600, sub: 'ana' })
        .setProtectedHeader({ alg: 'RS256', kid, jku: 'http://127.0.0.1:1/' })
        .sign(by);
    expect((await at.ask('/api/me', { key: await signed('k1', own) })).json).toMatchObject({ tenant: 'ana' });
    expect((await at.ask('/api/me', { key: await signed('k1', evil) })).status).toBe(401);
    expect((await at.ask('/api/me', { key: await signed('k2', own) })).status).toBe(401);
    expect(asked()).toBeGreaterThan(0);
    close();
    const next = await serving({
      config: { apps, auth: { jwt: { issuer: 'i', audience: 'a', algorithms: ['RS256'], jwks: url } } },
    });
    const silent = await next.ask('/api/me', { key: await signed('k1', own) });
    expect(silent.status).toBe(502);
    expect(textAt(silent, 'error', 'message')).toContain('The issuer of tokens does not answer');
    expect((await next.ask('/healthz')).status).toBe(200);
  });

  test('[S05] and keys are for us alone: nothing that is called gets them', async () => {
    const heard: string[] = [];
    const model = createServer((request, response) => {
      heard.push(JSON.stringify(request.rawHeaders));
      request.on('data', (piece: Buffer) => heard.push(piece.toString()));
      request.on('end', () => response.writeHead(400).end('{}'));
    });
    const baseUrl = await listening(model);
    const asks = appWith(async (scope, text) => {
      await scope.turn('a', { messages: [{ role: 'user', text }] });
      return 'done';
    }, 'turns');
    const at = await serving({
      config: {
        apps: { asks },
        models: { m: { baseUrl, model: 'm' } },
        agents: { a: { description: 'd', model: 'm' } },
        auth: { jwt: { ...jwt, algorithms: [...jwt.algorithms] } },
      },
    });
    const key = await token().sign(privateKey);
    const headers = {
      cookie: 'vitrine=canary-cookie',
      'x-api-key': 'canary-header',
      'idempotency-key': 'canary-idem',
    };
    const run = textAt(
      await at.ask('/api/runs', { key, headers, json: { input: { text: 'hello' } } }),
      'run',
    );
    await at.ask(`/api/runs/${run}/events`, { key });
    const all = heard.join('');
    expect(all).toContain('hello');
    for (const secret of [key, 'canary-cookie', 'canary-header', 'canary-idem'])
      expect(all).not.toContain(secret);
  });

  test('[S05] [S09] that end close what they have open', async () => {
    const at = house();
    const viewer = await openBeforeEnd(async (milliseconds) => {
      const key = await token({ exp: Math.floor((Date.now() + milliseconds) / 1_000) }).sign(privateKey);
      const started = await at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
      if (started.status === 401) return undefined;
      const headers = { authorization: `Bearer ${key}` };
      const path = `/api/runs/${textAt(started, 'run')}/events`;
      const opened = streamViewer({ url: at.url, path, headers });
      await Promise.race([opened.until((body) => body.includes('May I?')), opened.closed]);
      return opened.body.includes('May I?') ? opened : undefined;
    });
    await viewer.closed;
    expect(viewer.isWhole).toBe(false);
  });

  test('with a public key that is none are named by the field', async () => {
    const publicKey = '-----BEGIN PUBLIC KEY-----zz';
    const config = { auth: { jwt: { ...jwt, algorithms: [...jwt.algorithms], publicKey } } };
    await expect(serve({ data: temporaryFolder(), port: 0, config })).rejects.toThrow('auth.jwt.publicKey: ');
  });

  function changed(good: string): string {
    const [head = '', , signature = ''] = good.split('.');
    const body = base64url.encode(
      JSON.stringify({ ...claims, tenant: 'other', iss: jwt.issuer, aud: jwt.audience, exp: now + 600 }),
    );
    return [head, body, signature].join('.');
  }
});

/** Somebody who publishes keys. */
async function jwksOf(
  keys: readonly JWK[],
): Promise<{ readonly url: string; readonly asked: () => number; readonly close: () => void }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  const url = await listening(server);
  return { url: `${url}/jwks.json`, asked: () => asked, close: () => void server.close() };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
