import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import { textOf } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { ToolContext } from '../../tools/tool.ts';

async function called(run: (input: Json, context: ToolContext) => Json, input: Json = {}) {
  const flow = flowOf(async (scope) => JSON.stringify(await scope.call('tool', input, { key: 'tool' })));
  const stage = new Stage();
  const id = await stage.start(
    stage.hire({ flows: [flow], tools: [toolOf('tool', run, { schema: {} })] }),
    flow,
  );
  const tree = await stage.tree(id);
  return { tree, step: stepAt(tree, 'tool'), answer: JSON.stringify(tree.ended?.answer) };
}

function nested(levels: number): Json {
  let value: Json = [];
  for (let i = 0; i < levels; i += 1) value = [value];
  return value;
}

describe('what a tool says while it runs', () => {
  test('[E133] is bounded in characters, and what is left out is told once', async () => {
    const { tree, step } = await called((_, context) => {
      for (let i = 0; i < 200; i += 1) context.say('x'.repeat(50_000));
      return 1;
    });
    expect(textOf(step, 'log')).toHaveLength(1_000_000);
    expect(codes(tree)).toEqual(['SAID_TOO_MUCH']);
    expect(step.status).toBe('completed');
  });

  test('[E133] is bounded in pieces', async () => {
    const { tree, step } = await called((_, context) => {
      for (let i = 0; i < 10_500; i += 1) context.say('x');
      return 1;
    });
    expect(textOf(step, 'log')).toHaveLength(10_000);
    expect(codes(tree)).toEqual(['SAID_TOO_MUCH']);
  });

  test('[E133] and what it attaches is bounded in number and in size', async () => {
    const attach = (count: number, length: number) =>
      called((_, context) => {
        const attachment = { type: 'text/plain', data: 'x'.repeat(length) };
        for (let i = 0; i < count; i += 1) context.attach({ kind: 'attachment', attachment });
        return 1;
      });
    const many = await attach(250, 1);
    expect(many.step.items).toHaveLength(200);
    const large = await attach(5, 3_000_000);
    expect(large.step.items).toHaveLength(2);
    for (const { tree } of [many, large]) expect(codes(tree)).toEqual(['SAID_TOO_MUCH']);
  });

  test('[E133] is recorded whole where it keeps to the bound', async () => {
    const { tree, step } = await called((_, context) => {
      context.say('x'.repeat(1_000_000));
      return 1;
    });
    expect(textOf(step, 'log')).toHaveLength(1_000_000);
    expect(codes(tree)).toEqual([]);
  });
});

describe('a value nested without end', () => {
  test('[E97] is no result: the failure names the depth that is allowed', async () => {
    const { answer } = await called(() => nested(5_000));
    expect(answer).toContain('tool gave a result nested deeper than 200 levels');
  });

  test('[E97] is no argument: the failure names the depth that is allowed', async () => {
    const { answer, step } = await called(() => 1, { deep: nested(5_000) });
    expect(answer).toContain('The arguments of tool are nested deeper than 200 levels');
    expect(step.call?.arguments).toBeNull();
  });

  test('[E97] may have 200 levels', async () => {
    expect((await called(() => nested(199))).answer).toContain('completed');
  });
});

test('[E97] a result of more characters than can be kept is a failure that says so', async () => {
  const { answer } = await called(() => 'x'.repeat(8_000_001));
  expect(answer).toContain('tool gave a result of 8000003 characters; 8000000 are allowed.');
});
