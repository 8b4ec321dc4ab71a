// Requests as clients of others make them (Open WebUI, LibreChat, LangChain, assistant-ui, CopilotKit, the MCP inspector), odd ones too.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';

const echo = appWith(async (_, text) => `You said «${text}».`, 'echo');
const page = 'https://chat.example';

let ask: Serving['ask'];
beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    const key = keyIn(data, { name: 'ann' });
    // Where a site is named, everybody says who they are.
    const at = await serving({ data, config: { apps: { echo }, server: { origins: [page] } } });
    ask = (path, options) => at.ask(path, { key, ...options });
  }),
);

async function noticesOf({ headers }: Answered): Promise<string> {
  const { text } = await ask(`/api/runs/${headers.get('x-run-id')}/events`);
  return [...text.matchAll(/"code":"REQUEST_FIELD_IGNORED","message":"([^"]*)"/g)]
    .map(([, said]) => said)
    .join();
}

describe('[PR63] a page that the configuration names', () => {
  test.for([
    ['openai', '/v1/chat/completions', 'authorization,content-type,x-stainless-lang,x-stainless-os'],
    ['an inspector of MCP', '/mcp', 'content-type,mcp-protocol-version,mcp-session-id'],
    ['a client of DIAL', '/openai/deployments/echo/chat/completions', 'api-key,x-conversation-id'],
  ] as const)('may send the headers of %s', async ([, path, names]) => {
    const headers = {
      origin: page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': names,
    };
    const answer = await ask(path, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toBe(names);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
  });

  test('reads the run and the session that answers name', async () => {
    const json = { model: 'echo', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await ask('/v1/chat/completions', { json, headers: { origin: page } });
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-run-id', 'mcp-session-id']));
    expect(answer.headers.get('x-run-id')).toMatch(/^run_/);
  });
});

test('[PR64] what a request says and nobody acts on is told in the run', async () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const titles = {
    model: 'echo',
    stream: false,
    max_completion_tokens: 1_000,
    user: 'u',
    tools: [],
    stop: null,
  };
  const chat = await ask('/v1/chat/completions', {
    json: { ...titles, messages, reasoning_effort: 'low' },
  });
  expect(await noticesOf(chat)).toBe(
    '«max_completion_tokens», «user», «reasoning_effort» of the request were not used: the app decides that.',
  );
  const asked = { model: 'echo', input: 'hi', text: { format: { type: 'text' } }, truncation: 'auto' };
  const response = await ask('/v1/responses', { json: asked });
  expect(await noticesOf(response)).toContain('«text», «truncation» of the request were not used');
  const plain = await ask('/v1/chat/completions', {
    json: { model: 'echo', messages, n: 1, metadata: {} },
  });
  expect(await noticesOf(plain)).toBe('');
});

test('[PR64] what a page says as its system counts in a chat of the AI SDK', async () => {
  const parts = [{ type: 'text', text: 'hi' }];
  const json = {
    id: 'c1',
    messages: [{ id: 'm', role: 'user', parts }],
    trigger: 'submit-message',
    system: 'Be brief.',
    tools: { look: {} },
    callSettings: {},
  };
  const answer = await ask('/ai-sdk/echo/chat', { json });
  expect(answer.text).toContain('Be brief.');
  expect(await noticesOf(answer)).toBe('«tools» of the request was not used: the app decides that.');
});

test.for([
  ['what it was told', { run: 'run_1', app: 'echo', status: 'completed' }, {}, ''],
  ['nothing', undefined, {}, ''],
  [
    'of its own',
    { run: 'run_1', color: 'red' },
    {},
    '«state» of the request was not used: the app decides that.',
  ],
  [
    'and settings',
    { cart: [] },
    { model: 'x' },
    '«forwardedProps», «state» of the request were not used: the app decides that.',
  ],
] as const)('[PR70] a client of AG-UI gives back a state: %s', async ([, state, forwardedProps, notices]) => {
  const messages = [{ id: 'm', role: 'user', content: 'hi' }];
  const json = {
    threadId: `thread-${JSON.stringify(state)}`,
    runId: 'r',
    protocolVersion: '1.0',
    messages,
    tools: [],
    context: [],
    state,
    forwardedProps,
  };
  expect(await noticesOf(await ask('/ag-ui/echo', { json }))).toBe(notices);
});

test.for([
  [
    'a part of a kind that is not known',
    { content: [{ type: 'video_url', video_url: { url: 'x' } }] },
    'messages.0.content.0.type',
  ],
  [
    'a part that lacks something',
    { content: [{ type: 'text', text: 'a' }, { type: 'text' }] },
    'messages.0.content.1.text',
  ],
  ['a role that is not known', { role: 'owner', content: 'hi' }, 'messages.0.role'],
] as const)('[PR65] %s is refused by its place', async ([, message, place]) => {
  const json = { model: 'echo', messages: [{ role: 'user', ...message }] };
  const { status, text } = await ask('/v1/chat/completions', { json });
  expect([status, text]).toEqual([400, expect.stringContaining(`${place}: `)]);
});

test('[PR65] no messages at all, and a picture by its address alone', async () => {
  const empty = await ask('/v1/chat/completions', { json: { model: 'echo', messages: [] } });
  expect([empty.status, empty.text]).toEqual([
    400,
    expect.stringContaining('messages: must have at least 1 entry'),
  ]);
  const content = [
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: 'https://pictures.example/a.png' },
  ];
  const seen = await ask('/v1/chat/completions', {
    json: { model: 'echo', messages: [{ role: 'user', content }] },
  });
  expect(seen.status).toBe(200);
  const { text } = await ask(`/api/runs/${seen.headers.get('x-run-id')}/events`);
  expect(text).toContain('https://pictures.example/a.png');
});

test('[PR66] one model can be asked for', async () => {
  expect(await ask('/v1/models/echo')).toMatchObject({
    status: 200,
    json: { id: 'echo', object: 'model' },
  });
  expect(await ask('/v1/models/nobody')).toMatchObject({
    status: 404,
    json: { error: { code: 'unknown', message: expect.stringContaining('GET /v1/models') } },
  });
});
