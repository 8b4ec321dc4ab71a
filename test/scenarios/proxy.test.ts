// The set-up of docs/guides/proxy.md, as it stands there: a real nginx with TLS in front of a real server.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import { ownPort } from '../own-port.ts';
import { shareServing, temporaryFolder } from '../serving.ts';
import { start, type Running } from '../vitrine.ts';

const guide = readFileSync(new URL('../../docs/guides/proxy.md', import.meta.url), 'utf8');
const program = inject('nginx');
const isRoot = process.getuid?.() === 0;
const why = program === '' ? 'there is no nginx' : isRoot ? '' : 'nginx of Debian needs root';
if (why !== '') process.stderr.write(`Tests behind a proxy are SKIPPED: ${why}.\n`);

/** The only block of a language in the guide. */
function blockOf(language: string): string {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  expect(blocks).toHaveLength(1);
  return blocks[0]?.[1] ?? '';
}

/** The guide with other places in it; each stands there exactly once. */
function placed(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((known, [from, to]) => {
    expect(known.split(from), from).toHaveLength(2);
    return known.replace(from, to);
  }, text);
}

interface Site {
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  readonly server: Running;
}

describe.skipIf(why !== '')('behind nginx, as the guide sets it up', () => {
  let site: Site;
  const undo: (() => Promise<void>)[] = [];
  beforeAll(() =>
    shareServing(async () => {
      site = await opened(undo);
    }).then((clean) => async () => {
      for (const work of undo.reverse()) await work();
      await clean();
    }),
  );

  test('[V17] [V27] without a key nothing is answered, and browsers are told to come back by TLS', async () => {
    const answer = await ask(site, '/api/me');
    expect(answer.status).toBe(401);
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    expect((await ask(site, '/api/me', { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test('[V27] with a key it works, and a browser gets a cookie that is bound to this host', async () => {
    expect((await ask(site, '/api/me', withKey(site))).json).toMatchObject({ role: 'operator' });
    const signedIn = await ask(site, '/api/sign-in', { json: { key: site.key } });
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-vitrine=.*; Secure; SameSite=Strict$/);
    const headers = { cookie: cookie.split(';', 1)[0] ?? '', origin: `https://vitrine.example:${site.port}` };
    expect((await ask(site, '/api/me', { headers })).status).toBe(200);
    const plain = { ...headers, origin: `http://vitrine.example:${site.port}` };
    expect((await ask(site, '/api/me', { headers: plain })).status).toBe(403);
  });

  test('events come as they happen, as a stream and on a socket', async () => {
    const run = await begun(site);
    // The run waits for a person, so neither of them ends: what is seen was passed on at once.
    const asking = request({ ...placeOf(site, `/api/runs/${run}/events`), ...withKey(site) });
    asking.end();
    const [stream] = (await once(asking, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    let text = '';
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
    await vi.waitFor(() => expect(text).toContain('approval.requested'), 60_000);
    asking.destroy();
    const { ca, localAddress, servername } = placeOf(site, '');
    const secured = { ...withKey(site), ca, localAddress, servername };
    const socket = new WebSocket(`wss://127.0.0.1:${site.port}/ws/runs/${run}`, secured);
    onTestFinished(() => socket.terminate());
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => void heard.push(data.toString()));
    await once(socket, 'open');
    await vi.waitFor(() => expect(heard.join('')).toContain('approval.requested'), 60_000);
  });

  test('[V31] the log has the address of the client, whatever the client says it is', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.66',
      forwarded: 'for=203.0.113.66',
      ...withKey(site).headers,
    };
    await ask(site, '/api/apps', { headers });
    const told = await site.server.until('"route":"/api/apps"');
    const line = told.split('\n').find((each) => each.includes('"route":"/api/apps"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ from: '127.0.0.9', status: 200, who: 'local' });
    expect(told).not.toContain('203.0.113.66');
    expect(told).toMatch(/"method":"WS","route":"\/ws\/runs\/:run","status":101,"from":"127\.0\.0\.9"/);
    expect(told).not.toContain(site.key);
  });
});

/** nginx and a server with the files of the guide. */
async function opened(undo: (() => Promise<void>)[]): Promise<Site> {
  const folder = temporaryFolder();
  const [port, inner] = [await ownPort(), await ownPort()];
  const [certificate, secret] = [join(folder, 'certificate.pem'), join(folder, 'private-key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=vitrine.example', '-addext', 'subjectAltName=DNS:vitrine.example'];
  const made = ['req', '-x509', ...curve, '-keyout', secret, '-out', certificate, '-days', '2', ...name];
  expect(spawnSync('openssl', made).status, 'openssl made a certificate').toBe(0);
  writeFileSync(join(folder, 'vitrine.config.json'), blockOf('json'));
  const demo = new URL('../../demo/vitrine.config.ts', import.meta.url).href;
  const both = `import demo from '${demo}';
    import own from './vitrine.config.json' with { type: 'json' };
    export default (settings) => ({ ...demo(settings), ...own });`;
  writeFileSync(join(folder, 'both.mjs'), both);
  // What lies beside a configuration belongs to it.
  cpSync(new URL('../../demo/workflows', import.meta.url), join(folder, 'workflows'), { recursive: true });
  const server = start(['serve', '--config', 'both.mjs', '--port', String(inner)], { cwd: folder });
  undo.push(() => ended(server.child, server.ended));
  await server.until('local.key');
  const file = join(folder, 'nginx.conf');
  const places = {
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    '127.0.0.1:4177': `127.0.0.1:${inner}`,
    '/etc/vitrine/certificate.pem': certificate,
    '/etc/vitrine/private-key.pem': secret,
  };
  writeFileSync(file, placed(blockOf('nginx'), places));
  const words = ['-p', folder, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${join(folder, 'pid')};`];
  const proxy = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  proxy.stderr.on('data', (piece: Buffer) => (complaints += piece.toString()));
  undo.push(() => ended(proxy, once(proxy, 'exit')));
  const key = readFileSync(join(folder, '.vitrine', 'local.key'), 'utf8').trim();
  const site = { port, key, certificate: readFileSync(certificate, 'utf8'), server };
  await vi.waitFor(async () => {
    expect(proxy.exitCode, complaints).toBeNull();
    expect((await ask(site, '/healthz')).status).toBe(200);
  });
  return site;
}

async function ended(
  child: { kill(): boolean; exitCode: number | null },
  over: Promise<unknown>,
): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await over;
}

interface Connection {
  readonly ca: string;
  readonly localAddress: string;
  readonly servername: string;
}

/** As a client at another address reaches it. */
function placeOf({ port, certificate }: Site, path: string): RequestOptions & Connection {
  const host = `vitrine.example:${port}`;
  const lookup = { host: '127.0.0.1', localAddress: '127.0.0.9', servername: 'vitrine.example' };
  return { ...lookup, port, path, ca: certificate, headers: { host }, agent: false };
}

function withKey({ port, key }: Site): { headers: Record<string, string> } {
  return { headers: { host: `vitrine.example:${port}`, authorization: `Bearer ${key}` } };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
}

async function ask(
  site: Site,
  path: string,
  { json, headers = {} }: { readonly json?: object; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const place = placeOf(site, path);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const asking = request({
    ...place,
    method: json === undefined ? 'GET' : 'POST',
    headers: { host: `vitrine.example:${site.port}`, ...type, ...headers },
  });
  asking.end(json === undefined ? undefined : JSON.stringify(json));
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

async function begun(site: Site): Promise<string> {
  const json = { app: 'tour', input: { text: 'x' } };
  const { json: started } = await ask(site, '/api/runs', { json, ...withKey(site) });
  return (started as { run: string }).run;
}
