// The two-stage protocol over HTTP, with a client written by hand to the letter of what the original's page does.
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import type { Move } from '../../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { TraceEvent } from '../../src/wire/trace.ts';
import { ask, resultsIn, say } from '../conversation.ts';
import { configured, eventually, servedConfig } from '../served-config.ts';
import { serving, type Serving } from '../serving.ts';
import { send } from '../two-stage-client.ts';
import { toolOf } from '../world.ts';

afterEach(() => vi.unstubAllEnvs());

const ledger: string[] = [];
const list = toolOf('list_files', () => ['a.md']);
const post = toolOf(
  'post',
  (input) => {
    ledger.push(JSON.stringify(input));
    return { ok: true };
  },
  { effect: 'once', approval: 'always' },
);

async function talking(
  model: (turn: Turn) => readonly Move[],
  rules: object = {},
  limits: object = {},
): Promise<Serving> {
  const gateway = scriptedGateway(model);
  const config: ConfigInput = {
    agents: { model: { description: 'A model.', gateway, effect: 'pure' } },
    tools: [list, post],
    apps: { talk: { flow: 'converse', settings: { agent: 'model', rules }, limits } },
  };
  ledger.length = 0;
  return serving({ config });
}

const message = (content: string, metadata: object = {}) => ({
  external_id: 'P7-main',
  sender: 'user',
  content,
  metadata: { mode: 'act', ...metadata },
});

/** Asks for the same files again and again while it has tools. */
const looping = ({ tools }: Turn): Move[] =>
  tools ? [say('Let me see. '), ask('list_files', { path: '.' })] : [say('One file.')];

test('[TS3] [TS4] tools, repeats that are blocked, phases and one answer', async () => {
  const at = await talking(looping);
  const answer = await send(`${at.url}/api/chat/messages`, message('What is there?', { requestId: 'req_1' }));
  expect([answer.status, answer.shown, answer.error]).toEqual([200, 'One file.', undefined]);
  const all = answer.frames;
  expect(new Set(all.map(({ requestId, projectId }) => `${requestId} ${projectId}`))).toEqual(
    new Set(['req_1 P7']),
  );
  expect(all.filter(({ done }) => done)).toHaveLength(1);
  expect(new Set(all.map(({ phase }) => phase))).toEqual(new Set(['tool_phase', 'action_phase', 'complete']));
  const results = all.flatMap(({ toolResults = [] }) => toolResults);
  expect(results[0]).toMatchObject({ success: true, result: ['a.md'], attempts: 1 });
  expect(results.slice(1).map(({ error, attempts }) => [error, attempts])).toEqual([
    ['DUPLICATE_BLOCKED', 0],
    ['DUPLICATE_BLOCKED', 0],
    ['DUPLICATE_BLOCKED', 0],
  ]);
  expect(all.at(-1)?.blockedSignatures).toHaveLength(1);
  expect((await at.ask(`/api/runs/${answer.run}`)).json).toMatchObject({ answer: 'One file.' });
});

test('[TS5] a pause after tools is resumed by request and batch, once and no other', async () => {
  const restless = ({ messages, tools }: Turn): Move[] =>
    tools && resultsIn(messages) === 0 ? [ask('list_files', { path: '.' })] : [say('One file.')];
  const at = await talking(restless, { pauseAfterTool: true });
  const to = `${at.url}/api/chat/messages_two_stage`;
  const first = await send(to, message('What is there?', { requestId: 'req_2' }));
  expect(first.frames.at(-1)).toMatchObject({
    phase: 'tool_phase',
    toolBatchId: 1,
    paused: true,
    done: true,
  });
  expect((await send(`${to}/resume`, { requestId: 'req_2', toolBatchId: 9 })).status).toBe(409);
  expect((await send(`${to}/resume`, { requestId: 'req_9', toolBatchId: 1 })).status).toBe(404);
  expect(await send(`${to}/resume`, { requestId: 'req_2' })).toMatchObject({
    status: 400,
    error: expect.stringContaining('toolBatchId'),
  });
  const resumed = await send(`${to}/resume`, { requestId: 'req_2', toolBatchId: 1 });
  expect([resumed.status, resumed.shown, resumed.run]).toEqual([200, 'One file.', first.run]);
  expect(resumed.frames.every(({ toolResults }) => toolResults === undefined)).toBe(true);
  const late = await send(`${to}/resume`, { requestId: 'req_2', toolBatchId: 1 });
  expect(late).toMatchObject({ status: 409, error: expect.stringContaining('has ended') });
});

test('[TS6] what needs a person is asked in words, and only those words decide', async () => {
  const posting = ({ messages, tools }: Turn): Move[] =>
    tools && resultsIn(messages) === 0 ? [ask('post', { to: 'ada' })] : [say('Posted.')];
  const at = await talking(posting);
  const to = `${at.url}/api/chat/messages`;
  const asked = await send(to, message('Post it'));
  expect(asked.frames.at(-1)).toMatchObject({ paused: true, done: true });
  const [, fingerprint = ''] = /«approve (\w+)»/.exec(asked.shown) ?? [];
  expect(asked.shown).toContain('"to": "ada"');
  expect(ledger).toEqual([]);
  expect((await send(to, message('approve 0123456789abcdef'))).status).toBe(404);
  expect(ledger).toEqual([]);
  const decided = await send(to, message(`approve ${fingerprint}`));
  expect([decided.shown, decided.run]).toEqual(['Posted.', asked.run]);
  expect(ledger).toEqual(['{"to":"ada"}']);
});

test('[TS7] a run that is stopped while it works has said so in its only done', async () => {
  const at = await talking(() => [say('A beginning. '), { type: 'wait', ms: 60_000 }]);
  const to = `${at.url}/api/chat/messages`;
  const answering = send(to, message('Go'));
  const run = await eventually(async () => {
    const { json } = await at.ask('/api/runs');
    return (json as { runs: { run: string }[] }).runs[0]?.run;
  });
  await eventually(async () =>
    (await at.ask(`/api/runs/${run}`)).text.includes('A beginning') ? true : undefined,
  );
  await at.ask(`/api/runs/${run}/stop`, { json: {} });
  const answer = await answering;
  expect(answer.frames.filter(({ done }) => done)).toHaveLength(1);
  expect(answer.frames.at(-1)).toMatchObject({ stopped: true, fullContent: 'A beginning. ' });
});

test('[TS8] 501 comes before 400, and each refusal is in the words its clients know', async () => {
  const at = await talking(looping);
  const to = (path: string, body: object) => send(`${at.url}${path}`, body);
  const path = '/api/chat/messages_two_stage';
  expect(await to(path, {})).toMatchObject({
    status: 400,
    error: 'external_id, sender, and content are required',
  });
  expect(await to(path, { ...message('x'), sender: 'bob' })).toMatchObject({
    status: 400,
    error: 'Invalid sender value',
  });
  expect(await to(path, { ...message('x'), sender: 'orion' })).toMatchObject({
    status: 400,
    error: 'Only user messages are accepted for two-stage protocol',
  });
  vi.stubEnv('TWO_STAGE_ENABLED', 'false');
  expect(await to(path, {})).toMatchObject({ status: 501, error: 'Two-stage protocol not enabled' });
  expect(await to(`${path}/resume`, {})).toMatchObject({ status: 501 });
  const unified = await to('/api/chat/messages', message('What is there?'));
  expect([unified.status, unified.shown]).toEqual([200, 'One file.']);
});

test('[TS9] history is two rows a turn, newest first, also of a run that failed', async () => {
  let turns = 0;
  const at = await talking(() => {
    turns += 1;
    if (turns === 2) throw new Error('The model is away.');
    return [say(`Answer ${turns}.`)];
  });
  const to = `${at.url}/api/chat/messages`;
  for (const text of ['one', 'two', 'three']) await send(to, message(text));
  const page = async (query: string) => {
    const { json } = await at.ask(`/api/chat/messages?project_id=P7-main&${query}`);
    return (json as { sender: string; content: string }[]).map(
      ({ sender, content }) => `${sender}: ${content}`,
    );
  };
  const all = await page('limit=10&offset=0');
  expect(all).toEqual([
    'orion: Answer 3.',
    'user: three',
    expect.stringMatching(/^orion: ./),
    'user: two',
    'orion: Answer 1.',
    'user: one',
  ]);
  expect(await page('limit=3&offset=0')).toEqual(all.slice(0, 3));
  expect(await page('limit=3&offset=3')).toEqual(all.slice(3));
  expect((await at.ask('/api/features')).json).toEqual({ features: [] });
});

test('[TS10] the trace of a project: by request, type, text and time, with prompts', async () => {
  const at = await talking(looping);
  const to = `${at.url}/api/chat/messages`;
  await send(to, message('What is there?', { requestId: 'req_1' }));
  await send(to, { ...message('And elsewhere?', { requestId: 'req_2' }), external_id: 'P8-x' });
  const logs = async (query: string) => {
    const { status, json, text } = await at.ask(`/api/trace/logs?${query}`);
    expect(status, text).toBe(200);
    return json as { events: TraceEvent[]; total: number };
  };
  const { events, total } = await logs('projectId=P7');
  expect(total).toBeGreaterThan(15);
  expect(events.map(({ timestamp }) => timestamp)).toEqual(
    events.map(({ timestamp }) => timestamp).toSorted(),
  );
  expect(new Set(events.map(({ metadata }) => metadata.requestId))).toEqual(new Set(['req_1']));
  const [call] = (await logs('projectId=P7&type=llm_call')).events;
  expect(call?.details).toMatchObject({ messages: [{ role: 'user', content: 'What is there?' }] });
  expect((await logs('projectId=P7&text=DUPLICATE&limit=1')).events).toHaveLength(1);
  expect((await logs('projectId=P7&requestId=req_2')).total).toBe(0);
  expect((await logs('projectId=P8&requestId=req_2')).total).toBeGreaterThan(5);
  expect((await logs('projectId=P7&since=2100-01-01T00:00:00Z')).total).toBe(0);
  expect((await at.ask('/api/trace/logs')).status).toBe(400);
  const ids = (await logs('projectId=P7')).events.map(({ id }) => id);
  expect(ids).toEqual(events.map(({ id }) => id));
});

test('[TS11] after a crash in the middle of the answer, what is said again is all there is in the end', async () => {
  const source = fileURLToPath(new URL('../../src/gateways/scripted/scripted.ts', import.meta.url));
  const cwd = configured(`import { existsSync, writeFileSync } from 'node:fs';
import { scriptedGateway } from ${JSON.stringify(source)};
const gateway = scriptedGateway(() => {
  const isFirst = !existsSync('begun');
  writeFileSync('begun', '');
  return isFirst
    ? [{ type: 'say', text: 'Half of ' }, { type: 'wait', ms: 600000 }]
    : [{ type: 'say', text: 'The whole answer.' }];
});
export default {
  agents: { model: { gateway, effect: 'pure' } },
  apps: { talk: { flow: 'converse', settings: { agent: 'model' } } },
};`);
  const first = await servedConfig(cwd);
  const broken = await send(
    `${first.url}/api/chat/messages`,
    message('Tell me'),
    ({ chunk }) => chunk !== undefined,
  );
  expect([broken.shown, broken.isDone]).toEqual(['Half of ', false]);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await servedConfig(cwd);
  const told = await eventually(async () => {
    const response = await fetch(`${second.url}/api/runs/${broken.run}/events?as=two-stage`);
    const text = await response.text();
    return text.includes('"done":true') ? text : undefined;
  });
  expect(told).toContain('Half of ');
  expect(told).toContain('This was left off here');
  expect(told.match(/"done":true/g)).toHaveLength(1);
  expect(told).toContain('"fullContent":"The whole answer."');
  const rows = await second.ask<{ content: string }[]>(
    '/api/chat/messages?project_id=P7-main&limit=10&offset=0',
  );
  expect(rows.map(({ content }) => content)).toEqual(['The whole answer.', 'Tell me']);
});

describe('a long answer', () => {
  const words = (many: number): Move[] => Array.from({ length: many }, (_, i) => say(`${i} and «more» `));
  const whole = (many: number): string =>
    words(many)
      .map((move) => ('text' in move ? move.text : ''))
      .join('');

  test.for([
    { name: 'without results', model: () => words(9_000) },
    {
      name: 'with results',
      model: ({ messages }: Turn) =>
        resultsIn(messages) === 0 ? [ask('list_files', { path: '.' })] : words(9_000),
    },
  ])('[C93] that the budget cuts off is the answer as far as it came: $name', async ({ model }) => {
    const at = await talking(model, {}, { tokens: 1_000 });
    const { shown, error, frames } = await send(`${at.url}/api/chat/messages`, message('Tell me all.'));
    const [said = '', line] = shown.split('\n\n[');
    expect([error, line]).toEqual([
      undefined,
      'This answer was cut off by the budget of this run: its end is missing.]',
    ]);
    expect(said.length).toBeGreaterThan(10_000);
    expect(whole(9_000).startsWith(said)).toBe(true);
    expect(frames.flatMap(({ notice }) => notice?.code ?? [])).toContain('ANSWER_CUT_OFF');
  });

  test('[TS13] that is kept beside the journal is in the last frame as it was said', async () => {
    const at = await talking(() => words(10_000));
    const { shown } = await send(`${at.url}/api/chat/messages`, message('Tell me all.'));
    expect(shown).toBe(whole(10_000));
  });

  test('[TS13] is the whole answer of a chat completion that is not streamed', async () => {
    const at = await talking(() => words(10_000));
    const messages = [{ role: 'user', content: 'Tell me all.' }];
    const { json } = await at.ask('/v1/chat/completions', { json: { model: 'talk', messages } });
    expect(json).toMatchObject({ choices: [{ message: { content: whole(10_000) } }] });
  });

  test('[TS13] is said once to a client of the AI SDK', async () => {
    const at = await talking(() => words(10_000));
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Tell me all.' }] }];
    const { text } = await at.ask('/ai-sdk/talk/chat', { json: { id: 'c1', messages } });
    expect(text.match(/"type":"text-start"/g)).toHaveLength(1);
    expect(text).not.toContain('bytes in all');
  });
});

describe('calls that are refused', () => {
  test('[C94] use up no cycle, and what is permitted runs as often as there are cycles', async () => {
    const at = await talking(
      ({ messages, tools }) => {
        const seen = resultsIn(messages);
        if (!tools) return [say('Done.')];
        if (seen === 0) return [ask('list_files', { path: '0' })];
        const refusals = messages.filter(({ text }) => text.includes('not permitted now')).length;
        return refusals < seen ? [ask('post', { seen })] : [ask('list_files', { path: `${seen}` })];
      },
      { actionTools: { allow: { list_files: 9 } } },
    );
    const { frames, shown } = await send(`${at.url}/api/chat/messages`, message('What is there?'));
    const results = frames.flatMap(({ toolResults = [] }) => toolResults);
    expect(results.map(({ toolName, success }) => [toolName, success])).toEqual([
      ['list_files', true],
      ['post', false],
      ['list_files', true],
      ['post', false],
      ['list_files', true],
    ]);
    expect([shown, ledger]).toEqual(['Done.', []]);
  });

  test('[C94] and a repeat that is blocked use up nothing of what an allowlist permits', async () => {
    const at = await talking(
      ({ messages, tools }) => {
        if (!tools) return [say('Done.')];
        return [ask('list_files', { path: resultsIn(messages) === 2 ? 'other' : 'same' })];
      },
      { actionTools: { allow: { list_files: 1 } } },
    );
    const { frames } = await send(`${at.url}/api/chat/messages`, message('What is there?'));
    const results = frames.flatMap(({ toolResults = [] }) => toolResults);
    expect(results.map(({ success, error }) => error ?? success)).toEqual([true, 'DUPLICATE_BLOCKED', true]);
  });

  test('[C94] and nothing else end after three, with an answer and the reason', async () => {
    const at = await talking(
      ({ messages, tools }) => {
        if (!tools) return [say('Done.')];
        return [resultsIn(messages) === 0 ? ask('list_files', {}) : ask('post', { text: 'x' })];
      },
      { actionTools: { allow: { list_files: 9 } }, maxCycles: 9 },
    );
    const { frames, shown } = await send(`${at.url}/api/chat/messages`, message('What is there?'));
    expect(frames.flatMap(({ toolResults = [] }) => toolResults)).toHaveLength(4);
    expect(shown).toBe('Done.');
    expect(frames.flatMap(({ notice }) => notice ?? [])).toContainEqual({
      code: 'TOOLS_DISABLED',
      message: 'The model asked 3 times for calls that are not permitted now, so its tools were taken away.',
    });
  });
});
