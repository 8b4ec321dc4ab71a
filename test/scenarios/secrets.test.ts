import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import { redacted } from '../../src/guards/guard.ts';
import { bytesIn, everyWay } from '../every-way.ts';
import { tracesOf } from '../secrets.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../serving.ts';
import { Traces } from '../traces.ts';
import { vitrine } from '../vitrine.ts';

function expectNowhere(texts: readonly (string | Buffer)[], secret: string): void {
  const traces = new Traces(tracesOf(secret));
  for (const text of texts) expect(traces.in(text)).toEqual([]);
}

const many = 'x'.repeat(40_000);

describe('what was recorded before it was known to be secret', () => {
  const secret = 'sk-"before"-0123456789';

  test('[S36] [K11] is told by no protocol, also when it puts the pieces together', async () => {
    const data = temporaryFolder();
    const telling = {
      tells: appWith(async (scope) => {
        for (const cut of [1, 5, secret.length - 1])
          await scope.step({ key: `${cut}`, title: 'step' }, async (step) => {
            step.say(secret.slice(0, cut));
            step.say(secret.slice(cut));
            step.say(secret.slice(0, cut), 'reasoning');
            step.say(secret.slice(cut), 'reasoning');
            return `${many}${secret}`;
          });
        return `the answer is ${secret}`;
      }, 'tells'),
    };
    const before = await serving({ data, config: { apps: telling } });
    const begun = await before.ask('/api/sessions', { json: { scenario: 's', alert_text: 'go' } });
    const session = textAt(begun, 'session_id');
    expect((await before.ask(`/api/sessions/${session}/stream`)).text).toContain(
      JSON.stringify(secret).slice(1, -1),
    );
    await before.close();

    vi.stubEnv('SECRETS_TEST_LATER', secret);
    const models = {
      m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: { env: 'SECRETS_TEST_LATER' } },
    };
    const after = await serving({ data, config: { models, apps: telling } });
    const run = textAt(await after.ask('/api/runs'), 'runs', 0, 'run');
    const ways = await everyWay(after, run);
    expectNowhere(ways, secret);
    expect(ways.join('')).toContain(redacted);
  });

  test('[K11] a file comes back byte for byte, and what a run keeps does not', async () => {
    vi.stubEnv('SECRETS_TEST_FILE', secret);
    const models = { m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: { env: 'SECRETS_TEST_FILE' } } };
    const echo = appWith(async (_, text) => text, 'echo');
    const at = await serving({ config: { models, apps: { echo } } });
    const headers = { 'content-type': 'text/plain' };
    const kept = await at.ask('/api/files?name=a.txt', { body: `mine: ${secret}`, headers });
    const file = textAt(kept, 'file');
    expect((await at.ask(`/api/files/${file}`)).text).toBe(`mine: ${secret}`);
    const input = { text: `${many} ${secret}`, attachments: [{ file }] };
    const run = textAt(await at.ask('/api/runs', { json: { app: 'echo', input } }), 'run');
    await at.ask(`/api/runs/${run}/events`);
    expectNowhere(await everyWay(at, run), secret);
    expect((await at.ask(`/api/files/${file}`)).text).toBe(`mine: ${secret}`);
  });
});

describe('keys and tokens that came in', () => {
  test('[S35] [K5] are told to nobody, not even to whoever brought them', async () => {
    const data = temporaryFolder();
    const key = keyIn(data, { role: 'operator' });
    let cookie = '';
    const config: ConfigInput = {
      auth: { required: true },
      apps: {
        echo: appWith(async (scope, text) => {
          for (const secret of [key, cookie]) {
            scope.say(`of ${secret.slice(0, 20)}`);
            scope.say(secret.slice(20));
          }
          return `${text} ${Buffer.from(`user:${key}`).toString('base64')}`;
        }, 'echo'),
      },
    };
    const at = await serving({ data, config });
    const signed = await at.ask('/api/sign-in', { json: { key } });
    cookie = /vitrine=([^;]+)/.exec(signed.headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(cookie.length).toBeGreaterThan(50);
    const json = { app: 'echo', input: { text: `my key is ${key}, my cookie ${cookie}` } };
    const headers = { cookie: `vitrine=${cookie}`, origin: at.url };
    const run = textAt(await at.ask('/api/runs', { json, headers }), 'run');
    await at.ask(`/api/runs/${run}/events`, { key });
    const ways = await everyWay(at, run, key);
    await at.close();
    for (const secret of [key, cookie]) expectNowhere([...ways, ...bytesIn(data)], secret);
  });
});

test('[S35] [K11] the terminal prints no secret, neither of a run nor of what went wrong with it', async () => {
  const cwd = temporaryFolder();
  const secret = 'sk-"terminal"-0123456789';
  const config = `
    const secret = process.env.SECRETS_TEST_TERMINAL;
    const run = async (scope) => {
      for (const cut of [1, 5, secret.length - 1])
        await scope.step({ key: String(cut), title: 'of ' + secret }, async (step) => {
          step.say('so ' + secret.slice(0, cut));
          step.say(secret.slice(cut) + ' is it');
          step.notice('SAID', secret);
        });
      await scope.step({ key: 'f' }, () => Promise.reject(new Error(secret))).catch(() => {});
      return 'the answer is ' + secret + ' or ' + Buffer.from('a' + secret).toString('base64');
    };
    export default {
      models: {
        m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: { env: 'SECRETS_TEST_TERMINAL' } },
        n: { baseUrl: 'http://127.0.0.1:9/v1', model: 'n', key: { env: 'SECRETS_TEST_SHORT' } },
      },
      apps: { blurts: { flow: { name: 'blurts', version: '1', run } } },
    };`;
  writeFileSync(join(cwd, 'vitrine.config.ts'), config);
  const env = { SECRETS_TEST_TERMINAL: secret, SECRETS_TEST_SHORT: 'short' };
  const ran = await vitrine(['run', `go with ${secret}`], { cwd, env });
  expect(ran.code, ran.error).toBe(0);
  expect(ran.out).toContain(`the answer is ${redacted} or `);
  expect(ran.error).toContain('The value of SECRETS_TEST_SHORT has fewer than 8 characters');
  const listed = await vitrine(['runs'], { cwd, env });
  const [run = ''] = /run_\w+/.exec(listed.out) ?? [];
  const shown = await vitrine(['show', run], { cwd, env });
  const json = await vitrine(['show', run, '--json'], { cwd, env });
  const out = [ran, listed, shown, json].flatMap(({ out: told, error }) => [told, error]);
  expect(shown.out).toContain(redacted);
  expectNowhere([...out, ...bytesIn(join(cwd, '.vitrine'))], secret);
});
