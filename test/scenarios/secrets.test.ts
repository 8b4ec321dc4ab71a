import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Flow } from '../../src/engine/scope.ts';
import type { AgentEvent, Gateway } from '../../src/gateways/gateway.ts';

import { redacted } from '../../src/guards/guard.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { isLong, seedOf, tell } from '../long.ts';
import { Chance } from '../random.ts';
import { generatedSecrets, spellingsOf, tracesOf } from '../secrets.ts';
import { appWith, keyIn, serving, shareServing, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';

/** Every file of a folder as bytes. */
function bytesIn(folder: string): readonly Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}

function expectNowhere(
  texts: readonly (string | Buffer)[],
  secret: string,
  forms: readonly string[] = [],
): void {
  for (const form of new Set([...tracesOf(secret), ...forms]))
    for (const text of texts) if (text.includes(form)) expect(text.toString()).not.toContain(form);
}

function heardOn(at: Serving, path: string, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`, { headers });
  let heard = '';
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer) => void (heard += `${data.toString()}\n`));
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

/** What every client gets of a run: each protocol, each list, each socket. */
async function everyWay(at: Serving, run: string, key?: string): Promise<readonly string[]> {
  const asking = key === undefined ? {} : { key };
  const shown = await at.ask(`/api/runs/${run}`, asking);
  const conversation = textAt(await at.ask(`/api/runs?limit=1`, asking), 'runs', 0, 'conversation');
  const paths = [
    ...['steps', 'console', 'console-dotted', 'execution'].map((as) => `/api/runs/${run}/events?as=${as}`),
    `/api/runs/${run}/entries`,
    `/workflows/execution/${run}/steps`,
    `/api/conversations/${conversation}`,
    `/api/sessions/${conversation}`,
    `/api/sessions/${conversation}/stream`,
    '/api/runs',
    '/api/approvals',
  ];
  const answers = await Promise.all(paths.map(async (path) => (await at.ask(path, asking)).text));
  const sockets = await Promise.all(
    [`/ws/runs/${run}`, `/ws/execution/${run}`].map((path) => heardOn(at, path, key)),
  );
  const blobs = [
    ...new Set(
      answers
        .join('')
        .matchAll(/"blob":"([0-9a-f]{64})"/g)
        .map(([, blob]) => blob),
    ),
  ];
  const large = await Promise.all(
    blobs.map(async (blob) => (await at.ask(`/api/files/${blob}`, asking)).text),
  );
  return [shown.text, ...answers, ...sockets, ...large];
}

/** The words of a stream put together as a client would. */
function joined(frames: string): string {
  return [...frames.matchAll(/"x":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => JSON.parse(text) as string)
    .join('');
}

const all = generatedSecrets(1_000);
const many = 'x'.repeat(40_000);

/** A secret in two pieces, for each spelling and place to cut it: `7 0:0,0:1,12:2` */
function piecesOf(text: string): readonly Pieces[] {
  const [place = '0', cuts = '0:0'] = text.split(' ');
  const spellings = Object.values(spellingsOf(all[Number(place)] ?? ''));
  return cuts.split(',').map((asked) => {
    const [spelling = 0, cut = 0] = asked.split(':').map(Number);
    const form = spellings[spelling] ?? '';
    return { one: form.slice(0, cut), two: form.slice(cut), asked };
  });
}

interface Pieces {
  readonly one: string;
  readonly two: string;
  readonly asked: string;
}

/** Says a secret in every way an agent has. */
const agent: Gateway = {
  async *takeTurn({ messages }): AsyncGenerator<readonly AgentEvent[]> {
    const [{ one, two } = { one: '', two: '' }] = piecesOf(messages.at(-1)?.text ?? '');
    for (const channel of ['content', 'reasoning'] as const) {
      yield [{ type: 'text.appended', channel, text: `so ${one}` }];
      yield [{ type: 'text.appended', channel, text: `${two} is it` }];
    }
    yield [{ type: 'call.appended', call: 'c', tool: 't', text: `{"a":"${one}` }];
    yield [{ type: 'call.appended', call: 'c', text: `${two}"}` }];
    yield [{ type: 'stage.opened', stage: '1', title: one }];
    yield [{ type: 'stage.titled', stage: '1', text: two }];
    yield [{ type: 'stage.appended', stage: '1', text: one }];
    yield [{ type: 'stage.appended', stage: '1', text: two }];
    yield [{ type: 'item.attached', item: { kind: 'citation', title: one + two, quote: 'q' } }];
  },
};

/** The same of a flow. */
const flow: Flow = {
  name: 'blurts',
  version: '1',
  async run(scope, { text }) {
    const [place = ''] = text.split(' ');
    let answer = '';
    for (const { one, two, asked } of piecesOf(text)) {
      await scope.step({ key: asked, title: 'blurt' }, async (step) => {
        step.say(one);
        step.say(two);
        step.notice('SAID', one + two);
        await step.turn('agent', { messages: [{ role: 'user', text: `${place} ${asked}` }] });
        await step.call('t', { a: one + two, asked: `${place} ${asked}` });
      });
      answer = one + two;
    }
    return `${many} ${answer}`;
  },
};

const tool: Tool = {
  name: 't',
  description: 'Says what it gets, and what it knows.',
  schema: { type: 'object' },
  effect: 'pure',
  async run(input, context) {
    const [secret = ''] = all;
    context.say(secret.slice(0, 5));
    context.say(secret.slice(5));
    const [, asked = ''] = /"asked":"([^"]*)"/.exec(JSON.stringify(input)) ?? [];
    const [{ one, two } = { one: '', two: '' }] = piecesOf(asked);
    return { input, secret, content: [one, two].map((text) => ({ type: 'text', text })) };
  },
};

function blurting(): ConfigInput {
  const names = all.map((secret, i) => {
    vi.stubEnv(`SECRETS_TEST_${i}`, secret);
    return `SECRETS_TEST_${i}`;
  });
  const address = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' };
  return {
    models: Object.fromEntries(names.map((env) => [env, { ...address, key: { env } }])),
    agents: { agent: { gateway: agent } },
    tools: [tool],
    apps: { blurts: { flow } },
    limits: { turns: 1_000, calls: 1_000, tokens: 100_000_000 },
    server: { quotas: { requests: 100_000, burst: 100_000 } },
  };
}

describe('of 1,000 secrets', () => {
  let at: Serving;
  beforeAll(() => shareServing(async () => void (at = await serving({ config: blurting() }))));

  const chance = new Chance(seedOf('secrets'));
  const places = isLong ? all.keys().toArray() : Array.from({ length: 20 }, () => chance.between(0, 999));

  test(
    '[S35] [S36] [K8] [H20] [H21] none is told by any protocol or socket, in whatever spelling, wherever it is cut',
    { timeout: 3_600_000 },
    async () => {
      let total = 0;
      for (const place of places) {
        const secret = all[place] ?? '';
        const spellings = Object.values(spellingsOf(secret));
        const every = Array.from({ length: secret.length + 1 }, (_, cut) => `0:${cut}`);
        const spelled = Array.from({ length: 3 }, () => {
          const spelling = chance.between(1, spellings.length - 1);
          return `${spelling}:${chance.between(0, spellings[spelling]?.length ?? 0)}`;
        });
        const cuts = [...new Set([...(isLong ? every : chance.shuffle(every).slice(0, 3)), ...spelled])];
        total += cuts.length;
        const text = `${place} ${cuts.join(',')}`;
        const run = textAt(await at.ask('/api/runs', { json: { app: 'blurts', input: { text } } }), 'run');
        const stream = await at.ask(`/api/runs/${run}/events`);
        expect(stream.text).toContain('SECRET_REDACTED');
        const forms = spelled.map((asked) => spellings[Number(asked.split(':')[0])] ?? '');
        expectNowhere([joined(stream.text), ...(await everyWay(at, run))], secret, forms);
      }
      tell('secrets', { secrets: places.length, cuts: total });
    },
  );

  test('[S35] [K7] none is in the files of the folder or the log', async () => {
    await at.close();
    const log = at.problems.map(({ message, cause }) => `${message} ${String(cause)}`);
    const files = bytesIn(at.data);
    expect(Buffer.concat(files).includes(redacted)).toBe(true);
    for (const place of new Set(places)) expectNowhere([...files, ...log], all[place] ?? '');
  });
});

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
