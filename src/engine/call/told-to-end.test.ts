import { expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';

/** As `fetch` does it. */
const fetching = toolOf(
  'fetching',
  (_, { signal }) =>
    new Promise<Json>((_resolve, reject) =>
      signal.addEventListener('abort', () =>
        reject(new DOMException('This operation was aborted', 'AbortError')),
      ),
    ),
);

test.for(['stop', 'within'] as const)(
  '[E222] a tool that ends because it is told to is no bug, and is not logged as one: %s',
  async (how) => {
    const stage = new Stage();
    const flow = flowOf(async (scope) => {
      await scope.call('fetching', {}, how === 'within' ? { within: 5_000 } : {});
      return 'done';
    });
    const run = await stage.start(stage.hire({ flows: [flow], tools: [fetching] }), flow);
    if (how === 'stop') await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(6_000);
    expect((await stage.tree(run)).ended?.outcome).toBe(how === 'stop' ? 'stopped' : 'completed');
    expect(stage.problems).toEqual([]);
  },
);
