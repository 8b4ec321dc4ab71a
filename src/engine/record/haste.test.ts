import { expect, test } from 'vitest';
import { Engine } from '../../../test/engine.ts';
import { ended, flowOf, startRun, testWorld, toolOf } from '../../../test/world.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { Haste, Store } from '../../stores/store.ts';

test('[Q135] a tool is begun in haste, a turn and the end of a run in some, and text in none', async () => {
  const store = memoryStore({ now: () => 0 });
  const hastes: Haste[] = [];
  const offer: Store['journal']['offer'] = (appender, haste) => {
    hastes.push(haste);
    store.journal.offer?.(appender, haste);
  };
  const since = (): readonly Haste[] => [...new Set(hastes.splice(0))];
  const seen: Record<string, readonly Haste[]> = {};
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const flow = flowOf(async (scope) => {
    await pause();
    since();
    scope.say('text');
    await pause();
    seen['text'] = since();
    const turn = scope.turn('agent', { messages: [] });
    await pause();
    seen['turn'] = since();
    await turn;
    await pause();
    since();
    const call = scope.call('tool', {});
    await pause();
    seen['call'] = since();
    await call;
    await pause();
    since();
    return 'done';
  });
  const tool = toolOf('tool', async () => {
    await pause();
    return null;
  });
  const gateway = {
    async *takeTurn() {
      await pause();
      yield [{ type: 'text.appended' as const, text: 'hello' }];
    },
  };
  const agents = [{ name: 'agent', description: '', effect: 'pure' as const, gateway }];
  const world = testWorld(
    { flows: [flow], agents, tools: [tool] },
    { store: { ...store, journal: { ...store.journal, offer } } },
  );
  const { run } = await startRun(new Engine(world, 'w'), flow);
  await ended(store, run);
  expect({ ...seen, end: since() }).toEqual({
    text: ['none'],
    turn: ['none', 'some'],
    call: ['none', 'great'],
    end: ['none', 'some'],
  });
});
