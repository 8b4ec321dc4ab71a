import { expect, test } from 'vitest';
import { codes, Stage, stepAt, type Worker } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import type { Catalog } from '../world.ts';

const hang = (): Promise<Json> => new Promise(() => {});

/** Workers that end one after the other while they work on a run. */
class Shift {
  readonly stage = new Stage();
  readonly #catalog: Partial<Catalog>;
  #now: Worker;

  constructor(catalog: Partial<Catalog>) {
    this.#catalog = catalog;
    this.#now = this.stage.hire(catalog);
  }

  start(): Promise<string> {
    const [flow] = this.#catalog.flows ?? [];
    if (!flow) throw new Error('no flow');
    return this.stage.start(this.#now, flow);
  }

  async lose(times: number): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      const lost = this.#now;
      this.#now = this.stage.hire(this.#catalog);
      await this.stage.bury(lost);
    }
  }

  async quit(): Promise<void> {
    await this.#now.quit();
  }
}

test('[E33] a run that three workers in a row ended with asks before it goes on', async () => {
  let tries = 0;
  const deadly = toolOf('deadly', () => {
    tries += 1;
    return hang();
  });
  const flow = flowOf(async (scope) => (await scope.call('deadly', {}, { key: 'call' })).outcome);
  const shift = new Shift({ flows: [flow], tools: [deadly] });
  const run = await shift.start();
  await shift.lose(2);
  expect(tries).toBe(3);
  expect(codes(await shift.stage.tree(run))).toEqual(['ON_ITS_OWN']);
  await shift.lose(1);
  const tree = await shift.stage.tree(run);
  expect(tries).toBe(3);
  expect([...tree.approvals.values()]).toEqual([
    expect.objectContaining({
      step: 0,
      title: 'Shall this run go on?',
      message: expect.stringMatching(/^3 workers in a row ended or lost this run, and it got no further/),
      allowed: ['approve', 'reject', 'defer'],
    }),
  ]);
  expect(await shift.stage.state(run)).toBe('waiting');
  expect(tree.spent.calls).toBe(1);

  await shift.stage.decide(run, { decision: 'approve' });
  await calm();
  expect(tries).toBe(4);
  await shift.lose(1);
  expect(tries).toBe(4);
  await shift.stage.decide(run, { decision: 'reject' });
  await calm();
  expect((await shift.stage.tree(run)).ended?.outcome).toBe('stopped');
});

test('[E33] a run that gets further each time goes on, however many workers end', async () => {
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<Json>());
  const flow = flowOf(async (scope) => {
    for (const [i] of gates.entries()) await scope.call('next', { i }, { key: `call${i}` });
    return 'done';
  });
  const next = toolOf('next', (input) => gates[(input as { i: number }).i]?.promise ?? null);
  const shift = new Shift({ flows: [flow], tools: [next] });
  const run = await shift.start();
  for (const gate of gates) {
    await shift.lose(2);
    gate.resolve(1);
    await calm();
  }
  const tree = await shift.stage.tree(run);
  expect(tree.approvals.size).toBe(0);
  expect(tree.ended?.answer).toBe('done');
});

test('[E34] runs that two workers ended with go on one at a time: the next end tells which it was', async () => {
  const begun: string[] = [];
  let mayEnd = false;
  const deadly = toolOf('work', (_, { run }) => {
    begun.push(run);
    return mayEnd ? 1 : hang();
  });
  const flow = flowOf(async (scope) => (await scope.call('work', {}, { key: 'call' })).outcome);
  const shift = new Shift({ flows: [flow], tools: [deadly] });
  const [guilty, innocent] = [await shift.start(), await shift.start()];
  await shift.lose(1);
  expect(begun).toHaveLength(4);
  await shift.lose(1);
  // Both are suspected; one of them waits for the other.
  expect(begun).toHaveLength(5);
  const first = begun[4] === guilty ? guilty : innocent;
  const second = first === guilty ? innocent : guilty;
  mayEnd = true;
  await shift.lose(1);
  await calm();
  expect((await shift.stage.tree(second)).ended?.answer).toBe('completed');
  const set = await shift.stage.tree(first);
  expect(set.ended).toBeUndefined();
  expect(set.approvals.size).toBe(1);
});

test('[E32] a leaf that three workers ended with asks, though other branches got further', async () => {
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<Json>());
  let tries = 0;
  const tools = [
    toolOf('deadly', () => {
      tries += 1;
      return hang();
    }),
    toolOf('next', (input) => gates[(input as { i: number }).i]?.promise ?? null),
  ];
  const flow = flowOf(async (scope) => {
    const { deadly } = await scope.parallel({
      deadly: async (branch) => (await branch.call('deadly', {}, { key: 'deadly-call' })).outcome,
      others: async (branch) => {
        for (const [i] of gates.entries()) await branch.call('next', { i }, { key: `call${i}` });
      },
    });
    return deadly;
  });
  const shift = new Shift({ flows: [flow], tools });
  const run = await shift.start();
  for (const gate of gates.slice(0, 3)) {
    gate.resolve(1);
    await calm();
    await shift.lose(1);
  }
  const asked = await shift.stage.tree(run);
  expect(tries).toBe(3);
  expect([...asked.approvals.values()]).toMatchObject([
    {
      title: 'Shall «deadly» be tried again?',
      message: expect.stringMatching(/^3 workers ended or lost the run during it/),
    },
  ]);
  for (const gate of gates) gate.resolve(1);
  await shift.stage.decide(run, { decision: 'reject' });
  await calm();
  const tree = await shift.stage.tree(run);
  expect(stepAt(tree, 'deadly-call').status).toBe('skipped');
  expect(tree.ended?.answer).toBe('skipped');
});
