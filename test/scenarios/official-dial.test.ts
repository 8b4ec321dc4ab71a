import { AzureOpenAI } from 'openai';
import type OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { expectNothingPrinted, teamServer } from '../official/openai.ts';
import { officialServer } from '../official/process.ts';
import { half, ordersIn, teamAnswer, teamPieces, teamTree } from '../official/team.ts';
import { serving, type Serving } from '../serving.ts';
import { superseded } from '../../src/run/answer-text.ts';
import type { Flow } from '../../src/engine/scope.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';

expectNothingPrinted();

/** The client that documents of DIAL name: the same paths and the same header. */
function clientOf(url: string, deployment = 'team'): AzureOpenAI {
  return new AzureOpenAI({ endpoint: url, apiKey: 'none', apiVersion: '2025-01-01-preview', deployment });
}

interface Stage {
  name: string;
  content: string;
  status: string | null | undefined;
  readonly parent: number | undefined;
}

interface Heard {
  text: string;
  readonly stages: Map<number, Stage>;
  state?: Record<string, unknown>;
  finish?: string | null;
  usage?: unknown;
}

type Custom = {
  stages?: {
    index: number;
    name?: string;
    content?: string;
    status?: string | null;
    parent_stage_index?: number;
  }[];
  state?: Record<string, unknown>;
};

/** Joins pieces as DIAL Chat does. */
function join(heard: Heard, { choices, usage }: OpenAI.ChatCompletionChunk): void {
  const [choice] = choices;
  const delta = (choice?.delta ?? {}) as { content?: string | null; custom_content?: Custom };
  heard.text += delta.content ?? '';
  if (choice?.finish_reason) heard.finish = choice.finish_reason;
  if (usage) heard.usage = usage;
  if (delta.custom_content?.state) {
    expect(heard.state, 'a state comes once').toBeUndefined();
    heard.state = delta.custom_content.state;
  }
  for (const { index, name = '', content = '', status, parent_stage_index: parent } of delta.custom_content
    ?.stages ?? []) {
    const known = heard.stages.get(index);
    if (!known) heard.stages.set(index, { name, content, status, parent });
    else
      Object.assign(known, {
        name: known.name + name,
        content: known.content + content,
        status: status || known.status,
      });
  }
}

async function heardOf(
  client: AzureOpenAI,
  messages: readonly object[],
  headers: Record<string, string> = {},
): Promise<Heard> {
  const heard: Heard = { text: '', stages: new Map() };
  const stream = client.chat.completions.stream(
    { model: '', messages: messages as OpenAI.ChatCompletionMessageParam[] },
    { headers },
  );
  for await (const chunk of stream) join(heard, chunk);
  await stream.finalChatCompletion();
  return heard;
}

function pathsOf({ stages }: Heard): string[][] {
  const path = (index: number | undefined): string[] => {
    const stage = index === undefined ? undefined : stages.get(index);
    return stage ? [...path(stage.parent), stage.name] : [];
  };
  return [...stages.keys()].map((index) => path(index));
}

function expectClosed(...all: readonly Heard[]): void {
  for (const { stages } of all)
    expect([...stages.values()].filter(({ status }) => status !== 'completed')).toEqual([]);
}

function runOf({ state = {} }: Heard): string {
  return (state['vitrine'] as { run: string }).run;
}

const asked = { role: 'user', content: 'Frankenstein, please' };
const approve = (text: string): object => ({
  role: 'user',
  content: `approve ${/approve ([0-9a-f]{32})/.exec(text)?.[1]}`,
});

describe('[DL1] a client of DIAL, unmodified, is put through a whole scenario', () => {
  test('nested stages, a tool, an approval by its words, and the answer of the journal', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heardOf(client, [asked]);
    expect(first.text).toContain('place_order');
    expect(ordersIn(at.folder)).toEqual([]);
    const approving = [asked, { role: 'assistant', content: first.text }, approve(first.text)];
    const second = await heardOf(client, approving);
    expect(second).toMatchObject({ text: teamAnswer, finish: 'stop', usage: { prompt_tokens: 50 } });
    expect(ordersIn(at.folder)).toEqual(['{"item":"Frankenstein"}']);
    const isStage = (path: readonly string[]): boolean => path[0] !== 'Answer';
    expect(pathsOf(first)).toEqual(teamTree.filter(isStage));
    expectClosed(first, second);
    const run = runOf(second);
    expect(((await at.ask(`/api/runs/${run}`)).json as FlatTree).answer).toBe(teamAnswer);
  });

  test('[PR16] after a cut at every frame, the client that asks again comes to the same end', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const headers = { 'idempotency-key': 'once' };
    const first = await heardOf(client, [asked], headers);
    for (const messages of [[asked], [approve(first.text)]]) {
      const whole = await heardOf(client, messages, headers);
      for (let cut = 1; ; cut += 1) {
        const stream = await client.chat.completions.create(
          { model: '', messages: messages as never, stream: true },
          { headers },
        );
        let frames = 0;
        for await (const _ of stream) if ((frames += 1) === cut) break;
        expect(await heardOf(client, messages, headers)).toEqual(whole);
        if (frames < cut) break;
        expect(cut).toBeLessThan(200);
      }
    }
    expect(ordersIn(at.folder)).toHaveLength(1);
    expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [{ run: runOf(first) }] });
  });

  test('[DL2] every byte is ASCII, indexes are on every piece, and flat is flat', async () => {
    const at = await teamServer();
    const path = '/openai/deployments/team/chat/completions';
    const json = { messages: [asked], stream: true, custom_fields: { configuration: { stages: 'flat' } } };
    const first = await at.ask(path, { json, headers: { 'api-key': 'any' } });
    const answer = await at.ask(path, { json: { messages: [approve(first.text)], stream: true } });
    for (const { text } of [first, answer]) {
      expect(Buffer.byteLength(text)).toBe(text.length);
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    }
    expect(answer.text).toContain('\\u2713');
    expect(first.text).not.toContain('parent_stage_index');
    for (const [, piece] of first.text.matchAll(/"stages":\[(\{.*?\})\]/g))
      expect(piece).toContain('"index":');
    const whole = await at.ask(path, { json: { messages: [approve(first.text)] } });
    expect(whole.json).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'stop', message: { content: teamAnswer, custom_content: { state: {} } } }],
    });
    expect(
      await at.ask('/openai/deployments/nobody/chat/completions', { json: { messages: [asked] } }),
    ).toMatchObject({
      status: 404,
      json: { error: { code: '404', display_message: expect.any(String) } },
    });
    expect(await at.ask(path, { json: { messages: [] } })).toMatchObject({
      status: 400,
      json: { error: { code: '400' } },
    });
    expect(await at.ask('/health')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await at.ask('/openai/deployments/team/configuration')).toMatchObject({ status: 200 });
    expect(await at.ask('/openai/deployments/team/rate', { json: { rate: true } })).toMatchObject({
      status: 200,
    });
  });

  test('a crash in the middle of the answer, and a stop', async () => {
    const server = await officialServer();
    const client = clientOf(server.url);
    const first = await heardOf(client, [asked]);
    server.still(true);
    let text = '';
    const cut = (async () => {
      const stream = await client.chat.completions.create({
        model: '',
        messages: [approve(first.text)] as never,
        stream: true,
      });
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? '';
        if (text !== teamPieces.slice(0, half).join('')) continue;
        void server.crash();
        server.still(false);
      }
    })();
    await expect(cut).rejects.toThrow();
    await vi.waitFor(() => fetch(`${server.url}/healthz`), { interval: 100 });
    const again = await heardOf(client, [approve(first.text)]);
    expect(again.text).toBe(`${text}${superseded}${teamAnswer}`);
    expect(again).toMatchObject({ finish: 'stop', usage: { prompt_tokens: expect.any(Number) } });
    expect(pathsOf(first)).toEqual(teamTree.filter(([top]) => top !== 'Answer'));
    expectClosed(first, again);
    expect(await server.tree(runOf(again))).toMatchObject({ status: 'completed', answer: teamAnswer });
    expect(server.orders()).toEqual(['{"item":"Frankenstein"}']);
    const slow = await heardOf(client, [{ role: 'user', content: 'slow please' }]);
    const listening = heardOf(client, [approve(slow.text)]);
    const run = runOf(slow);
    await vi.waitFor(async () =>
      expect(JSON.stringify(await server.tree(run))).toContain(teamPieces[half - 1]?.trim()),
    );
    await fetch(`${server.url}/api/runs/${run}/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const told = await listening;
    expect(told).toMatchObject({ finish: 'stop', text: teamPieces.slice(0, half).join('') });
    expectClosed(told);
    expect((await server.tree(run)).status).toBe('stopped');
    expect(server.orders()).toHaveLength(2);
  });
});

/** A coordinator of one agent that is restored and one that keeps its own conversation, and what they were asked. */
async function coordinator(trusts?: boolean): Promise<Serving & { readonly turns: Turn[] }> {
  const turns: Turn[] = [];
  const general = scriptedGateway((turn) => {
    turns.push(turn);
    const call = {
      id: `call_${turns.length}`,
      type: 'function',
      function: { name: 'python', arguments: '{}' },
    };
    return [
      { type: 'say', text: `Calculated ${turn.messages.at(-1)?.text}.` },
      { type: 'state.reported', state: { tool_calls: [call], tool_responses: ['4'] } },
    ];
  });
  const users = scriptedGateway((turn) => {
    turns.push(turn);
    return [
      { type: 'say', text: 'Two users.' },
      { type: 'state.reported', state: { ums_conversation_id: 'conv-123' } },
    ];
  });
  const flow: Flow = {
    name: 'coordinator',
    version: '1',
    async run(scope, { text }) {
      const agent = text.includes('user') ? 'users' : 'general';
      return (await scope.turn(agent, { messages: [{ role: 'user', text }] })).text;
    },
  };
  const at = await serving({
    config: {
      agents: {
        general: { gateway: general, effect: 'pure', state: 'restore' },
        users: { gateway: users, effect: 'pure', state: 'conversation-id' },
      },
      apps: { mas: { flow, ...(trusts === undefined ? {} : { trustsClientState: trusts }) } },
    },
  });
  return { ...at, turns };
}

interface Block {
  readonly choices: {
    message: { content: string; custom_content: { state: Record<string, Record<string, unknown>> } };
  }[];
}

async function handle(
  at: Serving,
  messages: object[],
): Promise<Block['choices'][number]['message'] & { run: string }> {
  const reply = await at.ask('/openai/deployments/mas/chat/completions', { json: { messages } });
  const [choice] = (reply.json as Block).choices;
  if (!choice) throw new Error(reply.text);
  return { ...choice.message, run: reply.headers.get('x-run-id') ?? '' };
}

const said = (content: string): object => ({ role: 'user', content });

describe('[DL3] the state that a client carries is the only memory', () => {
  test('a second server that has never seen the conversation goes on from it', async () => {
    const [one, two] = [await coordinator(), await coordinator(true)];
    const first = await handle(one, [said('Calculate 2+2')]);
    const { state } = first.custom_content;
    expect(state).toMatchObject({ is_gpa: true });
    expect(state['gpa_messages']).toHaveProperty('tool_calls');
    const carried = { role: 'assistant', content: first.content, custom_content: { state } };
    await handle(two, [said('Calculate 2+2'), carried, said('Now calculate 3+3')]);
    expect(two.turns.at(-1)?.messages).toEqual([
      { role: 'user', text: 'Calculate 2+2' },
      { role: 'assistant', text: first.content, state: state['gpa_messages'] },
      { role: 'user', text: 'Now calculate 3+3' },
    ]);
  });

  test('a conversation elsewhere goes on under the same id', async () => {
    const [one, two] = [await coordinator(), await coordinator(true)];
    const first = await handle(one, [said('List users')]);
    const { state } = first.custom_content;
    expect(state).toMatchObject({ ums_conversation_id: 'conv-123' });
    const carried = { role: 'assistant', content: first.content, custom_content: { state } };
    const second = await handle(two, [said('List users'), carried, said('Delete first user')]);
    expect(two.turns.at(-1)?.state).toEqual({ ums_conversation_id: 'conv-123' });
    expect(second.custom_content.state).toMatchObject({ ums_conversation_id: 'conv-123' });
  });

  test('where it is not trusted it is left out, with a notice; what this server gave is its own', async () => {
    const [one, two] = [await coordinator(), await coordinator()];
    const first = await handle(one, [said('List users')]);
    const { state } = first.custom_content;
    const carried = { role: 'assistant', content: first.content, custom_content: { state } };
    const messages = [said('List users'), carried, said('Delete first user')];
    const refused = await handle(two, messages);
    expect(two.turns.at(-1)?.state).toBeUndefined();
    expect((await two.ask(`/api/runs/${refused.run}/events`)).text).toContain('CLIENT_STATE_IGNORED');
    await handle(one, messages);
    expect(one.turns.at(-1)?.state).toEqual({ ums_conversation_id: 'conv-123' });
    const forged = { ...carried, custom_content: { state: { ...state, ums_conversation_id: 'stolen' } } };
    await handle(one, [said('List users'), forged, said('Delete first user')]);
    expect(one.turns.at(-1)?.state, 'not what the client says it is').toEqual({
      ums_conversation_id: 'conv-123',
    });
  });
});

test('[DL4] Vitrine behind Vitrine: its stages are steps here, nested as they are there', async () => {
  vi.stubEnv('INNER_KEY', 'any');
  const inner = await teamServer();
  const flow: Flow = {
    name: 'outer',
    version: '1',
    run: async (scope, { text }) => (await scope.turn('inner', { messages: [{ role: 'user', text }] })).text,
  };
  const dial = { baseUrl: inner.url, deployment: 'team', key: { env: 'INNER_KEY' } };
  const outer = await serving({ config: { agents: { inner: { dial } }, apps: { outer: { flow } } } });
  const reply = await outer.ask('/openai/deployments/outer/chat/completions', {
    json: { messages: [asked] },
  });
  expect(reply.status, reply.text).toBe(200);
  const run = reply.headers.get('x-run-id') ?? '';
  const { steps, status, approvals } = (await outer.ask(`/api/runs/${run}`)).json as FlatTree;
  const path = (id: number): string[] => {
    const step = steps.find((each) => each.id === id);
    return step && id !== 0 ? [...path(step.parent), step.title] : [];
  };
  const [turn] = steps.filter(({ id }) => id !== 0);
  const mirrored = steps.map(({ id }) => path(id).slice(1)).filter(({ length }) => length > 0);
  expect(mirrored).toEqual(teamTree.filter(([top]) => top !== 'Answer'));
  expect(turn?.kind).toBe('turn');
  expect(JSON.stringify(approvals)).toContain('place_order');
  expect(status).toBe('waiting');
  expect(steps.flatMap(({ notices = [] }) => notices)).toEqual([]);
  vi.unstubAllEnvs();
});
