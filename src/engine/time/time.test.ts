import { describe, expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import type { OtherClock } from '../../../test/virtual-clock.ts';
import { agentOf, flowOf, toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Json } from '../../run/values.ts';
import { foldAll } from '../../run/entries.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { Store } from '../../stores/store.ts';

const second = 1_000;
const hour = 3_600 * second;
const year = 365 * 24 * hour;
const never = new AbortController().signal;
const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

const steps = [
  { name: 'an hour ahead', by: hour },
  { name: 'a year ahead', by: year },
  { name: 'an hour back', by: -hour },
  { name: 'a year back', by: -year },
].flatMap((step) => [
  { ...step, isStores: false },
  { ...step, name: `${step.name}, and the store’s with it,`, isStores: true },
]);

/** A stage, and the clock of a worker on it, which the store may share. */
function stageWith({ isStores }: { readonly isStores: boolean }) {
  const own: { clock?: OtherClock } = {};
  const stage = new Stage((now) =>
    memoryStore({ now: () => (isStores ? own.clock?.now() : undefined) ?? now() }),
  );
  const clock = (own.clock = stage.clock.elsewhere());
  return { stage, clock };
}

/** A tool that is under way until it is let go. */
function held(name: string, effect: 'once' | 'pure' = 'once') {
  const deeds: Json[] = [];
  const over = Promise.withResolvers<Json>();
  const tool = toolOf(name, (input) => (deeds.push(input), over.promise), { effect, timeout: 10 * hour });
  return { tool, deeds, finish: () => over.resolve('done') };
}

describe('a worker whose clock is set', () => {
  test.for(steps)(
    '[E65] [R08] $name keeps its runs, and what was begun is not in doubt',
    async ({ by, isStores }) => {
      const { stage, clock } = stageWith({ isStores });
      const { tool, deeds, finish } = held('charge');
      const flow = flowOf(async (scope) => {
        const first = await scope.call('charge', { n: 1 }, { key: 'first' });
        const second = await scope.call('note', {}, { key: 'second' });
        return `${first.outcome} ${second.outcome}`;
      });
      const note = toolOf('note', () => 'noted', { effect: 'once' });
      const worker = stage.hire({ flows: [flow], tools: [tool, note] }, { clock });
      if (!isStores) stage.hire({ flows: [flow], tools: [tool, note] });
      const run = await stage.start(worker, flow, { limits: { seconds: 1e12 } });
      clock.set(by);
      await stage.clock.pass(2 * second);
      finish();
      await stage.clock.pass(2 * second);
      const tree = await stage.tree(run);
      expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'completed completed' });
      expect([tree.takeovers, tree.approvals.size, deeds.length]).toEqual([0, 0, 1]);
    },
  );

  test.for(steps)(
    '[E68 F15] [R08] $name uses up no budget, also as it is recovered',
    async ({ by, isStores }) => {
      const { stage, clock } = stageWith({ isStores });
      const model: Agent = {
        ...agentOf('model', () => []),
        gateway: {
          async *takeTurn() {
            for (let i = 0; i < 20; i += 1) {
              await clock.sleep(second, never);
              if (i === 10) clock.set(by);
              yield [{ type: 'text.appended', text: 'x' }];
            }
            yield [{ type: 'turn.finished', reason: 'stop' }];
          },
        },
      };
      const flow = flowOf(async (scope) => (await scope.turn('model', user('go'))).text);
      const run = await stage.start(stage.hire({ flows: [flow], agents: [model] }, { clock }), flow, {
        limits: { seconds: 3_600 },
      });
      await stage.clock.pass(30 * second);
      const tree = await stage.tree(run);
      expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'x'.repeat(20) });
      expect(tree.spent.milliseconds).toBeGreaterThanOrEqual(19 * second);
      expect(tree.spent.milliseconds).toBeLessThan(25 * second);
      const entries = await stage.entries(run);
      expect(foldAll(entries).spent).toEqual(tree.spent);
      expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => a - b));
    },
  );
});

describe('a worker whose clock differs from the store’s', () => {
  const clocks = [
    { name: 'a minute behind', by: -60 * second },
    { name: 'a minute ahead', by: 60 * second },
    { name: 'a year behind', by: -year },
    { name: 'a year ahead', by: year },
  ];

  test.for(clocks)('[E66] [R08] $name parks a run once, and a question expires in time', async ({ by }) => {
    const stage = new Stage();
    const flow = flowOf(
      async (scope) => (await scope.ask({ title: 'Go on?', expiresIn: 90 * second })).decision,
    );
    const { store, claims } = counting(stage.store);
    const worker = stage.hire({ flows: [flow] }, { store, clock: stage.clock.elsewhere(by) });
    const run = await stage.start(worker, flow);
    const asked = stage.clock.now();
    expect((await stage.asked(run))[0]?.expiresAt).toBe(asked + 90 * second);
    expect(await stage.state(run)).toBe('waiting');
    await stage.clock.pass(89 * second);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(5 * second);
    expect(claims()).toBe(1);
    expect((await stage.tree(run)).ended?.answer).toBe('expire');
    expect((await stage.entries(run)).length).toBeLessThan(10);
  });

  test('[E66] a run that is to be woken is woken once, not again and again', async () => {
    const stage = new Stage();
    const { store, claims } = counting(stage.store);
    const flow = flowOf(
      async (scope) => (await scope.ask({ title: 'Go on?', expiresIn: 60 * second })).decision,
    );
    const first = stage.hire({ flows: [flow] });
    const run = await stage.start(first, flow);
    expect(await stage.state(run)).toBe('waiting');
    await first.quit();
    // Whoever wakes it has a clock by which nothing is over yet.
    stage.hire({ flows: [flow] }, { store, clock: stage.clock.elsewhere(-60 * second) });
    await stage.clock.pass(64 * second);
    expect(claims()).toBe(1);
    expect((await stage.tree(run)).ended?.answer).toBe('expire');
  });

  test('[E67] takes times on from where they are, and they never go back', async () => {
    const stage = new Stage();
    const flow = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision);
    const run = await stage.start(
      stage.hire({ flows: [flow] }, { clock: stage.clock.elsewhere(-hour) }),
      flow,
    );
    await stage.clock.pass(hour);
    await stage.decide(run, { decision: 'approve' });
    const entries = await stage.entries(run);
    expect((await stage.tree(run)).ended?.answer).toBe('approve');
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(entries.at(-1)?.at).toBe(stage.clock.now());
  });
});

describe('a machine that sleeps, or a process that is stopped', () => {
  test.for([
    { name: 'its time stands still', isCounted: false },
    { name: 'its time goes on', isCounted: true },
  ])(
    '[E65 E68] [R08] [R41] past the lease, while $name: nobody else took its run, so it goes on',
    async ({ isCounted }) => {
      const stage = new Stage();
      const clock = stage.clock.elsewhere();
      const { tool, deeds, finish } = held('charge');
      const flow = flowOf(async (scope) => {
        const { outcome } = await scope.call('charge', {});
        return `${outcome} ${(await scope.call('note', {})).outcome}`;
      });
      const note = toolOf('note', () => 'noted', { effect: 'once' });
      const run = await stage.start(stage.hire({ flows: [flow], tools: [tool, note] }, { clock }), flow, {
        limits: { seconds: isCounted ? 100_000 : 600 },
      });
      clock.fallAsleep();
      await stage.clock.pass(8 * hour);
      clock.wakeUp({ isCounted });
      await stage.clock.pass(2 * second);
      finish();
      await stage.clock.pass(10 * second);
      const tree = await stage.tree(run);
      expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'completed completed' });
      expect([tree.takeovers, tree.approvals.size, deeds.length]).toEqual([0, 0, 1]);
      if (!isCounted) expect(tree.spent.milliseconds).toBeLessThan(60 * second);
      // People see when it really went on.
      expect(stepAt(tree, 'call2').openedAt).toBeGreaterThanOrEqual(stage.clock.now() - 20 * second);
    },
  );

  test('[E4 E65] [R41] past the lease, and another took its run: it is fenced, and repeats nothing', async () => {
    const stage = new Stage();
    const clock = stage.clock.elsewhere();
    const { tool, deeds, finish } = held('charge');
    const notes: Json[] = [];
    const flow = flowOf(async (scope) => {
      const { outcome } = await scope.call('charge', {});
      return `${outcome} ${(await scope.call('note', {})).outcome}`;
    });
    const note = toolOf('note', () => notes.push(1), { effect: 'once' });
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool, note] }, { clock }), flow);
    stage.hire({ flows: [flow], tools: [tool, note] });
    clock.fallAsleep();
    await stage.clock.pass(150 * second);
    clock.wakeUp({ isCounted: true });
    finish();
    await stage.clock.pass(10 * second);
    expect(deeds).toHaveLength(1);
    expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['Did «charge» happen?']);
    await stage.decide(run, { decision: 'approve' });
    await stage.clock.pass(second);
    expect((await stage.tree(run)).ended?.answer).toBe('completed completed');
    expect([deeds.length, notes.length]).toEqual([1, 1]);
  });
});

test('[E4 E65] a worker that slept after its intent was recorded, and was set back, does not act on it', async () => {
  const stage = new Stage();
  const clock = stage.clock.elsewhere();
  const notes: Json[] = [];
  const note = toolOf('note', () => notes.push(1), { effect: 'once' });
  const flow = flowOf(async (scope) => (await scope.call('note', {})).outcome);
  const { journal } = stage.store;
  const append: typeof journal.append = async (entries) => {
    await journal.append(entries);
    if (entries.frames.includes('step.opened')) clock.fallAsleep();
    await clock.awake;
  };
  const store = { ...stage.store, journal: { ...journal, append, offer: undefined } };
  const run = await stage.start(stage.hire({ flows: [flow], tools: [note] }, { clock, store }), flow);
  stage.hire({ flows: [flow], tools: [note] });
  await stage.clock.pass(20 * second);
  expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['Did «note» happen?']);
  clock.set(-20 * second);
  clock.wakeUp({ isCounted: true });
  await stage.clock.pass(10 * second);
  expect(notes).toEqual([]);
});

test('[E64] [R42] a tool that takes ten minutes is run once, and keeps its run', async () => {
  const stage = new Stage();
  const { tool, deeds, finish } = held('long', 'pure');
  const flow = flowOf(async (scope) => (await scope.call('long', {})).outcome);
  const tools = [tool];
  const runs = [];
  const worker = stage.hire({ flows: [flow], tools });
  for (let i = 0; i < 50; i += 1) runs.push(await stage.start(worker, flow));
  stage.hire({ flows: [flow], tools });
  await stage.clock.pass(600 * second);
  finish();
  await stage.clock.pass(second);
  for (const run of runs) {
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, tree.takeovers, stepAt(tree, 'call1').attempt]).toEqual(['completed', 0, 1]);
  }
  expect(deeds).toHaveLength(50);
});

/** Counts what is claimed. Where a run is woken for ever on a clock that stands still, it ends that. */
function counting(store: Store): { store: Store; claims: () => number } {
  let claims = 0;
  const claim: Store['dispatch']['claim'] = async (request) => {
    const claimed = claims < 50 ? await store.dispatch.claim(request) : [];
    claims += claimed.length;
    return claimed;
  };
  return { store: { ...store, dispatch: { ...store.dispatch, claim } }, claims: () => claims };
}
