// One agent with tools, as those meet it who ask over HTTP.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import type { Move } from '../../src/gateways/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { ask, resultsIn, say } from '../conversation.ts';
import { serving, textAt, untilAnswer, type Serving } from '../serving.ts';
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
    await at.ask(`/api/runs/${run}/resume`, { json: {} });
    await seen(at, run, ({ approvals }) => approvals.length === 3);
    await at.ask(`/api/runs/${run}/resume`, { json: {} });
    expect(await seen(at, run, ({ status }) => status === 'completed')).toMatchObject({
      answer: 'One file.',
    });
    expect((await at.ask(`/api/runs/${run}/resume`, { json: {} })).status).toBe(409);
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
