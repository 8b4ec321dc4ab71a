import { expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { channelled } from '../../gateways/http/event-channel.ts';
import type { Store } from '../../stores/store.ts';

const piece = 'x'.repeat(10_000);
const pieces = 500;

/** An agent that says one piece after the other for as long as it may, up to 5 MB. */
function talker(): { agent: Agent; brought: () => number } {
  let brought = 0;
  const gateway: Agent['gateway'] = {
    takeTurn: (_, signal) =>
      channelled(signal, async (channel) => {
        while (brought < pieces && !channel.isOver) {
          const room = Promise.withResolvers<void>();
          channel.source = { resume: () => room.resolve(), cancel: () => room.resolve() };
          brought += 1;
          if (!channel.push([{ type: 'text.appended', text: piece }])) await room.promise;
        }
        channel.push([{ type: 'turn.finished', reason: 'stop' }]);
      }),
  };
  const agent: Agent = { name: 'talker', description: '', effect: 'pure', gateway };
  return { agent, brought: () => brought };
}

/** A store that does not answer appends until it is let. */
function holding(inner: Store): { store: Store; letGo: () => void } {
  const { journal } = inner;
  const free = Promise.withResolvers<void>();
  const append: typeof journal.append = async (wanted) => {
    if (wanted.frames.includes(piece)) await free.promise;
    return journal.append(wanted);
  };
  return {
    store: { ...inner, journal: { ...journal, append, offer: undefined } },
    letGo: () => free.resolve(),
  };
}

test('[E243] whoever brings more than can be written is told to wait, and goes on when it is written', async () => {
  const { agent, brought } = talker();
  const stage = new Stage();
  const { store, letGo } = holding(stage.store);
  const flow = flowOf(async (scope) => String((await scope.turn('talker', { messages: [] })).text.length));
  const limits = { tokens: 10_000_000 };
  const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }, { store }), flow, { limits });
  const before = brought();
  expect(before * piece.length).toBeGreaterThan(2_000_000);
  expect(before * piece.length).toBeLessThan(2_500_000);
  letGo();
  const tree = await stage.tree(run);
  expect([tree.ended?.answer, brought()]).toEqual([String(pieces * piece.length), pieces]);
});
