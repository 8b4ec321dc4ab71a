import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { start, vitrine, type Running } from '../vitrine.ts';

const config = `
const canary = 'canary-model-key';
export default {
  server: { log: 'info' },
  models: { m: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', key: { env: 'CANARY_KEY' } } },
  defaultApp: 'says',
  apps: {
    says: { flow: { name: 'says', version: '1', async run(scope, { text }) {
      scope.say('it is ' + canary);
      return 'you said ' + text;
    } } },
    stuck: { flow: { name: 'stuck', version: '1', async run(scope) {
      await scope.step({ key: 's', title: 'Stuck' }, () => new Promise(() => {}));
      return 'never';
    } } },
    breaks: { flow: { name: 'breaks', version: '1', async run() {
      throw new Error('canary-in-error of ' + canary);
    } } },
  },
};
`;

function folder(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-serve-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  return cwd;
}

interface Served extends Running {
  readonly url: string;
}

async function served(cwd: string, ...words: readonly string[]): Promise<Served> {
  const env = { CANARY_KEY: 'canary-model-key' };
  const running = start(['serve', '--port', '0', '--data', 'data', ...words], { cwd, env });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let out = '';
  const url = new Promise<string>((resolve, reject) => {
    running.child.stdout?.on('data', (piece: string) => {
      out += piece;
      const [, found] = /listens on (\S+)\n/.exec(out) ?? [];
      if (found !== undefined) resolve(found);
    });
    void running.ended.then(({ error }) => reject(new Error(error)));
  });
  return { ...running, url: await url };
}

interface Asking {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(url: string, path: string, { json, headers = {} }: Asking = {}): Promise<Response> {
  if (json === undefined) return fetch(`${url}${path}`, { headers });
  const body = JSON.stringify(json);
  return fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

test('[V238] keys are made, listed and revoked, and the server that runs takes notice', async () => {
  const cwd = folder();
  const keys = (...words: readonly string[]) => vitrine(['keys', ...words, '--data', 'data'], { cwd });
  const made = await keys('create', 'ana', '--tenant', 'acme', '--role', 'member');
  expect(made.error).toContain('It is not shown again.');
  const key = made.out.trim();
  const server = await served(cwd, '--host', '0.0.0.0');
  const url = server.url.replace('0.0.0.0', '127.0.0.1');
  const headers = { authorization: `Bearer ${key}` };
  expect((await ask(url, '/api/me')).status).toBe(401);
  expect(await (await ask(url, '/api/me', { headers })).json()).toEqual({
    tenant: 'acme',
    who: 'ana',
    role: 'member',
  });
  const late = (await keys('create', 'late', '--json')).out;
  const { key: other } = JSON.parse(late) as { readonly key: string };
  expect((await ask(url, '/api/me', { headers: { authorization: `Bearer ${other}` } })).status).toBe(200);
  const list = await keys('list');
  expect(list.out).toMatch(
    /^\w{12} {2}ana {2}acme {2}member {2}made .*\n\w{12} {2}late {2}local {2}member .*\n$/,
  );
  expect(list.out + readFileSync(join(cwd, 'data', 'vitrine.db'), 'latin1')).not.toContain(key.slice(17));
  expect((await keys('revoke', 'ana')).out).toMatch(/^Key \w{12} is revoked\.\n$/);
  expect((await keys('revoke', 'ana')).code).toBe(2);
  while ((await ask(url, '/api/me', { headers })).status !== 401)
    await new Promise((again) => setTimeout(again, 50));
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('a server that cannot begin says so in one sentence, and one that is told twice to end does so at once', async () => {
  const cwd = folder();
  const server = await served(cwd);
  const { port } = new URL(server.url);
  const taken = await vitrine(['serve', '--port', port, '--data', 'other'], { cwd });
  expect(taken.code).toBe(1);
  expect(taken.error).toBe(
    `Cannot listen on 127.0.0.1 port ${port}: something else listens there; end it, or choose another with --port, or 0 for any.\n`,
  );
  const held = await vitrine(['serve', '--port', '0', '--data', 'data'], { cwd });
  expect(held.error).toMatch(
    /^The folder \S+ is in use by process \d+ .*: stop it first, or choose another folder\.\n$/,
  );
  writeFileSync(join(cwd, 'broken.ts'), 'export default {\n  apps: ');
  const broken = await vitrine(['serve', '--config', 'broken.ts', '--data', 'other'], { cwd });
  expect(broken).toMatchObject({ code: 2, out: '' });
  expect(broken.error).toMatch(/broken\.ts \(line \d+\) cannot be read: .* Nothing was changed\.\n$/);

  const begun = await ask(server.url, '/api/runs', { json: { app: 'stuck', input: { text: 'x' } } });
  const { run } = (await begun.json()) as { readonly run: string };
  // With nothing under way, the first word ends it, and the second may come to a process that no longer listens.
  await vi.waitUntil(async () =>
    (await (await ask(server.url, `/api/runs/${run}`)).text()).includes('Stuck'),
  );
  // It answers nothing and cannot be asked to: only the second word ends it.
  const muted = await ask(server.url, '/healthz');
  expect(muted.status).toBe(200);
  server.child.kill('SIGTERM');
  await server.until('Handing back');
  server.child.kill('SIGTERM');
  const { code } = await server.ended;
  expect([0, 130]).toContain(code);
  const again = await served(cwd);
  const { runs } = (await (await ask(again.url, '/api/runs?unfinished=true')).json()) as {
    readonly runs: readonly unknown[];
  };
  expect(runs).toHaveLength(1);
  again.child.kill('SIGKILL');
});

test('[S35] [S52] what comes in as a secret is in no line of the log, no counter and no answer, and makes no line of its own', async () => {
  const cwd = folder();
  const server = await served(cwd);
  const forged = '\n{"level":30,"msg":"forged"}\r\u001b[31m';
  const canaries = [
    'canary-bearer',
    'canary-cookie',
    'canary-header',
    'canary-query',
    'canary-body',
    'canary-path',
  ];
  const headers = {
    authorization: 'Bearer canary-bearer',
    cookie: 'vitrine=canary-cookie',
    'x-api-key': 'canary-header',
    'user-agent': 'canary-header',
    referer: 'http://127.0.0.1/canary-header',
  };
  const answers: string[] = [];
  const get = async (path: string, more: Asking = {}): Promise<string> => {
    const text = await (await ask(server.url, path, { headers, ...more })).text();
    answers.push(text);
    return text;
  };
  await get('/api/me');
  await get('/api/runs?key=canary-query');
  await get(`/canary-path${encodeURIComponent(forged)}`);
  await get('/api/sign-in', { json: { key: 'canary-body' } });
  await get('/api/runs', { json: { nonsense: 'canary-body' } });
  const started = await get('/api/runs', { json: { input: { text: `hello ${forged}` } } });
  const { run } = JSON.parse(started) as { readonly run: string };
  for (const as of ['steps', 'console', 'console-dotted', 'execution'])
    await get(`/api/runs/${run}/events?as=${as}`);
  const broken = JSON.parse(
    await get('/api/runs', { json: { app: 'breaks', input: { text: 'x' } } }),
  ) as typeof started & {
    readonly run: string;
  };
  await get(`/api/runs/${broken.run}/events`);
  await get(`/api/runs/${broken.run}`);
  await get('/metrics');
  server.child.kill('SIGTERM');
  const { out, error } = await server.ended;
  const log = readFileSync(join(cwd, 'data', 'vitrine.log'), 'utf8');
  expect(log).toContain('canary-in-error of [redacted]');
  const all = answers.join('\n');
  expect(all).toContain('canary-in-error of [redacted]');
  for (const secret of ['canary-model-key', 'canary-bearer', 'canary-cookie', 'canary-header', 'canary-body'])
    expect(all).not.toContain(secret);
  for (const secret of [...canaries, 'canary-model-key'])
    expect(out + error + log, secret).not.toContain(secret);
  const lines = error.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ msg: 'answered' });
  expect(error).not.toContain('\u001b');
});
