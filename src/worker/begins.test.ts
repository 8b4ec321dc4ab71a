import { expect, test, vi } from 'vitest';
import { Engine } from '../../test/engine.ts';
import { ended, entriesOf, flowOf, startRun, testWorld, toolOf } from '../../test/world.ts';
import { RunError } from '../run/failure.ts';

function scene() {
  const called: string[] = [];
  const tool = toolOf('note', (given) => {
    called.push('note');
    return given;
  });
  const flow = flowOf(async (scope) => {
    called.push('flow');
    await scope.call('note', {});
    return 'done';
  });
  const world = testWorld({ flows: [flow], tools: [tool] });
  return { called, flow, world, engine: new Engine(world, 'w1') };
}

const unavailable = (): RunError => new RunError('unavailable', 'The store is away.', { retryable: true });

test('[E281] a flow runs while its run is created, and nothing is called before that is known', async () => {
  const { called, flow, world, engine } = scene();
  const create = world.store.dispatch.create.bind(world.store.dispatch);
  const created = Promise.withResolvers<void>();
  vi.spyOn(world.store.dispatch, 'create').mockImplementation(async (wanted) => {
    await created.promise;
    return create(wanted);
  });
  const pending = vi.spyOn(world.store.mailbox, 'pending');
  const starting = startRun(engine, flow);
  await vi.waitUntil(() => called.length > 0);
  expect([called, pending.mock.calls.length]).toEqual([['flow'], 0]);
  created.resolve();
  const { run } = await starting;
  const tree = await ended(world.store, run);
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
  expect(called).toEqual(['flow', 'note']);
});

test('[E281] the store is asked nothing about a run before it is created', async () => {
  const flow = flowOf(async () => 'done');
  const world = testWorld({ flows: [flow] });
  const create = world.store.dispatch.create.bind(world.store.dispatch);
  const pending = vi.spyOn(world.store.mailbox, 'pending');
  const asked: number[] = [];
  vi.spyOn(world.store.dispatch, 'create').mockImplementation(async (wanted) => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    asked.push(pending.mock.calls.length);
    return create(wanted);
  });
  const { run } = await startRun(new Engine(world, 'w1'), flow);
  expect(asked).toEqual([0]);
  expect((await ended(world.store, run)).ended).toMatchObject({ answer: 'done' });
});

test.for([
  { name: 'was lost on its way', applied: false },
  { name: 'was made, and its answer lost', applied: true },
])('[E281] a creation that $name is asked for again, and the run is done once', async ({ applied }) => {
  const { called, flow, world, engine } = scene();
  const create = world.store.dispatch.create.bind(world.store.dispatch);
  vi.spyOn(world.store.dispatch, 'create').mockImplementationOnce(async (wanted) => {
    if (applied) await create(wanted);
    throw unavailable();
  });
  const { run } = await startRun(engine, flow);
  const tree = await ended(world.store, run);
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
  expect(called).toEqual(['flow', 'note']);
  const seqs = (await entriesOf(world.store, run)).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  expect(world.problems).toEqual([]);
});

test('[E281] where a run is not created, nothing is called and nothing is kept in hand', async () => {
  const { called, flow, world, engine } = scene();
  vi.spyOn(world.store.dispatch, 'create').mockRejectedValue(new RunError('refused', 'No.'));
  await expect(startRun(engine, flow)).rejects.toThrow('No.');
  await engine.idle();
  expect(called).not.toContain('note');
  expect([engine.busyWith, world.problems]).toEqual([[], []]);
});

test('[E281] where the same was asked for before, the flow that had begun is let go of', async () => {
  const { called, flow, world, engine } = scene();
  const start = () =>
    engine.start({
      app: 'test',
      flow,
      input: { text: 'go' },
      caller: { tenant: 'local', who: 'ann', idempotencyKey: 'same' },
    });
  const [first, second] = [await start(), await start()];
  expect([first.created, second]).toEqual([true, { ...first, created: false }]);
  await engine.idle();
  expect(called.filter((name) => name === 'note')).toEqual(['note']);
  expect(world.problems).toEqual([]);
});
