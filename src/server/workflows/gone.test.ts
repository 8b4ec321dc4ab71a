import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { serving, temporaryFolder } from '../../../test/serving.ts';
import { graphOf } from '../../../test/workflow/world.ts';
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
  await without.at.close();
  const back = await serve([first, second]);
  expect(await back.workflows.start('both', { input: {} })).toMatchObject({ run: expect.any(String) });
  await back.at.close();
});
