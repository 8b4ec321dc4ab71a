import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Gateway } from '../../gateways/gateway.ts';
import { playRun, scriptedGateway, type Script } from '../../testing.ts';
import { functionTool } from '../../tools/function.ts';
import type { TypedTool } from '../../tools/tool.ts';
import type { CallResult, Flow, Scope } from '../scope.ts';

const weigh = functionTool({
  name: 'weigh',
  description: 'The weight of some copies.',
  input: z.strictObject({ copies: z.int(), unit: z.enum(['g', 'kg']).default('g') }),
  effect: 'pure',
  run: async ({ copies, unit }) => ({ weight: unit === 'g' ? copies * 300 : copies * 0.3, at: new Date(0) }),
});

function flowOf(run: (scope: Scope) => Promise<string>): Flow {
  return { name: 'typed', version: '1', run };
}

test('[IP11] a call of a tool is typed by its schema and by what its function gives', async () => {
  const flow = flowOf(async (scope) => {
    const done = await scope.call(weigh, { copies: 2 });
    expectTypeOf(done).toEqualTypeOf<CallResult<{ weight: number; at: string }>>();
    // @ts-expect-error: the compiler knows what it takes.
    const wrong = await scope.call(weigh, { copies: 'two' });
    const named = await scope.call('weigh', { copies: 3 });
    expectTypeOf(named).toEqualTypeOf<CallResult>();
    if ('failure' in done || 'failure' in named) return 'failed';
    expectTypeOf(done.result.at).toBeString();
    return JSON.stringify([done.result, named.result, wrong.outcome]);
  });
  const { tree } = await playRun({ flow, text: 'x', tools: [weigh] });
  const at = '1970-01-01T00:00:00.000Z';
  expect(tree.answer).toBe(JSON.stringify([{ weight: 600, at }, { weight: 900, at }, 'failed']));
});

test('[IP11] what is undefined is not there where a tool gave an object, and null in a list', () => {
  const tool = functionTool({
    name: 'find',
    description: 'Finds a book.',
    input: z.strictObject({}),
    effect: 'pure',
    run: (): { title: string | undefined; shelf?: number; tags: readonly (string | undefined)[] } => ({
      title: undefined,
      tags: [undefined],
    }),
  });
  type Found = { title: string | undefined; shelf?: number; tags: readonly (string | null)[] };
  expectTypeOf(tool).toEqualTypeOf<TypedTool<Record<string, never>, Found>>();
});

const Review = z.object({ stars: z.int().min(1).max(5), why: z.string() });

function reviewer(...answers: readonly string[]) {
  const script: Script = answers.map((text) => [{ type: 'say', text }]);
  return { name: 'reviewer', description: '', gateway: scriptedGateway(script), effect: 'pure' as const };
}

const reviewing = flowOf(async (scope) => {
  const review = await scope.turn('reviewer', 'Review it.', { schema: Review, key: 'review' });
  expectTypeOf(review).toEqualTypeOf<{ stars: number; why: string }>();
  return `${review.stars}: ${review.why}`;
});

test.for([
  { of: 'alone', answers: ['{"stars":4,"why":"kind"}'] },
  { of: 'between sentences', answers: ['Here: {"no":1}\n```json\n{"stars":4,"why":"kind"}\n```\nYours.'] },
  {
    of: 'once it was told what does not fit',
    answers: ['{"stars":9,"why":"kind"}', '{"stars":4,"why":"kind"}'],
  },
  { of: 'once it was told that there is none', answers: ['Four stars.', '{"stars":4,"why":"kind"}'] },
])('[IP12] a turn gives JSON that fits: $of', async ({ answers }) => {
  const { tree, entries } = await playRun({ flow: reviewing, text: 'x', agents: [reviewer(...answers)] });
  expect(tree.answer).toBe('4: kind');
  const turns = entries.filter(({ event }) => event.type === 'step.opened' && event.kind === 'turn');
  expect(turns).toHaveLength(answers.length);
});

test('[IP12] the second answer is asked for with what does not fit, and that is the last', async () => {
  const agent = reviewer('{"stars":9,"why":"kind"}', '{"stars":0,"why":"kind"}', '{"stars":4,"why":"kind"}');
  const said: (string | undefined)[] = [];
  const takeTurn: Gateway['takeTurn'] = (turn, signal) => {
    said.push(turn.messages.at(-1)?.text);
    return agent.gateway.takeTurn(turn, signal);
  };
  const agents = [{ ...agent, gateway: { ...agent.gateway, takeTurn } }];
  const { tree } = await playRun({ flow: reviewing, text: 'x', agents });
  expect(tree.failure?.message).toMatch(/reviewer was asked twice for JSON.*>=1.*stars/);
  expect(said).toEqual(['Review it.', expect.stringMatching(/does not fit: .*<=5.*stars.*"maximum":5/)]);
});

test('[IP12] an agent may be given in place of its name', async () => {
  const agent = reviewer('5');
  const flow = flowOf(async (scope) => String(await scope.turn(agent, 'How many?', { schema: z.number() })));
  expect((await playRun({ flow, text: 'x', agents: [agent] })).tree.answer).toBe('5');
});
