import { describe, expect, test } from 'vitest';
import { ask, begin, resultsIn, say } from '../../test/conversation.ts';
import { ended, toolOf, treeOf, until } from '../../test/world.ts';
import { outcomes } from './outcomes.ts';

describe('outcomes', () => {
  test('[C64] are kept under request, batch and call, with the message they served, and survive a restart', async () => {
    const gate = Promise.withResolvers<void>();
    const look = toolOf('look', async (input) => {
      await gate.promise;
      return input;
    });
    const { world, engine, run } = await begin({
      model: ({ messages, tools }) => {
        const seen = resultsIn(messages);
        if (!tools || seen > 2) return [say('Done.')];
        return seen === 0 ? [ask('look', { n: 1 })] : [ask('look', { n: seen }, 'c2')];
      },
      tools: [look],
      request: { labels: { requestId: 'req_9' } },
    });
    const over = new AbortController();
    const working = engine.work(over.signal);
    await until(world.store, run, (tree) => tree.working === 1);
    await engine.send(run, { type: 'message', by: 'ann', text: 'And now?' }, 'm1');
    await until(world.store, run, ({ messages }) => messages.size === 1);
    gate.resolve();
    await ended(world.store, run);
    over.abort();
    await working;
    const found = outcomes(await treeOf(world.store, run), run);
    expect(
      found.map(({ request, batch, call, outcome, message, result }) => [
        request,
        batch,
        call,
        outcome,
        message,
        result,
      ]),
    ).toEqual([
      ['req_9', 1, 'c1', 'completed', 'input', { n: 1 }],
      ['req_9', 2, 'c2', 'reused', 'm1', { n: 1 }],
      ['req_9', 3, 'c2', 'completed', 'm1', { n: 2 }],
    ]);
    expect(found[1]?.reusedFrom).toBe(found[0]?.step);
  });
});
