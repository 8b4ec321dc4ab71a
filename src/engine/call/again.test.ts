import { expect, test } from 'vitest';
import { codes, Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import { approval, budget, duplicate } from '../../policies/standard.ts';
import type { Effect } from '../../run/values.ts';

test.for<Effect>(['pure', 'idempotent', 'once'])(
  '[E312] a call that a flow means again runs again, also one that is %s, each with a key of its own',
  async (effect) => {
    const keys = new Set<string>();
    const look = toolOf('look', (_, { idempotencyKey }) => keys.add(idempotencyKey).size, { effect });
    const flow = flowOf(async (scope) => {
      const seen: unknown[] = [];
      for (let round = 1; round <= 5; round += 1) {
        const { outcome, ...found } = await scope.call(
          'look',
          { at: 'link' },
          { key: `look ${round}`, again: true },
        );
        seen.push('result' in found ? found.result : outcome);
      }
      const { outcome } = await scope.call('look', { at: 'link' }, { key: 'same' });
      return `${seen.join()} ${outcome}`;
    });
    const stage = new Stage();
    const policies = [budget, duplicate, approval];
    const run = await stage.start(stage.hire({ flows: [flow], tools: [look] }, { policies }), flow);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('1,2,3,4,5 reused');
    expect(codes(tree)).toEqual(['DUPLICATE_BLOCKED']);
  },
);
