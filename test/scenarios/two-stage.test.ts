// One agent with tools, as those meet it who ask over HTTP.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import type { Move } from '../../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { RunError } from '../../src/run/failure.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { ask, resultsIn, say } from '../conversation.ts';
import { serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';
import { toolOf } from '../world.ts';

afterEach(() => vi.unstubAllEnvs());

interface Talking {
  readonly model: (turn: Turn) => readonly Move[];
  readonly tools?: readonly Tool[];
  readonly rules?: object;
  readonly limits?: { readonly tokens: number };
  readonly approvals?: 'second-person';
}

interface Talk extends Serving {
  /** What the model was sent, turn by turn. */
  readonly turns: readonly Turn[];
}

async function talking({ model, tools = [], rules = {}, ...app }: Talking): Promise<Talk> {
  const turns: Turn[] = [];
  const gateway = scriptedGateway((turn) => {
    turns.push(turn);
    return model(turn);
  });
  const config: ConfigInput = {
    agents: { model: { description: 'A model.', gateway, effect: 'pure' } },
    tools: [...tools],
    apps: { talk: { flow: 'converse', settings: { agent: 'model', rules }, ...app } },
    defaultApp: 'talk',
  };
  return { ...(await serving({ config })), turns };
}

async function begun(at: Serving, body: object = {}): Promise<string> {
  const answer = await at.ask('/api/runs', { json: { input: { text: 'What is there?' }, ...body } });
  expect(answer.status, answer.text).toBe(201);
  return textAt(answer, 'run');
}

async function seen(
  at: Serving,
  run: string,
  isThere = (tree: FlatTree) => tree.status !== 'running',
): Promise<FlatTree> {
  const { json } = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    ({ json: tree }) => isThere(tree as FlatTree),
  );
  return json as FlatTree;
}

const list = toolOf('list_files', () => ['a.md']);
/** A configuration of one model that answers, with these files. */
const fileTalk = (rules: object, files = temporaryFolder()): ConfigInput => ({
  agents: { model: { description: '', gateway: scriptedGateway(restless), effect: 'pure' } },
  tools: [{ files }],
  apps: { talk: { flow: 'converse', settings: { agent: 'model', rules } } },
});
/** Asks for another folder whenever it has tools. */
const restless = ({ messages, tools }: Turn): Move[] =>
  tools ? [ask('list_files', { path: `${resultsIn(messages)}` })] : [say('One file.')];

describe('the budget', () => {
  test.for(['two-stage', 'unified'] as const)(
    '[C70] [E220] a 100 kB message with 3,000 tokens is stopped within one turn of it: %s',
    async (protocol) => {
      const at = await talking({
        model: restless,
        tools: [list],
        rules: { protocol },
        limits: { tokens: 3_000 },
      });
      const tree = await seen(at, await begun(at, { input: { text: 'x '.repeat(50_000) } }));
      expect(at.turns.length).toBeLessThanOrEqual(1);
      expect(tree.spent.tokens).toBeGreaterThan(25_000);
      const verdicts = tree.steps.filter(({ kind }) => kind === 'verdict');
      expect(verdicts.map(({ notices }) => notices?.map(({ code }) => code))).toEqual([['BUDGET_EXHAUSTED']]);
      expect(tree).toMatchObject({ status: 'completed', answer: 'One file.' });
    },
  );
});

describe('the budget of whoever asks for tools that are not there', () => {
  test.for(['two-stage', 'unified'] as const)(
    '[C85] [C86] a 100 kB message with 3,000 tokens costs one turn, and the reason explains itself: %s',
    async (protocol) => {
      const stubborn = (): Move[] => [ask('list_files', { path: 'x' })];
      const at = await talking({
        model: stubborn,
        tools: [list],
        rules: { protocol },
        limits: { tokens: 3_000 },
      });
      const tree = await seen(at, await begun(at, { input: { text: 'x '.repeat(50_000) } }));
      expect(at.turns).toHaveLength(1);
      expect(tree.spent.tokens).toBeLessThan(30_000);
      expect(tree.failure?.message).toMatch(
        /^The model asked for tools that are not there\. It was not asked once more: /,
      );
      const verdict = tree.steps.find(({ kind }) => kind === 'verdict');
      expect(verdict?.text).toMatch(
        /^This turn would send about \d+ tokens, and 3000 are left of the 3000 that this run may use \(its limit «tokens»\), so the model has to answer now\.$/,
      );
    },
  );
});

describe('pause after tool', () => {
  const pausing = { model: restless, tools: [list], rules: { pauseAfterTool: true } };

  test('[C73] a plain resume goes on, over HTTP, and one that has nothing to resume says so', async () => {
    const at = await talking(pausing);
    const run = await begun(at);
    await seen(at, run, ({ status }) => status === 'waiting');
    const resumed = await at.ask(`/api/runs/${run}/resume`, { json: { reason: 'fine' } });
    expect([resumed.status, resumed.json]).toMatchObject([200, { changed: true }]);
    const second = await seen(at, run, ({ approvals }) => approvals.length === 2);
    expect(second.approvals[0]).toMatchObject({ status: 'decided', decision: 'approve', rationale: 'fine' });
    // Paused besides: what was paused goes on first.
    await at.ask(`/api/runs/${run}/pause`, { json: {} });
    expect((await at.ask(`/api/runs/${run}/resume`, { json: {} })).json).toMatchObject({ changed: true });
    expect((await seen(at, run, ({ status }) => status === 'waiting')).approvals).toHaveLength(2);
    const again = (key: string): Promise<unknown> =>
      at.ask(`/api/runs/${run}/resume`, { json: {}, headers: { 'idempotency-key': key } });
    await again('second');
    await seen(at, run, ({ approvals }) => approvals.length === 3);
    await again('third');
    expect(await seen(at, run, ({ status }) => status === 'completed')).toMatchObject({
      answer: 'One file.',
    });
    expect((await at.ask(`/api/runs/${run}/resume`, { json: {} })).status).toBe(409);
  });

  test('[V164] [C40] [C41] [C43] a batch is resumed by its name over HTTP, once and no other', async () => {
    const at = await talking(pausing);
    const run = await begun(at, { labels: { requestId: 'req_1' } });
    const resume = (toolBatchId: unknown, requestId: unknown = 'req_1') =>
      at.ask(`/api/runs/${run}/resume`, { json: { requestId, toolBatchId } });
    await seen(at, run, ({ status }) => status === 'waiting');
    for (const [answer, status, words] of [
      [await resume(2), 409, 'Request req_1 does not wait after batch 2; it waits after batch 1.'],
      [await resume(1, 'req_2'), 404, 'does not serve request req_2'],
      [await resume('1'), 400, 'toolBatchId'],
      [await resume(undefined), 400, 'name both «requestId» and «toolBatchId», or neither'],
    ] as const)
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
    const first = await resume(1);
    expect([first.status, first.json]).toMatchObject([200, { changed: true }]);
    await seen(at, run, ({ approvals }) => approvals.length === 2);
    expect((await resume(1)).json).toEqual(first.json);
    expect((await seen(at, run, ({ status }) => status === 'waiting')).approvals).toHaveLength(2);
    await resume(2);
    await seen(at, run, ({ approvals }) => approvals.length === 3);
    await resume(3);
    expect((await seen(at, run, ({ status }) => status === 'completed')).answer).toBe('One file.');
    const late = await resume(3);
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('has ended (completed)')]);
    expect((await at.ask('/openapi.json')).text).toMatch(/"toolBatchId"/);
  });

  test('[C92] a plain resume that comes again does not agree to a batch that nobody has named', async () => {
    const at = await talking(pausing);
    const run = await begun(at, { labels: { requestId: 'req_1' } });
    const resume = (headers = {}) => at.ask(`/api/runs/${run}/resume`, { json: {}, headers });
    await seen(at, run, ({ status }) => status === 'waiting');
    expect((await resume()).status).toBe(200);
    await seen(at, run, ({ approvals }) => approvals.length === 2);
    const again = await resume();
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('name it with «requestId» (req_1) and «toolBatchId» (2)'),
    ]);
    expect((await seen(at, run, ({ status }) => status === 'waiting')).approvals).toHaveLength(2);
    const key = { 'idempotency-key': 'second' };
    expect((await resume(key)).json).toMatchObject({ changed: true });
    await seen(at, run, ({ approvals }) => approvals.length === 3);
    expect((await resume(key)).status).toBe(200);
    expect((await seen(at, run, ({ status }) => status === 'waiting')).approvals).toHaveLength(3);
  });

  test('[C73] whoever may not decide what the run asks cannot resume it either', async () => {
    const at = await talking({ ...pausing, approvals: 'second-person' });
    const run = await begun(at);
    await seen(at, run, ({ status }) => status === 'waiting');
    const refused = await at.ask(`/api/runs/${run}/resume`, { json: {} });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('wants a second person to decide');
    expect((await seen(at, run, ({ status }) => status === 'waiting')).approvals).toHaveLength(1);
  });
});

describe('rules', () => {
  test('[C74] the allowlist of the action phase may name any tool of the app, and offers no others there', async () => {
    const offers: (readonly string[])[] = [];
    const model = (turn: Turn): Move[] => {
      offers.push(turn.tools?.map(({ name }) => name) ?? []);
      const [tool] = offers.at(-1) ?? [];
      return tool === undefined ? [say('Done.')] : [ask(tool, { path: `${resultsIn(turn.messages)}` })];
    };
    const config = fileTalk({ actionTools: { allow: { read_file: 1 } } });
    const agents = { model: { description: '', gateway: scriptedGateway(model), effect: 'pure' as const } };
    const at = await serving({ config: { ...config, agents } });
    expect(await seen(at, await begun(at, { app: 'talk' }))).toMatchObject({ answer: 'Done.' });
    expect(offers).toEqual([['list_files', 'read_file', 'search_files'], ['read_file'], []]);
  });

  test('[C74] an allowlist that names what is no tool is refused at start, with its place', async () => {
    const config = fileTalk({ actionTools: { allow: { read_fil: 1 } } });
    await expect(serving({ config })).rejects.toThrow(
      'The configuration does not fit: apps.talk.settings.rules: actionTools names «read_fil», which is no tool here; there are: list_files, read_file, search_files.',
    );
  });

  test('[C75] two-stage switched off by the operator stays off for clients, and the run says so', async () => {
    vi.stubEnv('TWO_STAGE_ENABLED', 'false');
    const at = await talking({ model: restless, tools: [list] });
    const labels = { 'converse.protocol': 'two-stage' };
    const asked = await seen(at, await begun(at, { labels }));
    expect(registered(asked)).toMatchObject({
      result: { protocol: 'unified' },
      notices: [
        { code: 'RULE_OVERRULED', message: expect.stringContaining('switched off here (TWO_STAGE_ENABLED)') },
      ],
    });
    expect(registered(await seen(at, await begun(at))).notices).toBeUndefined();
  });

  test.for([
    { path: '/api/runs', body: { input: { text: 'x' } } },
    { path: '/api/sessions', body: { scenario: 'talk', alert_text: 'x' } },
  ])('[C76] $path takes the rules of one request, and refuses wrong ones at once', async ({ path, body }) => {
    const at = await talking({ model: restless, tools: [list] });
    const start = (labels: object) => at.ask(path, { json: { ...body, labels } });
    for (const [labels, says] of [
      [
        { 'converse.protocol': 'three-stage' },
        'converse.protocol is «three-stage»; set it to two-stage or unified.',
      ],
      [{ 'converse.maxCycle': '1' }, 'There is no setting «converse.maxCycle»'],
      [
        { 'converse.actionTools': 'pay:1' },
        'actionTools names «pay», which is no tool here; there are: list_files.',
      ],
    ] as const) {
      const { status, text } = await start(labels);
      expect([status, text]).toEqual([400, expect.stringContaining(says)]);
    }
    expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [] });
    expect((await start({ 'converse.protocol': 'unified' })).status).toBeLessThan(300);
    const run = textAt(await at.ask('/api/runs'), 'runs', 0, 'run');
    expect(registered(await seen(at, run))).toMatchObject({ result: { protocol: 'unified' } });
  });
});

test('[E222] an exception of a tool reaches the model in words, and the person with its line', async () => {
  const broken = toolOf('look', () => {
    throw new TypeError('no such column');
  });
  const model = ({ messages }: Turn): Move[] =>
    resultsIn(messages) === 0 ? [ask('look', {})] : [say('It broke.')];
  const at = await talking({ model, tools: [broken] });
  const { steps } = await seen(at, await begun(at));
  expect(steps.find(({ kind }) => kind === 'call')).toMatchObject({
    status: 'failed',
    failure: {
      code: 'internal',
      message: '«look» broke: no such column',
      where: expect.stringMatching(/^scenarios\/two-stage\.test\.ts:\d+$/),
    },
  });
  const sent = JSON.stringify(at.turns[1]?.messages);
  expect(sent).toContain('«look» broke: no such column');
  expect(sent).not.toContain('two-stage.test.ts');
  expect(at.problems).toMatchObject([{ message: 'look broke.', cause: { message: 'no such column' } }]);
});

describe('a blocked repeat', () => {
  test('[C77] of a failed call is failed again, and says that it was blocked', async () => {
    const broken = toolOf('list_files', () => {
      throw new RunError('unavailable', 'The disk is away.');
    });
    const model = ({ tools }: Turn): Move[] => (tools ? [ask('list_files', {})] : [say('It is away.')]);
    const at = await talking({ model, tools: [broken], rules: { maxCycles: 9 } });
    const run = await begun(at);
    const calls = (await seen(at, run)).steps.filter(({ kind }) => kind === 'call');
    expect(calls.map(({ status, blocked }) => [status, blocked])).toEqual([
      ['failed', undefined],
      ['failed', undefined],
      ...Array(3).fill(['failed', true]),
    ]);
    expect(calls[2]).toMatchObject({
      reusedFrom: calls[1]?.id,
      failure: { message: 'The disk is away.' },
      notices: [{ code: 'DUPLICATE_BLOCKED' }],
    });
    const told = await at.ask(`/api/runs/${run}/events?as=execution`);
    expect(told.text.match(/"event":"step_failed".*The disk is away/g)).toHaveLength(5);
  });

  test('[C77] of a call that worked has its outcome, and says that it was blocked', async () => {
    const model = ({ tools }: Turn): Move[] => (tools ? [ask('list_files', {})] : [say('One.')]);
    const at = await talking({ model, tools: [list] });
    const calls = (await seen(at, await begun(at))).steps.filter(({ kind }) => kind === 'call');
    expect(calls.slice(0, 2)).toMatchObject([
      { status: 'completed', result: ['a.md'] },
      { status: 'reused', result: ['a.md'], blocked: true },
    ]);
  });
});

describe('the terminal', () => {
  test('[C75] --protocol two-stage is told that it is switched off', async () => {
    const cwd = temporaryFolder();
    const words = ['run', 'List the files', '--files', '.', '--protocol', 'two-stage'];
    const { code, out } = await vitrine(words, { cwd, env: { TWO_STAGE_ENABLED: 'false' } });
    expect(code).toBe(0);
    expect(out).toContain(
      '! Two-stage is switched off here (TWO_STAGE_ENABLED), so this conversation is unified.',
    );
  });

  test('[C78] the demo has an app in which the two stages can be seen', async () => {
    const words = ['run', 'Summarise the capacity review', '--app', 'library'];
    const { code, out } = await vitrine(words, { cwd: temporaryFolder() });
    expect(code).toBe(0);
    const phases = out.match(/^ {2}(?:tool phase|action phase|complete) \d$/gm)?.map((line) => line.trim());
    expect(phases).toEqual([
      'tool phase 1',
      'action phase 1',
      'tool phase 2',
      'action phase 2',
      'complete 2',
    ]);
    expect(out).toContain('Light the third fibre before July 2026');
  });

  test('[E222] an exception of one’s own flow is told with its file and line, and not as ours', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'vitrine.config.ts'),
      `export default {
  apps: { mine: { flow: { name: 'mine', version: '1', run: () => { throw new Error('I forgot.'); } } } },
};`,
    );
    const { code, out, error } = await vitrine(['run', 'Go', '--app', 'mine'], { cwd });
    expect(code).toBe(1);
    expect(out).toMatch(/I could not finish this\. «mine» broke: I forgot\. \([^)]*vitrine\.config\.ts:2\)/);
    expect(`${out}${error}`).not.toContain('inside Vitrine');
  });

  test('[C73] [P32] resume goes on after a tool phase, and trace tells all of it', async () => {
    const cwd = temporaryFolder();
    const paused = {
      flow: 'converse',
      settings: { agent: 'model', rules: { pauseAfterTool: true, maxCycles: 1 } },
    };
    const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    writeFileSync(
      join(cwd, 'vitrine.config.ts'),
      `import { scriptedGateway } from ${source('../../src/gateways/scripted/scripted.ts')};
const gateway = scriptedGateway(({ tools }) => tools
  ? [{ type: 'call', call: 'c', tool: 'list_files', arguments: '{}' }]
  : [{ type: 'say', text: 'That is all.' }]);
export default {
  agents: { model: { gateway, effect: 'pure' } },
  tools: [{ files: '.' }],
  apps: { talk: ${JSON.stringify(paused)} },
};`,
    );
    const asked = await vitrine(['run', 'What is there?', '--app', 'talk'], { cwd });
    expect([asked.code, asked.out]).toEqual([
      3,
      expect.stringContaining('Go on with the results of batch 1?'),
    ]);
    const resumed = await vitrine(['resume'], { cwd });
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('That is all.')]);
    const run = /run_\w+/.exec(resumed.out)?.[0] ?? '';
    const { out } = await vitrine(['trace', run], { cwd });
    expect(out).toMatch(/approval_decided +\S+ decided «approve»/);
    expect(out).toMatch(/phase_transition +From tool_phase to action_phase/);
    expect(out).toMatch(/llm_call +Asked model · \d messages/);
    expect(out.trimEnd()).toMatch(/orion_response +That is all\.$/);
    const calls = await vitrine(['trace', run, '--type', 'llm_call', '--json'], { cwd });
    const [call] = calls.out.split('\n');
    expect(JSON.parse(call ?? '')).toMatchObject({
      type: 'llm_call',
      details: {
        messages: [{ role: 'user', content: 'What is there?' }],
        tools: expect.arrayContaining(['read_file']),
      },
    });
    const wrong = await vitrine(['trace', run, '--type', 'everything'], { cwd });
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('--type: ')]);
  });
});

function registered({ steps }: FlatTree): FlatTree['steps'][number] {
  const step = steps.find(({ kind }) => kind === 'registration');
  if (!step) throw new Error('no tools were registered');
  return step;
}
