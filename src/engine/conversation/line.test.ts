import { Secrets } from '../../guards/secrets.ts';
import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt, type Worker } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { calm as noFaults, Simulation } from '../../../test/simulation.ts';
import { overDatabase } from '../../../test/database/over-database.ts';
import { overMemory } from '../../../test/storm/over-memory.ts';
import { budget } from '../../policies/standard.ts';
import { RunError } from '../../run/failure.ts';
import type { RunState, Store } from '../../stores/store.ts';
import { Engine } from '../../../test/engine.ts';
import type { Flow } from '../scope.ts';
import { sha256 } from '../../loop/machine.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

/** An agent that lives elsewhere: who talks to it, who talks at the same time, and who may go on. */
function remote(name = 'remote', effect: Agent['effect'] = 'once') {
  const begun: string[] = [];
  const going = new Map<string, () => void>();
  const overlaps: string[] = [];
  const agent: Agent = {
    name,
    description: '',
    effect,
    gateway: {
      async *takeTurn({ messages, conversation }) {
        const text = messages.at(-1)?.text ?? '';
        const place = `${conversation} `;
        if ([...going.keys()].some((other) => other.startsWith(place))) overlaps.push(text);
        begun.push(text);
        await new Promise<void>((resolve) => going.set(place + text, resolve));
        going.delete(place + text);
        yield [{ type: 'text.appended', text: `re: ${text}` }];
      },
    },
  };
  const finish = async (text: string): Promise<void> => {
    for (const [key, resolve] of going) if (key.endsWith(` ${text}`)) resolve();
    await calm();
  };
  return { agent, begun, overlaps, finish, forget: () => going.clear() };
}

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope, { text }) => (await scope.turn('remote', user(text))).text,
};

function say(stage: Stage, worker: Worker, text: string) {
  return stage.start(worker, talk, { input: { text }, conversation: 'c1' });
}

describe('turns of one agent in one conversation', () => {
  test('[E70 E71 E72] of two runs come one after the other, and the wait is shown', async () => {
    const { agent, begun, overlaps, finish } = remote();
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [agent] });
    const one = await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    await stage.clock.pass(10_000);
    const waiting = await stage.tree(two);
    expect([begun, codes(waiting), stepAt(waiting, 'turn1').started]).toEqual([
      ['one'],
      ['WAITING_FOR_TURN'],
      false,
    ]);
    expect(await stage.state(two)).toBe('waiting');
    await finish('one');
    expect((await stage.tree(one)).ended?.answer).toBe('re: one');
    await calm();
    expect(begun).toEqual(['one', 'two']);
    await finish('two');
    const tree = await stage.tree(two);
    expect([tree.ended?.answer, codes(tree), stepAt(tree, 'turn1').attempt]).toEqual([
      're: two',
      ['WAITING_FOR_TURN'],
      1,
    ]);
    expect([overlaps, stage.problems]).toEqual([[], []]);
  });

  test('[E72] the next may begin when the one before is stopped', async () => {
    const { agent, begun, finish } = remote();
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [agent] });
    const one = await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    await stage.send(one, { type: 'stop', by: 'ann' });
    await stage.clock.pass(300);
    expect(begun).toEqual(['one', 'two']);
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
  });

  test('[E48] one that waits in line can be stopped, and the line goes on', async () => {
    const { agent, begun, finish } = remote();
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [agent] });
    await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    const three = await say(stage, worker, 'three');
    await stage.send(two, { type: 'stop', by: 'ann' });
    expect((await stage.tree(two)).ended?.outcome).toBe('stopped');
    await finish('one');
    expect(begun).toEqual(['one', 'three']);
    await finish('three');
    expect((await stage.tree(three)).ended?.answer).toBe('re: three');
  });

  test('[E72 E73] a place survives the crash, and is freed when a person settles the doubt', async () => {
    const { agent, begun, finish, forget } = remote();
    const flow: Flow = {
      ...talk,
      run: async (scope, { text }) => {
        const said = await scope.turn('remote', user(text)).catch(() => ({ text: 'not counted on' }));
        if (text === 'one') await scope.ask({ title: 'Anything else?' });
        return said.text;
      },
    };
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], agents: [agent] });
    const one = await say(stage, first, 'one');
    forget();
    const second = stage.hire({ flows: [flow], agents: [agent] });
    await stage.bury(first);
    const two = await say(stage, second, 'two');
    expect([begun, codes(await stage.tree(two))]).toEqual([['one'], ['WAITING_FOR_PERSON']]);
    await stage.decide(one, { decision: 'reject' });
    expect((await stage.tree(one)).ended).toBeUndefined();
    expect(begun).toEqual(['one', 'two']);
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
  });

  test('[E73] a run whose turn had come when its worker died keeps nobody once it is paused', async () => {
    const { agent, begun, finish } = remote();
    const stage = new Stage();
    const first = hireToDieInLine(stage, agent);
    const one = await say(stage, first, 'one');
    const second = stage.hire({ flows: [talk], agents: [agent] });
    const two = await say(stage, second, 'two');
    await stage.send(one, { type: 'pause', by: 'ann' });
    await stage.clock.pass(20_000);
    expect([await stage.state(one), begun]).toEqual(['waiting', ['two']]);
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
    await stage.send(one, { type: 'resume', by: 'ann' });
    await stage.clock.pass(1_000);
    await finish('one');
    expect((await stage.tree(one)).ended?.answer).toBe('re: one');
  });

  test('[E201] a run whose flow nobody has keeps nobody once its pause is recorded', async () => {
    const { agent, begun } = remote();
    const stage = new Stage();
    const { dispatch } = stage.store;
    const first = hireToDieInLine(stage, agent);
    const one = await say(stage, first, 'one');
    const other = { ...talk, name: 'other' };
    const second = stage.hire({ flows: [other], agents: [agent] });
    await stage.start(second, other, { input: { text: 'two' }, conversation: 'c1' });
    await stage.clock.pass(20_000);
    expect(begun).toEqual([]);
    await stage.send(one, { type: 'pause', by: 'ann' });
    const row = await dispatch.get(one);
    if (row) await second.engine.record(row);
    await stage.clock.pass(20_000);
    expect([await stage.state(one), begun]).toEqual(['waiting', ['two']]);
  });

  test('[E73] a run whose turn is in doubt keeps its place, though it is paused', async () => {
    const { agent, begun, forget } = remote();
    const stage = new Stage();
    const first = stage.hire({ flows: [talk], agents: [agent] });
    const one = await say(stage, first, 'one');
    forget();
    const second = stage.hire({ flows: [talk], agents: [agent] });
    await say(stage, second, 'two');
    await stage.send(one, { type: 'pause', by: 'ann' });
    await stage.bury(first);
    expect([await stage.state(one), begun]).toEqual(['waiting', ['one']]);
  });

  test('[E70 E71] of two branches come one after the other, in the order they asked', async () => {
    const { agent, begun, overlaps, finish } = remote();
    const flow = flowOf(async (scope) => {
      const { a, b, c } = await scope.parallel({
        a: async (branch) => (await branch.turn('remote', user('a'))).text,
        b: async (branch) => (await branch.turn('remote', user('b'))).text,
        c: async (branch) => (await branch.turn('remote', user('c'))).text,
      });
      return `${a} ${b} ${c}`;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
    expect(begun).toEqual(['a']);
    await finish('a');
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    await finish('c');
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('re: a re: b re: c');
    expect([overlaps, codes(tree)]).toEqual([[], ['WAITING_FOR_TURN', 'WAITING_FOR_TURN']]);
  });

  test('[E70 E73] of two branches stay apart after a crash, whichever the flow comes to first', async () => {
    const { agent, begun, overlaps, finish, forget } = remote('remote', 'idempotent');
    const flow = flowOf(async (scope) => {
      await scope.parallel({
        a: async (branch) => {
          await branch.call('slow', {});
          return (await branch.turn('remote', user('a'))).text;
        },
        b: async (branch) => (await branch.turn('remote', user('b'))).text,
      });
      return 'done';
    });
    const slow = toolOf('slow', () => calm().then(() => 1));
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], agents: [agent], tools: [slow] });
    const run = await stage.start(first, flow);
    await calm();
    expect([begun, codes(await stage.tree(run))]).toEqual([['b'], ['WAITING_FOR_TURN']]);
    forget();
    stage.hire({ flows: [flow], agents: [agent], tools: [slow] });
    await stage.bury(first);
    expect(begun).toEqual(['b', 'b']);
    await finish('b');
    expect(begun).toEqual(['b', 'b', 'a']);
    await finish('a');
    expect((await stage.tree(run)).ended?.answer).toBe('done');
    expect(overlaps).toEqual([]);
  });

  test('[E60] a run whose branches all wait is parked, one behind a question of the other', async () => {
    const { agent, begun, finish, forget } = remote();
    const flow = flowOf(async (scope) => {
      await scope.parallel({
        a: async (branch) => (await branch.turn('remote', user('a')).catch(() => null))?.text ?? null,
        b: async (branch) => (await branch.turn('remote', user('b'))).text,
      });
      return 'done';
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], agents: [agent] });
    const run = await stage.start(first, flow);
    forget();
    const second = stage.hire({ flows: [flow], agents: [agent] });
    await stage.bury(first);
    expect([await stage.state(run), second.engine.busyWith, begun]).toEqual(['waiting', [], ['a']]);
    await stage.decide(run, { decision: 'reject' });
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    expect((await stage.tree(run)).ended?.answer).toBe('done');
  });

  test('[E43 E70] a paused run does not keep the others from their turn', async () => {
    const { agent, begun, finish } = remote();
    const flow: Flow = {
      ...talk,
      run: async (scope, { text }) => {
        const both = await scope.parallel({
          busy: async (branch) => (text === 'two' ? (await branch.call('slow', {})).outcome : null),
          talk: async (branch) => (await branch.turn('remote', user(text))).text,
        });
        return both.talk;
      },
    };
    const slow = Promise.withResolvers<number>();
    const stage = new Stage();
    const tools = [toolOf('slow', () => slow.promise)];
    const worker = stage.hire({ flows: [flow], agents: [agent], tools });
    await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    const three = await say(stage, worker, 'three');
    await stage.send(two, { type: 'pause', by: 'ann' });
    await finish('one');
    await stage.clock.pass(3_000);
    expect(begun).toEqual(['one', 'three']);
    await finish('three');
    expect((await stage.tree(three)).ended?.answer).toBe('re: three');
    await stage.send(two, { type: 'resume', by: 'ann' });
    slow.resolve(1);
    await stage.clock.pass(3_000);
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
  });

  test('[E43 E70] a run that was parked in line and then paused does not keep the others either', async () => {
    const { agent, begun, finish } = remote();
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [agent] });
    await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    const three = await say(stage, worker, 'three');
    await stage.send(two, { type: 'pause', by: 'ann' });
    await finish('one');
    await stage.clock.pass(3_000);
    expect(begun).toEqual(['one', 'three']);
    await finish('three');
    expect((await stage.tree(three)).ended?.answer).toBe('re: three');
    await stage.send(two, { type: 'resume', by: 'ann' });
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
  });

  test.for([
    {
      name: 'while it is being parked, and asks for it before it is',
      release: async (release: () => Promise<RunState>, turn: Promise<void>) => turn.then(release),
    },
    {
      name: 'while it is being parked, and the store’s word of it is lost',
      release: async (release: () => Promise<RunState>, turn: Promise<void>): Promise<RunState> => {
        await turn;
        if ((await release()) !== 'running') return 'waiting';
        throw new RunError('unavailable', 'The store did not answer.');
      },
    },
  ])('[E61] a run whose turn comes $name, goes on', async ({ release }) => {
    const { agent, begun, finish } = remote();
    const stage = new Stage();
    const { dispatch } = stage.store;
    const freed = Promise.withResolvers<void>();
    let isFirst = true;
    const slowly: Store = {
      ...stage.store,
      dispatch: {
        ...dispatch,
        async release(request) {
          if (!isFirst) return dispatch.release(request);
          isFirst = false;
          return release(() => dispatch.release(request), freed.promise);
        },
      },
    };
    const worker = stage.hire({ flows: [talk], agents: [agent] }, { store: slowly });
    await say(stage, worker, 'one');
    const two = await say(stage, worker, 'two');
    await finish('one');
    await stage.clock.pass(2_000);
    freed.resolve();
    await stage.clock.pass(2_000);
    expect(begun).toEqual(['one', 'two']);
    await finish('two');
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
  });
});

test('[E74] other conversations, other agents, other tenants and pure agents do not wait', async () => {
  const here = remote();
  const other = remote('other');
  const model = remote('model', 'pure');
  const flow = flowOf(async (scope, text) => {
    await scope.parallel({
      remote: async (branch) => (await branch.turn('remote', user(text))).text,
      other: async (branch) => (await branch.turn('other', user(text))).text,
      model1: async (branch) => (await branch.turn('model', user(text))).text,
      model2: async (branch) => (await branch.turn('model', user(`${text}!`))).text,
    });
    return 'done';
  });
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], agents: [here.agent, other.agent, model.agent] });
  const start = (text: string, more: object) => stage.start(worker, flow, { input: { text }, ...more });
  await start('one', { conversation: 'c1' });
  await start('two', { conversation: 'c2' });
  await start('three', { conversation: 'c1', caller: { tenant: 'another', who: 'x' } });
  expect([here.begun, other.begun]).toEqual([
    ['one', 'two', 'three'],
    ['one', 'two', 'three'],
  ]);
  expect(model.begun).toEqual(['one', 'one!', 'two', 'two!', 'three', 'three!']);
});

const worlds = [
  { over: overMemory, schedules: 300, where: 'with crashes and lost answers', pace: 1 },
  { over: overDatabase, schedules: 60, where: 'over a database, with crashes and cut connections', pace: 3 },
];

test.for(worlds)(
  '[E61 E70 E73] over $schedules schedules $where: one at a time, and everyone gets their turn',
  async ({ over, schedules, pace }) => {
    for (let seed = 1; seed <= schedules; seed += 1) {
      const sim = new Simulation(
        seed,
        {
          crash: 0.004,
          freeze: 0,
          lost: 0.01,
          ambiguous: 0.01,
          cut: 0.01,
          deaf: 0.05,
          clock: 0.01,
        },
        over,
      );
      let ids = 0;
      let talking: { readonly text: string; readonly process: { isDead: boolean } } | undefined;
      const overlaps: string[] = [];
      const hire = (): void => {
        const process = sim.spawn(`worker-${(ids += 1)}`);
        const gateway: Agent['gateway'] = {
          async *takeTurn({ messages }) {
            const text = messages.at(-1)?.text ?? '';
            if (talking && !talking.process.isDead) overlaps.push(`${text} during ${talking.text}`);
            talking = { text, process };
            for (let i = 0; i < 3; i += 1) await sim.moment(process);
            talking = undefined;
            yield [{ type: 'text.appended', text }];
          },
        };
        const world = {
          store: sim.storeOf(process),
          clock: sim.clockOf(process),
          catalog: {
            flows: [talk],
            tools: [],
            agents: [{ name: 'remote', description: '', effect: 'idempotent' as const, gateway }],
          },
          policies: [budget],
          log: { error: () => {} },
          newId: (kind: string) => `${kind}${(ids += 1)}`,
          hash: sha256,
          secrets: new Secrets(),
        };
        void new Engine(world, process.name).work(new AbortController().signal);
      };
      const nobody = sim.immortal('nobody');
      sim.onCrash((dead) => {
        if (dead.name.startsWith('worker')) sim.schedule(nobody, hire, 5_000);
      });
      const runs = ['r1', 'r2', 'r3'];
      for (const run of runs) {
        await sim.store.dispatch.create({
          run,
          tenant: 't',
          conversation: 'c1',
          app: 'a',
          title: run,
          flow: 'talk@1',
          last: 1,
          frames: `id: 1\ndata: ${JSON.stringify({ t: sim.now, e: { type: 'run.started', tenant: 't', who: 'w', app: 'a', conversation: 'c1', input: { text: run }, flow: { name: 'talk', version: '1' }, limits: {}, labels: {} } })}\n\n`,
        });
      }
      hire();
      hire();
      await sim.until(() => false, 150 * pace);
      sim.odds = noFaults;
      const isOver = async (): Promise<boolean> =>
        (await Promise.all(runs.map((run) => sim.store.dispatch.get(run)))).every(
          (row) => row?.state === 'ended',
        );
      expect(await sim.until(isOver, 4_000 * pace), `seed ${seed}: all ended`).toBe(true);
      expect([...overlaps, ...sim.shared.wrongs()], `seed ${seed}`).toEqual([]);
    }
  },
);

/** A worker that dies the moment a turn of its run has come. */
function hireToDieInLine(stage: Stage, agent: Agent): Worker {
  const { dispatch } = stage.store;
  const hold: Store['dispatch']['hold'] = async (fence, name) => {
    const isFirst = await dispatch.hold(fence, name);
    dying.die();
    return isFirst;
  };
  const store = { ...stage.store, dispatch: { ...dispatch, hold } };
  const dying: Worker = stage.hire({ flows: [talk], agents: [agent] }, { store });
  return dying;
}
