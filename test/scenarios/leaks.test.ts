import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import { redacted } from '../../src/guards/guard.ts';
import { heldFolder } from '../../src/cli/place/held.ts';
import { openFolder } from '../../src/server/compose/compose.ts';
import { hostFolder } from '../../src/server/host-folder.ts';
import { eventually } from '../served-config.ts';
import { appWith, serving, temporaryFolder, textAt, type Serving, sharedAt } from '../serving.ts';
import type { Shared } from '../../src/stores/store.ts';
import { vitrine } from '../vitrine.ts';

const secret = 'tok_ABCDEF0123456789';
const halves = [secret.slice(0, 10), secret.slice(10)] as const;
const scripted = fileURLToPath(new URL('../mcp/scripted.ts', import.meta.url));

function bytesIn(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return Buffer.concat(
    paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)),
  ).toString('latin1');
}

function knowing(config: ConfigInput = {}): ConfigInput {
  vi.stubEnv('LEAKS_TEST', secret);
  const key = { env: 'LEAKS_TEST' };
  return { models: { m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key } }, ...config };
}

function serverOf(script: { readonly tools: readonly object[]; readonly results?: object }) {
  const file = join(temporaryFolder(), 'script.json');
  writeFileSync(file, JSON.stringify({ results: {}, ...script }));
  const command = [process.execPath, scripted, file];
  return { mcp: { name: 'evil', command, trusted: true } } as const;
}

const inputSchema = { type: 'object' };
const annotations = { readOnlyHint: true };
const says = (texts: readonly string[]) => ({ content: texts.map((text) => ({ type: 'text', text })) });

async function toldBy(at: Serving, app: string, text: string): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: { app, input: { text } } }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  return (await at.ask(`/api/runs/${run}/entries`)).text;
}

describe('a secret in what a server of tools gives', () => {
  const results = {
    two: says(halves),
    each: says(Array.from(secret)),
    failing: { ...says(halves), isError: true },
    spaced: says([`so ${Buffer.from(secret).toString('hex').replaceAll(/../g, '$& ')}`]),
    marked: says([`md **${halves[0]}**${halves[1]}`]),
    entities: says([Array.from(secret, (sign) => `&#${sign.charCodeAt(0)};`).join('')]),
  };

  test('[H27] [H28] is not recorded, however it is broken, and a notice at its step says so', async () => {
    const tools = Object.keys(results).map((name) => ({ name, inputSchema, annotations }));
    const calls = appWith(async (scope, name) => {
      await scope.call(`evil__${name}`, {});
      return 'done';
    }, 'calls');
    const config = knowing({ apps: { calls }, tools: [serverOf({ tools, results })] });
    const at = await serving({ config });
    await eventually(async () => (await pinsOf(sharedAt(at))).length > 0 || undefined);
    for (const name of Object.keys(results)) {
      const told = await toldBy(at, 'calls', name);
      expect(told, name).toContain(redacted);
      expect(told, name).toContain('SECRET_REDACTED');
      expect(told, name).not.toContain(halves[1]);
      expect(told, name).not.toContain('37 38 39');
      expect(told, name).not.toContain('&#55;&#56;');
      expect(told, name).not.toContain('7\\n8\\n9');
    }
  });
});

test('[K50] halves in the text and in the structured content of a result are looked at as one, in either order', async () => {
  const results = {
    'text-first': { ...says([`so ${halves[0]}`]), structuredContent: { found: `${halves[1]} ok` } },
    'structured-first': { ...says([`${halves[1]} ok`]), structuredContent: { found: `so ${halves[0]}` } },
  };
  const tools = Object.keys(results).map((name) => ({ name, inputSchema, annotations }));
  const calls = appWith(
    async (scope, name) => JSON.stringify(await scope.call(`evil__${name}`, {})),
    'calls',
  );
  const at = await serving({ config: knowing({ apps: { calls }, tools: [serverOf({ tools, results })] }) });
  await eventually(async () => (await pinsOf(sharedAt(at))).length > 0 || undefined);
  for (const name of Object.keys(results)) {
    const told = await toldBy(at, 'calls', name);
    for (const half of halves) expect(told, name).not.toContain(half);
    expect(told, name).toContain(redacted);
    expect(told, name).toContain('SECRET_REDACTED');
  }
});

function pinsOf(shared: Shared): ReturnType<Shared['list']> {
  return shared.list({ kind: 'pins' });
}

describe('[K51] a secret that was written into the command of a server', () => {
  const literal = 'Zq81xLmP02vYtR77';
  const tools = [{ name: 'look', inputSchema }];
  const withLiteral = (...words: readonly string[]) => {
    const { mcp } = serverOf({ tools });
    return { mcp: { ...mcp, trusted: false, command: [...mcp.command, ...words] } };
  };

  test('is in no file, question or list, and its owner is told', async () => {
    const looks = appWith(async (scope) => JSON.stringify(await scope.call('evil__look', {})), 'looks');
    const given = withLiteral('--api-token', literal, `SERVICE_KEY=${literal}`, '--region', 'eu-west-1');
    const at = await serving({ config: { apps: { looks }, tools: [given] } });
    await eventually(async () => (await pinsOf(sharedAt(at))).length > 0 || undefined);
    const run = textAt(await at.ask('/api/runs', { json: { app: 'looks', input: { text: 'go' } } }), 'run');
    const asked = await eventually(async () => {
      const { text } = await at.ask('/api/approvals');
      return text.includes(run) ? text : undefined;
    });
    expect(asked).toContain('eu-west-1');
    expect(asked).toContain(redacted);
    const listed = await vitrine(['pins', '--data', at.data], { cwd: at.data });
    expect(listed.out).toContain(
      `"--api-token","${redacted}","SERVICE_KEY=${redacted}","--region","eu-west-1"`,
    );
    const notices = at.server.context.home.notices.join(' ');
    expect(notices).toContain(
      'looks like a secret is written into the command or address of the MCP server evil',
    );
    for (const told of [asked, listed.out, notices, JSON.stringify(await pinsOf(sharedAt(at)))])
      expect(told).not.toContain(literal);
    await at.close();
    expect(bytesIn(at.data)).not.toContain(literal);
  });

  test('by an earlier version is taken out of what it kept, and what was approved stays approved', async () => {
    const data = temporaryFolder();
    const file = join(data, 'mcp-pins.json');
    const endpoint = JSON.stringify(['node', 'x.js', '--token', literal]);
    const seen = { pin: 'aa.bb', endpoint, description: `says ${secret}`, schema: {} };
    const old = { 'evil/look': { seen, approved: 'aa.bb' } };
    writeFileSync(file, JSON.stringify(old));
    const listed = await vitrine(['pins', '--data', data], { cwd: data });
    expect(listed.out).toContain('aa.bb  approved');
    expect(listed.out).not.toContain(literal);
    expect(existsSync(file)).toBe(false);
    expect(bytesIn(data)).not.toContain(literal);
    writeFileSync(file, JSON.stringify({ 'evil/peek': { seen, approved: 'aa.bb' } }));
    const home = await openFolder({
      data,
      config: knowing({ tools: [serverOf({ tools })] }),
      takes: 'asked',
    });
    expect(await pinsOf(home.store.shared)).toMatchObject([
      { name: 'evil/look', value: expect.not.stringContaining(secret) },
      { name: 'evil/peek', value: expect.stringContaining('"approved":"aa.bb"') },
    ]);
    expect(JSON.stringify(await pinsOf(home.store.shared))).not.toContain(literal);
    expect(JSON.stringify(await pinsOf(home.store.shared))).not.toContain(secret);
    await home.close();
    expect(bytesIn(data)).not.toContain(literal);
  });
});

test('[H29] what a server says of its tools is cleaned where it comes in, and a name with a secret is left out', async () => {
  const tools = [
    {
      name: 'look',
      description: `looks ${secret}`,
      inputSchema: { type: 'object', properties: { q: { type: 'string', description: secret } } },
    },
    { name: `is_${secret}`, description: 'whatever', inputSchema },
  ];
  const data = temporaryFolder();
  const home = await openFolder({ data, config: knowing({ tools: [serverOf({ tools })] }), takes: 'asked' });
  onTestFinished(() => home.close());
  const { toolServers } = home;
  const properties = { q: { type: 'string', description: redacted } };
  expect(toolServers?.tools).toMatchObject([
    { name: 'evil__look', description: `looks ${redacted}`, schema: { type: 'object', properties } },
  ]);
  const notices = home.notices.join('\n');
  expect(notices).toContain(`The tool is_${redacted} of evil is left out: its name holds a secret.`);
  expect(notices).not.toContain(secret);
  const pins = JSON.stringify(await pinsOf(home.store.shared));
  expect(pins).toContain(redacted);
  expect(pins).not.toContain(secret);
});

describe('the name of a conversation', () => {
  const echo = appWith(async (_, text) => text, 'echo');

  test('[H30] is kept as its hash where it holds a secret, and goes on under either', async () => {
    const at = await serving({ config: knowing({ apps: { echo } }) });
    const begin = async (conversation: string): Promise<string> => {
      const json = { app: 'echo', input: { text: 'go' }, conversation };
      const begun = await at.ask('/api/runs', { json });
      await at.ask(`/api/runs/${textAt(begun, 'run')}/events`);
      return textAt(begun, 'conversation');
    };
    const first = await begin(`${secret}-1`);
    expect(first).toMatch(/^conversation_[0-9a-f]{64}$/);
    expect(await begin(`${secret}-1`)).toBe(first);
    expect(await begin(first)).toBe(first);
    expect(await begin(`${secret}-2`)).not.toBe(first);
    await at.close();
    expect(bytesIn(at.data)).not.toContain(secret);
  });

  test('[H30] as on a terminal', async () => {
    const config = knowing({ apps: { echo } });
    const home = heldFolder(await hostFolder({ data: temporaryFolder(), config, takes: 'asked' }));
    onTestFinished(() => home.close());
    const started = await home.start({
      app: 'echo',
      flow: 'echo@1',
      text: 'go',
      key: 'k',
      conversation: secret,
    });
    expect(started.conversation).toMatch(/^conversation_[0-9a-f]{64}$/);
  });
});

test('[H31] the answer to a wrong Host does not repeat it', async () => {
  const at = await serving({ config: knowing() });
  const answer = await new Promise<string>((resolve, reject) => {
    const asked = request(`${at.url}/api/apps`, { headers: { host: `${secret}.example` } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
    });
    asked.on('error', reject).end();
  });
  expect(answer).toMatch(/^403 .*server\.hosts/);
  expect(answer.toLowerCase()).not.toContain(secret.toLowerCase());
});

test('[H27] what a screen draws as one is not told by the terminal', async () => {
  const at = await serving({
    config: knowing({ apps: { echo: appWith(async (_, text) => text, 'echo') } }),
  });
  const json = { app: 'echo', input: { text: `md **${halves[0]}**${halves[1]}` } };
  const run = textAt(await at.ask('/api/runs', { json }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  await at.close();
  const { out } = await vitrine(['show', run, '--data', at.data], { cwd: at.data });
  expect(out).toContain(redacted);
  expect(out).not.toContain(halves[1]);
});
