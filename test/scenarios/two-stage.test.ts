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
}

interface Talk extends Serving {
  /** What the model was sent, turn by turn. */
  readonly turns: readonly Turn[];
}

async function talking({
  model,
  tools = [],
  rules = {},
  limits = { tokens: 1_000_000 },
}: Talking): Promise<Talk> {
  const turns: Turn[] = [];
  const gateway = scriptedGateway((turn) => {
    turns.push(turn);
    return model(turn);
  });
  const config: ConfigInput = {
    agents: { model: { description: 'A model.', gateway, effect: 'pure' } },
    tools: [...tools],
    apps: { talk: { flow: 'converse', settings: { agent: 'model', rules }, limits } },
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
