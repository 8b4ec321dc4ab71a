import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { functionTool } from '../../tools/function.ts';
import { RunError } from '../../run/failure.ts';
import { appWith, serving, type Serving } from '../../../test/serving.ts';

const ledger: string[] = [];

const payer = appWith(async (scope, text) => {
  const found = await scope.step({ key: 'look', title: 'Look around' }, (inner) =>
    inner.step({ key: 'deep', title: 'Look deeper' }, async () => 'found'),
  );
  const { decision } = await scope.ask({
    key: 'pay',
    title: 'Pay the bill',
    message: 'This costs 12 euros.',
  });
  if (decision !== 'approve') throw new RunError('refused', 'It must not be paid.');
  ledger.push(text);
  return `Paid for «${text}», ${found}.`;
}, 'payer');

const wait = functionTool({
  name: 'wait',
  description: 'Waits.',
  input: z.object({}),
  effect: 'pure',
  run: async (_, { signal }) => once(signal, 'abort').then(() => 'Never.'),
});

const slow = appWith(async (scope) => JSON.stringify(await scope.call('wait', {})), 'slow');

const config = { apps: { payer, slow }, tools: [wait] };

function at(): Promise<Serving> {
  ledger.length = 0;
  return serving({ config });
}

type Era = 'modern' | 'legacy';
const eras: readonly Era[] = ['modern', 'legacy'];
const negotiation: Record<Era, ClientOptions> = {
  modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  legacy: { versionNegotiation: { mode: 'legacy' } },
};

type Answer = (message: string) => {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
};

async function connected({ url }: Serving, era: Era, answer?: Answer): Promise<Client> {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1' }, { ...negotiation[era], capabilities });
  if (answer) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return client;
}

test.for(eras)(
  '[MS1] %s: an app is a tool, its steps are progress, a question is put to a person',
  async (era) => {
    const asked: string[] = [];
    const client = await connected(await at(), era, (message) => {
      asked.push(message);
      return { action: 'accept', content: { decision: 'approve' } };
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['payer', 'slow']);
    const progress: string[] = [];
    const result = await client.callTool(
      { name: 'payer', arguments: { text: 'tea' } },
      { onprogress: ({ message = '' }) => void progress.push(message) },
    );
    expect(asked).toEqual([expect.stringContaining('Pay the bill')]);
    expect(ledger).toEqual(['tea']);
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'Paid for «tea», found.' }, { type: 'resource_link' }],
      structuredContent: { status: 'completed' },
    });
    expect(progress).toContain('Look around › Look deeper: completed');
  },
);

test.for(eras)('[MS2] %s: who declines rejects, and nothing is paid', async (era) => {
  const client = await connected(await at(), era, () => ({ action: 'decline' }));
  const result = await client.callTool({ name: 'payer', arguments: { text: 'tea' } });
  expect(result).toMatchObject({ isError: true });
  expect(ledger).toEqual([]);
});

test.for(eras)(
  '[MS3] %s: a client that can ask nobody is told in words, and decides by the fingerprint alone',
  async (era) => {
    const client = await connected(await at(), era);
    const result = await client.callTool({ name: 'payer', arguments: { text: 'tea' } });
    const { run } = result.structuredContent as { run: string };
    const [, fingerprint] = /approve (\S+)»/.exec(JSON.stringify(result.content)) ?? [];
    const wrong = await client.callTool({ name: 'payer', arguments: { text: 'approve', run } });
    expect(wrong).toMatchObject({ isError: true });
    expect(ledger).toEqual([]);
    const right = await client.callTool({
      name: 'payer',
      arguments: { text: `approve ${fingerprint}`, run },
    });
    expect(right).toMatchObject({ structuredContent: { status: 'completed' } });
    expect(ledger).toEqual(['tea']);
  },
);

test.for(eras)('[MS4] %s: a call that is cancelled stops its run', async (era) => {
  const server = await at();
  const client = await connected(server, era);
  const gone = new AbortController();
  const calling = client.callTool(
    { name: 'slow', arguments: { text: 'x' } },
    { signal: gone.signal, onprogress: () => gone.abort() },
  );
  await expect(calling).rejects.toThrow();
  await vi.waitFor(async () => {
    const { json } = await server.ask('/api/runs');
    expect(json).toMatchObject({ runs: [{ app: 'slow', status: 'stopped' }] });
  });
});

test('[MS4] a server that goes away stops no run', async () => {
  const server = await at();
  const client = await connected(server, 'modern');
  const begun = Promise.withResolvers<void>();
  const calling = client.callTool(
    { name: 'slow', arguments: { text: 'x' } },
    { onprogress: () => begun.resolve() },
  );
  calling.catch(() => undefined);
  await begun.promise;
  await server.close();
  // The client would wait for a minute: it does not look at the end of its stream.
  await client.close();
  await expect(calling).rejects.toThrow();
  const again = await serving({ data: server.data, config });
  const { json } = await again.ask('/api/runs');
  expect(json).toMatchObject({ runs: [{ app: 'slow', status: 'running' }] });
});

test("[MS6] a session is its owner's alone, and one that is not there is said to be gone", async () => {
  const server = await at();
  const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': 'session_made-up' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  expect(await server.ask('/mcp', { json: list, headers })).toMatchObject({ status: 404 });
});

test.for(eras)('[MS5] %s: runs are resources', async (era) => {
  const client = await connected(await at(), era, () => ({
    action: 'accept',
    content: { decision: 'approve' },
  }));
  await client.callTool({ name: 'payer', arguments: { text: 'tea' } });
  const { resources } = await client.listResources();
  expect(resources[0], '[PR71]').toMatchObject({ name: 'tea', title: 'tea' });
  const uri = resources[0]?.uri ?? '';
  const { contents } = await client.readResource({ uri });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
    status: 'completed',
    answer: 'Paid for «tea», found.',
  });
});

test('[MS7] what a client sends wrongly it is told, and the log is not', async () => {
  const server = await at();
  const answers = await Promise.all(
    ['[]', '{"jsonrpc":"2.0"}', '"x"'].map((body) =>
      fetch(`${server.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect(server.problems).toEqual([]);
});

test.for(eras)('[V327] %s: what a call leaves out is named in plain words', async (era) => {
  const client = await connected(await at(), era);
  const told = async (given: Record<string, unknown>): Promise<string> =>
    JSON.stringify(await client.callTool({ name: 'payer', arguments: given }));
  expect(await told({})).toContain('text: is missing; give a text');
  expect(await told({ text: 'tea', run: 5 })).toContain('run: must be a text, not a number');
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema).toMatchObject({
    required: ['text'],
    properties: { text: { type: 'string', minLength: 1 } },
  });
});

test.for([
  ['tools/call', { name: 5 }, 'params.name: must be a text, not a number'],
  ['tools/call', {}, 'params.name: is missing; give a text'],
  ['tools/call', undefined, 'params: is missing; give an object'],
  ['tools/call', { name: 'payer', arguments: 'tea' }, 'params.arguments: must be an object, not a text'],
  ['tools/list', { cursor: 5 }, 'params.cursor: must be a text, not a number'],
  ['resources/list', { cursor: null }, 'params.cursor: must be a text, not null'],
  ['resources/templates/list', { cursor: [] }, 'params.cursor: must be a text, not a list'],
  ['resources/read', { uri: {} }, 'params.uri: must be a text, not an object'],
  ['initialize', { protocolVersion: 5 }, 'params.protocolVersion: must be a text, not a number'],
] as const)('[V327] what a request says wrongly is told in plain words: %s %j', async (given) => {
  const [method, params, says] = given;
  const server = await at();
  const post = async (headers: Record<string, string>, json: object): Promise<Response> =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...json }),
    });
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const begun = await post({}, { id: 1, method: 'initialize', params: hello });
  const legacy = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  for (const headers of [legacy, modern]) {
    const answer = await post(headers, { id: 7, method, params });
    expect(await answer.text(), JSON.stringify(headers)).toContain(says);
  }
  expect(server.problems).toEqual([]);
});
