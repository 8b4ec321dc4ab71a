import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import type { Json } from '../../run/values.ts';
import { serving, temporaryFolder } from '../../../test/serving.ts';
import { graphOf, partOf } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';

test('[WR45] a published workflow whose tool is gone is refused before anything of it is done, and runs again once it is back', async () => {
  const data = temporaryFolder();
  const done: string[] = [];
  const first = toolOf('first', () => done.push('first'));
  const second = toolOf('second', () => done.push('second'));
  const nodes = ['first', 'second'].map((tool) => ({ id: tool, type: 'tool', tool, arguments: {} }));
  const graph = { ...graphOf(nodes, 'first>second'), name: 'both' } as unknown as Record<string, Json>;
  const serve = async (tools: readonly ReturnType<typeof toolOf>[]) => {
    const at = await serving({ data, config: { tools: [...tools] } });
    return { at, workflows: vitrineClient({ url: at.url }).workflows };
  };
  const before = await serve([first, second]);
  await before.workflows.save('both', graph);
  await before.workflows.publish('both');
  await before.at.close();
  const without = await serve([first]);
  const refused = await without.workflows.start('both', { input: {} }).catch(failureOf);
  expect(refused).toMatchObject({ code: 'malformed', problems: [{ node: 'second', code: 'unknown-name' }] });
  expect(done).toEqual([]);
  const [listed] = (await without.workflows.list()).workflows;
  expect(listed).toMatchObject({ name: 'both', problems: [{ node: 'second', code: 'unknown-name' }] });
  await without.at.close();
  const back = await serve([first, second]);
  expect(await back.workflows.start('both', { input: {} })).toMatchObject({ run: expect.any(String) });
  expect((await back.workflows.list()).workflows[0]).not.toHaveProperty('problems');
  await back.at.close();
});

test('[WR45] [WR46] a team whose agent is gone is not begun, and lists say of each workflow what it names in vain', async () => {
  const data = temporaryFolder();
  const helper = { gateway: scriptedGateway([]), description: 'Helps.' };
  const settings = {
    router: 'ann',
    writer: 'ann',
    fallback: 'bob',
    agents: [{ name: 'bob', description: '' }],
  };
  const crew = { id: 'crew', type: 'team', message: 'x', settings };
  const body = partOf([{ id: 'below', type: 'workflow', workflow: 'inner' }], '');
  const graphs = {
    inner: graphOf([{ id: 'say', type: 'template', value: 'x' }], ''),
    outer: graphOf([{ id: 'each', type: 'loop', times: 1, body }], ''),
    together: graphOf([crew], ''),
  };
  const before = await serving({ data, config: { agents: { ann: helper, bob: helper } } });
  const { workflows } = vitrineClient({ url: before.url });
  for (const [name, graph] of Object.entries(graphs)) {
    await workflows.save(name, { ...graph, name } as unknown as Record<string, Json>);
    await workflows.publish(name);
  }
  await workflows.archive('inner');
  await before.close();
  const after = vitrineClient({ url: (await serving({ data, config: { agents: { ann: helper } } })).url });
  const told = (await after.workflows.list()).workflows.map(({ name, problems = [] }) => [
    name,
    ...problems.map(({ node, problem }) => `${node}: ${problem}`),
  ]);
  expect(told).toEqual([
    ['inner'],
    ['outer', 'below: There is no workflow «inner».'],
    ['together', 'crew: there is no agent «bob» under «agents»; known: ann.'],
  ]);
  const refused = await after.workflows.start('together', { input: {} }).catch(failureOf);
  expect(refused).toMatchObject({ code: 'malformed', problems: [{ node: 'crew' }] });
});
