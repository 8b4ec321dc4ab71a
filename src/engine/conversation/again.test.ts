import { describe, expect, test } from 'vitest';
import { Stage, type Worker } from '../../../test/stage.ts';
import { agentOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Turn } from '../../gateways/gateway.ts';
import type { Flow } from '../scope.ts';

let isHeld = false;

const recalls: Flow = {
  name: 'recalls',
  version: '1',
  async run(scope, { text }) {
    await scope.step({ key: 'w', title: 'Work' }, () =>
      isHeld ? new Promise(() => {}) : Promise.resolve(0),
    );
    const said = (await scope.history()).map((exchange) => `${exchange.text}→${exchange.answer}`);
    return `${text}[${said.join(' ')}]`;
  },
};

interface Asked {
  readonly text: string;
  readonly replaces?: string;
  /** Its worker dies before it has looked back. */
  readonly cut?: boolean;
}

async function told(
  stage: Stage,
  workers: Worker[],
  { text, replaces, cut = false }: Asked,
): Promise<{ readonly run: string; readonly answer: unknown }> {
  const [worker] = workers;
  if (!worker) throw new Error('nobody works');
  isHeld = cut;
  const more = { input: { text }, conversation: 'c1', ...(replaces === undefined ? {} : { replaces }) };
  const run = await stage.start(worker, recalls, more);
  isHeld = false;
  if (cut) {
    workers.splice(0, 1, stage.hire({ flows: [recalls] }));
    await stage.bury(worker);
  }
  return { run, answer: (await stage.tree(run)).ended?.answer };
}

describe('[N13] a run that takes the place of another', () => {
  test.for([false, true])(
    'has the history that one had, and counts instead of it (killed: %s)',
    async (cut) => {
      const stage = new Stage();
      const workers = [stage.hire({ flows: [recalls] })];
      const one = await told(stage, workers, { text: 'one' });
      const two = await told(stage, workers, { text: 'two' });
      const three = await told(stage, workers, { text: 'three' });
      expect(three.answer).toContain('one→one[] two→two[');
      const again = await told(stage, workers, { text: 'two', replaces: two.run, cut });
      expect(again.answer).toBe(two.answer);
      expect((await stage.tree(again.run)).started).toMatchObject({ replaces: two.run, earlier: [one.run] });
      expect((await stage.tree(again.run)).takeovers).toBe(cut ? 1 : 0);
      const other = await told(stage, workers, { text: 'other', replaces: again.run, cut });
      expect(other.answer).toBe('other[one→one[]]');
      const last = await told(stage, workers, { text: 'last', cut });
      expect(last.answer).toBe(`last[one→one[] other→other[one→one[]] three→${String(three.answer)}]`);
      expect(stage.problems).toEqual([]);
    },
  );

  test('is refused while that one works, or once another has its place', async () => {
    const stage = new Stage();
    const workers = [stage.hire({ flows: [recalls] })];
    const [worker] = workers;
    isHeld = true;
    const open = worker ? await stage.start(worker, recalls, { conversation: 'c1' }) : '';
    await expect(told(stage, workers, { text: 'x', replaces: open })).rejects.toThrow(/has not ended/);
    await stage.send(open, { type: 'stop', by: 'ann' });
    expect((await stage.tree(open)).ended?.outcome).toBe('stopped');
    const { run } = await told(stage, workers, { text: 'x', replaces: open });
    await expect(told(stage, workers, { text: 'y', replaces: open })).rejects.toThrow(`replaced by ${run}`);
  });
});

describe('[N14] an agent that remembers', () => {
  const talk: Flow = {
    name: 'talk',
    version: '1',
    run: async (scope, { text }) => (await scope.turn('graph', { messages: [{ role: 'user', text }] })).text,
  };

  test('is told what it was told in that place, and later what was said there last', async () => {
    const sent: Turn[] = [];
    let turns = 0;
    const graph: Agent = {
      ...agentOf('graph', (turn) => {
        sent.push(turn);
        turns += 1;
        const state = { turn: turns };
        return [
          { type: 'say', text: `re${turns}` },
          { type: 'state.reported', state },
        ];
      }),
      state: 'restore',
    };
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [graph] });
    const say = async (text: string, replaces?: string): Promise<string> => {
      const run = await stage.start(worker, talk, {
        input: { text },
        conversation: 'c1',
        ...(replaces ? { replaces } : {}),
      });
      await stage.tree(run);
      await stage.clock.pass(1_000);
      return run;
    };
    const heard = (): string =>
      sent
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join(' ') ?? '';
    await say('one');
    const two = await say('two');
    await say('three');
    expect(heard()).toBe('one re1 two re2 three');
    await say('two', two);
    expect(heard()).toBe('one re1 two');
    await say('four');
    expect(heard()).toBe('one re1 two re4 three re3 four');
    expect(stage.problems).toEqual([]);
  });
});
