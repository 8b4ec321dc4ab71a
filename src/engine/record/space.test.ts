import { describe, expect, test } from 'vitest';
import { codes, Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { RunError } from '../../run/failure.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

const talkative: Agent = {
  name: 'model',
  description: '',
  effect: 'pure',
  gateway: {
    async *takeTurn() {
      for (let i = 0; i < 200; i += 1) {
        yield [{ type: 'text.appended', text: 'word ' }];
        await Promise.resolve();
      }
    },
  },
};

/** Works until it is refused, and then sums up. */
const tireless = flowOf(async (scope) => {
  for (;;) {
    const said = await scope.turn('model', user('more')).catch((thrown: RunError) => thrown.failure.code);
    if (typeof said === 'string') break;
  }
  return `In short: ${(await scope.turn('model', { ...user('sum up'), answers: true })).text.slice(0, 5)}`;
});

test('[J8] what a flow says in one go is written in pieces that can be read one at a time', async () => {
  const flow = flowOf(async (scope) => {
    for (let i = 0; i < 200; i += 1) scope.say('x'.repeat(30_000));
    return 'said';
  });
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow] }), flow);
  const tree = await stage.tree(run);
  expect(tree.ended?.answer).toBe('said');
  const chunks = [];
  for (let after = 0; after < tree.seq; after = chunks.at(-1)?.last ?? tree.seq)
    chunks.push(...(await stage.store.journal.read(run, after)));
  expect(Math.max(...chunks.map(({ frames }) => frames.length))).toBeLessThan(1_200_000);
});

describe('the space of a run', () => {
  test.for([
    ['entries', { entries: 500 }, 'The run has used up its 500 entries.'],
    ['bytes', { bytes: 20_000 }, 'The run has used up its 20000 bytes.'],
  ] as const)('[E190] is so many %s, and it ends with an answer', async ([, limits, message]) => {
    const stage = new Stage();
    const worker = stage.hire({ flows: [tireless], agents: [talkative] });
    const tree = await stage.tree(
      await stage.start(worker, tireless, { limits: { ...limits, turns: 1_000, tokens: 1_000_000_000 } }),
    );
    expect(tree.ended?.answer).toBe('In short: word ');
    const failures = [...tree.steps.values()].map(({ failure }) => failure?.message);
    expect(failures).toContain(message);
    expect(tree.seq).toBeLessThan(2_000);
  });

  test('[E190] counts what is kept beside the journal', async () => {
    const stage = new Stage();
    const large = toolOf('large', () => 'x'.repeat(100_000));
    const flow = flowOf(async (scope) => {
      const outcomes: string[] = [];
      for (let i = 0; i < 5; i += 1) outcomes.push((await scope.call('large', { i })).outcome);
      return outcomes.join();
    });
    const worker = stage.hire({ flows: [flow], tools: [large] });
    const tree = await stage.tree(await stage.start(worker, flow, { limits: { bytes: 250_000 } }));
    expect(tree.ended?.answer).toBe('completed,completed,completed,skipped,skipped');
  });

  test('[E190] is the same after a recovery', async () => {
    const stage = new Stage();
    const large = toolOf('large', () => 'x'.repeat(100_000));
    const flow = flowOf(async (scope) => {
      const outcomes: string[] = [];
      for (let i = 0; i < 2; i += 1) outcomes.push((await scope.call('large', { i })).outcome);
      await scope.ask({ title: 'Go on?' });
      for (let i = 2; i < 5; i += 1) outcomes.push((await scope.call('large', { i })).outcome);
      return outcomes.join();
    });
    const first = stage.hire({ flows: [flow], tools: [large] });
    const run = await stage.start(first, flow, { limits: { bytes: 250_000 } });
    await first.quit();
    stage.hire({ flows: [flow], tools: [large] });
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed,completed,completed,skipped,skipped');
  });

  test('[E191] ends a flow that goes on all the same, with a notice and an answer', async () => {
    const endless = flowOf(async (scope) => {
      for (let i = 0; ; i += 1) {
        scope.say('and so on ');
        if (i % 100 === 0) await scope.step({ key: `${i}` }, async () => {});
      }
    });
    const stage = new Stage();
    const worker = stage.hire({ flows: [endless] });
    const tree = await stage.tree(await stage.start(worker, endless, { limits: { entries: 100 } }));
    expect(tree.ended).toMatchObject({
      outcome: 'failed',
      failure: { code: 'over-budget' },
      answer: 'I could not finish this. The run has used up its 100 entries.',
    });
    expect(codes(tree)).toEqual(['BUDGET_EXHAUSTED']);
    expect(tree.seq).toBeLessThan(12_000);
  });

  test('[E192] of all runs of a tenant is so many bytes', async () => {
    const stage = new Stage();
    const worker = stage.hire({ flows: [tireless], agents: [talkative] }, { bytesPerTenant: 1_000_000 });
    const limits = { turns: 100_000, tokens: 1_000_000_000, entries: 100_000 };
    const answers: (string | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) {
      const tree = await stage.tree(await stage.start(worker, tireless, { limits }));
      answers.push([...tree.steps.values()].map(({ failure }) => failure?.message).findLast(Boolean));
    }
    expect(answers[0]).toBe('All runs together have used up their 1000000 bytes: erase some.');
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(await stage.store.blobs.held('tenant')).toBeLessThan(3_000_000);
  });
});
