import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { textOf } from '../../run/tree.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { Scope } from '../scope.ts';
import { encodeAll } from '../../run/entries.ts';

const second = 1_000;
const messages = [{ role: 'user' as const, text: 'go' }];
const isOver = (): string => 'over';

/** Work and an agent that never come to an end, and who of them was told to. */
function endless(effect: Agent['effect'] = 'pure') {
  const told: string[] = [];
  const contexts: ToolContext[] = [];
  const turns: string[] = [];
  const listen = (name: string, signal: AbortSignal): void =>
    signal.addEventListener('abort', () => told.push(name));
  const tool = toolOf(
    'work',
    (_, context) => {
      contexts.push(context);
      listen('call', context.signal);
      return new Promise(() => {});
    },
    { timeout: 3_600 * second },
  );
  const agent: Agent = {
    name: 'agent',
    description: '',
    effect,
    gateway: {
      async *takeTurn({ messages: given }, signal) {
        turns.push(given.at(-1)?.text ?? '');
        listen('turn', signal);
        await new Promise(() => {});
        yield [];
      },
    },
  };
  return { told, contexts, turns, catalog: { tools: [tool], agents: [agent] } };
}

describe('what was cut off by the end of its time', () => {
  test('[E307] calls and turns are told to end at that moment, while the run goes on', async () => {
    const { told, catalog } = endless();
    const own = Promise.withResolvers<string>();
    const flow = flowOf(async (scope) => {
      const late = await scope
        .step({ key: 'outer', within: 10 * second }, (outer) =>
          outer.parallel({
            call: (branch: Scope) => branch.step({ key: 'c' }, (inner) => inner.call('work', {})),
            turn: (branch: Scope) => branch.turn('agent', { messages }),
          }),
        )
        .then(() => 'done', isOver);
      return `${late} ${await own.promise}`;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], ...catalog }), flow);
    await stage.clock.pass(10 * second - 1);
    expect(told).toEqual([]);
    await stage.clock.pass(1);
    expect(told.toSorted()).toEqual(['call', 'turn']);
    own.resolve('went on');
    expect((await stage.tree(run)).ended?.answer).toBe('over went on');
  });

  test('[E307] is not recorded any more, whatever its flow or its tool says', async () => {
    const { contexts, catalog } = endless();
    const later = Promise.withResolvers<void>();
    const flow = flowOf(async (scope) => {
      await scope
        .step({ key: 'outer', within: 10 * second }, async (outer) => {
          outer.say('in time ');
          void later.promise.then(() => outer.say('too late'));
          await outer.call('work', {});
          return 'done';
        })
        .catch(isOver);
      return new Promise(() => {});
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], ...catalog }), flow);
    await stage.clock.pass(10 * second);
    const before = (await stage.entries(run)).length;
    later.resolve();
    contexts[0]?.say('too late');
    contexts[0]?.attach({ kind: 'citation', title: 'too late' });
    await stage.clock.pass(second);
    const tree = await stage.tree(run);
    expect((await stage.entries(run)).slice(before)).toEqual([]);
    expect([textOf(stepAt(tree, 'outer')), textOf(stepAt(tree, 'call1'))]).toEqual(['in time ', '']);
    expect(stage.problems).toEqual([]);
  });

  test('[E307] holds no place in line: another run of the conversation has its turn', async () => {
    const { turns, catalog } = endless('once');
    const first = flowOf(async (scope) => {
      await scope.turn('agent', { messages, within: 5 * second }).catch(isOver);
      await scope.ask({ title: 'And now?' });
      return 'end';
    });
    const next = flowOf(
      async (scope) => (await scope.turn('agent', { messages: [{ role: 'user', text: 'next' }] })).text,
      'next',
    );
    const stage = new Stage();
    const worker = stage.hire({ flows: [first, next], ...catalog });
    await stage.start(worker, first, { conversation: 'c1' });
    const run = await stage.start(worker, next, { conversation: 'c1' });
    await stage.clock.pass(4 * second);
    expect(turns).toEqual(['go']);
    await stage.clock.pass(second);
    expect(turns).toEqual(['go', 'next']);
    expect(codes(await stage.tree(run))).toEqual(['WAITING_FOR_TURN']);
  });

  test.for([
    ['a question', (scope: Scope) => scope.ask({ title: 'Well?' })],
    ['a wait', (scope: Scope) => scope.wait({ until: scope.openedAt + 3_600 * second })],
  ] as const)(
    '[E307] %s there is waited for no more: what the flow does by itself goes on',
    async ([, waits]) => {
      const { catalog } = endless();
      const own = Promise.withResolvers<string>();
      const flow = flowOf(async (scope) => {
        await scope
          .step({ key: 'outer', within: 10 * second }, (outer) =>
            outer.parallel({ waits, works: (branch: Scope) => branch.call('work', {}) }),
          )
          .catch(isOver);
        return own.promise;
      });
      const stage = new Stage();
      const run = await stage.start(stage.hire({ flows: [flow], ...catalog }), flow);
      await stage.clock.pass(10 * second);
      expect(await stage.state(run), 'a run whose flow goes on is not parked').toBe('running');
      own.resolve('by itself');
      expect((await stage.tree(run)).ended?.answer).toBe('by itself');
    },
  );

  test('[E311] and whose time was over when its worker died is not entered again', async () => {
    const play = () => {
      const { catalog } = endless();
      const seen = { entered: 0 };
      const flow = flowOf((scope) =>
        scope
          .step({ key: 'outer', title: 'Outer', within: 10 * second }, async (outer) => {
            seen.entered += 1;
            await outer.step({ key: 'deep' }, (deep) => deep.call('work', {}));
            return 'done';
          })
          .catch(isOver)
          .then((said) => `${said} ${scope.message()?.text}`),
      );
      return { seen, flow, catalog: { flows: [flow], ...catalog } };
    };
    const whole = play();
    const stage = new Stage();
    const run = await stage.start(stage.hire(whole.catalog), whole.flow);
    await stage.clock.pass(10 * second);
    const entries = await stage.entries(run);
    const cut = entries.findIndex(({ at }) => at === stage.clock.now());
    const end = entries.findIndex(({ event }) => event.type === 'run.ended');
    expect(end - cut, 'what was below is closed, and it').toBe(3);
    for (let kept = cut + 1; kept <= end; kept += 1) {
      const again = new Stage();
      await again.clock.pass(10 * second);
      const { seen, catalog } = play();
      const row = { tenant: 'local', conversation: 'c', app: 'test', title: 'again', flow: 'test@1' };
      const frames = encodeAll(entries.slice(0, kept));
      await again.store.dispatch.create({ run, ...row, last: kept, frames });
      await again.send(run, { type: 'message', by: 'ann', text: 'Hello.' });
      again.hire(catalog);
      await again.clock.pass(15 * second);
      expect((await again.tree(run)).ended?.answer, `kept ${kept}`).toBe('over Hello.');
      expect(seen.entered, `kept ${kept}`).toBe(0);
    }
  });
});
