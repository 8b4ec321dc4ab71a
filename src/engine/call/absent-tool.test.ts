import { expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import type { Absence, Catalog } from '../world.ts';

const flow = flowOf(async (scope) =>
  JSON.stringify(await scope.call('far__away', { n: 1 }, { key: 'call' })),
);

function absent() {
  const back = Promise.withResolvers<void>();
  let isBack = false;
  const schema = { type: 'object', properties: { n: { type: 'number', default: 7 } } };
  const tool = toolOf('far__away', () => 'done', { schema });
  const absence: Absence = {
    why: 'The MCP server far is away.',
    tried: Promise.resolve(),
    back: back.promise,
  };
  const catalog: Catalog = {
    flows: [flow],
    agents: [],
    get tools() {
      return isBack ? [tool] : [];
    },
    absence: () => (isBack ? undefined : absence),
  };
  return {
    catalog,
    schema,
    comeBack: (): void => {
      isBack = true;
      back.resolve();
    },
  };
}

test('[E99] a call that begins while its server is away fails, and names it', async () => {
  const stage = new Stage();
  const run = await stage.start(stage.hire({}, { catalog: absent().catalog }), flow);
  const { ended } = await stage.tree(run);
  expect(ended?.answer).toContain(
    '"code":"unavailable","message":"The MCP server far is away.","retryable":true',
  );
});

test('[E99] a call that was begun while its server was there waits until it is back', async () => {
  const { catalog, schema, comeBack } = absent();
  const stage = new Stage();
  const hang = (): Promise<Json> => new Promise(() => {});
  const first = stage.hire({ flows: [flow], tools: [toolOf('far__away', hang, { schema })] });
  const run = await stage.start(first, flow);
  stage.hire({}, { catalog });
  await stage.bury(first);
  const waiting = await stage.tree(run);
  expect(waiting.ended).toBeUndefined();
  expect(waiting.paused).toBe(false);
  expect(codes(waiting)).toEqual(['TOOL_AWAY']);
  comeBack();
  await calm();
  const tree = await stage.tree(run);
  expect(stepAt(tree, 'call')).toMatchObject({ status: 'completed', attempt: 2 });
  expect(tree.ended?.answer).toContain('done');
});

test('[E99] what a tool gave while its server was there is recalled without it', async () => {
  const { catalog, schema } = absent();
  const two = flowOf(async (scope) => {
    const { outcome } = await scope.call('far__away', { n: 1 }, { key: 'call' });
    await scope.call('wait', {}, { key: 'wait' });
    return outcome;
  });
  let isOver = false;
  const wait = toolOf('wait', () => (isOver ? 1 : new Promise<Json>(() => {})));
  const stage = new Stage();
  const first = stage.hire({ flows: [two], tools: [toolOf('far__away', () => 1, { schema }), wait] });
  const run = await stage.start(first, two);
  isOver = true;
  stage.hire({}, { catalog: { ...catalog, flows: [two], tools: [wait] } });
  await stage.bury(first);
  expect((await stage.tree(run)).ended?.answer).toBe('completed');
});
