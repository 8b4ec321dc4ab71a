import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf } from '../../../test/world.ts';
import { flatApproval } from '../../run/flat-approval.ts';
import { encodeAll } from '../../run/entries.ts';

const second = 1_000;
const hour = 3_600 * second;

const flow = flowOf(async (scope) => {
  const { decision, arguments: edited } = await scope.ask({
    title: 'Post this?',
    arguments: { text: 'Down at noon.' },
    allowed: ['approve', 'reject', 'edit', 'defer'],
    editSchema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string', maxLength: 20 } },
    },
  });
  return JSON.stringify([decision, edited]);
});

async function asked() {
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow] });
  const run = await stage.start(worker, flow);
  const status = async () => (await stage.asked(run)).map((approval) => flatApproval(approval).status);
  return { stage, worker, run, status };
}

describe('a question that was put off', () => {
  test('[E313] until a time is to be decided again then, also over a restart, and the run is parked meanwhile', async () => {
    const { stage, worker, run, status } = await asked();
    const until = stage.clock.now() + 2 * hour;
    await stage.decide(run, { decision: 'defer', until });
    expect([await status(), await stage.state(run)]).toEqual([['deferred'], 'waiting']);
    expect((await stage.asked(run)).map(flatApproval)).toMatchObject([{ deferredUntil: until, by: 'ann' }]);
    await worker.quit();
    await stage.clock.pass(2 * hour - 10 * second);
    stage.hire({ flows: [flow] });
    await stage.clock.pass(9 * second);
    expect(await status()).toEqual(['deferred']);
    await stage.clock.pass(3 * second);
    expect([await status(), await stage.state(run)]).toEqual([['undecided'], 'waiting']);
    expect((await stage.store.dispatch.get(run))?.facts.open).toMatchObject([{ seq: 4 }]);
    expect((await stage.store.dispatch.get(run))?.facts.open?.[0]).not.toHaveProperty('deferredBy');
    expect(await stage.events(run, 'approval.returned')).toHaveLength(1);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('["approve",null]');
  });

  test('[E313] once more comes back at the later time, and one without a time stays put off', async () => {
    const { stage, run, status } = await asked();
    await stage.decide(run, { decision: 'defer', until: stage.clock.now() + 60 * second });
    await stage.decide(run, { decision: 'defer', until: stage.clock.now() + 120 * second });
    await stage.clock.pass(90 * second);
    expect(await status()).toEqual(['deferred']);
    await stage.clock.pass(32 * second);
    expect(await status()).toEqual(['undecided']);
    await stage.decide(run, { decision: 'defer' });
    await stage.clock.pass(hour);
    expect([await status(), (await stage.events(run, 'approval.returned')).length]).toEqual([
      ['deferred'],
      1,
    ]);
  });

  test('[E313] comes back once, whoever takes its run over after any of its records', async () => {
    const { stage, run } = await asked();
    const until = stage.clock.now() + 60 * second;
    await stage.decide(run, { decision: 'defer', until });
    await stage.clock.pass(62 * second);
    await stage.decide(run, { decision: 'approve' });
    const entries = await stage.entries(run);
    expect(entries.map(({ event }) => event.type)).toContain('approval.returned');
    for (let kept = 1; kept < entries.length; kept += 1) {
      const again = new Stage();
      await again.clock.pass((entries[kept - 1]?.at ?? 0) - again.clock.now());
      const row = { tenant: 'local', conversation: 'c', app: 'test', title: 'again', flow: 'test@1' };
      await again.store.dispatch.create({
        run,
        ...row,
        last: kept,
        frames: encodeAll(entries.slice(0, kept)),
      });
      again.hire({ flows: [flow] });
      await again.clock.pass(15 * second);
      const isDecided = (decision: string): boolean =>
        entries
          .slice(0, kept)
          .some(({ event }) => event.type === 'approval.decided' && event.decision === decision);
      if (!isDecided('defer')) await again.decide(run, { decision: 'defer', until });
      await again.clock.pass(62 * second);
      if (!isDecided('approve')) await again.decide(run, { decision: 'approve' });
      const name = `after ${kept} of ${entries.length}`;
      expect((await again.tree(run)).ended?.answer, name).toBe('["approve",null]');
      expect(await again.events(run, 'approval.returned'), name).toHaveLength(1);
    }
  });

  test('[E313] and decided meanwhile does not come back', async () => {
    const { stage, run } = await asked();
    await stage.decide(run, { decision: 'defer', until: stage.clock.now() + 60 * second });
    await stage.decide(run, { decision: 'reject' });
    await stage.clock.pass(hour);
    expect(await stage.events(run, 'approval.returned')).toEqual([]);
  });
});

test('[E314] an edit of a question fits the schema it gives for that, or nothing is decided', async () => {
  const { stage, run, status } = await asked();
  await stage.decide(run, { decision: 'edit', arguments: { text: 'x'.repeat(21) } });
  await stage.decide(run, { decision: 'edit', arguments: 'a text' });
  const { notices } = await stage.tree(run);
  expect([await status(), notices.map(({ code }) => code)]).toEqual([
    ['undecided'],
    ['DECISION_REFUSED', 'DECISION_REFUSED'],
  ]);
  expect(notices[0]?.message).toContain('The edited «arguments» do not fit: text must');
  await stage.decide(run, { decision: 'edit', arguments: { text: 'Down at one.' } });
  expect((await stage.tree(run)).ended?.answer).toBe('["edit",{"text":"Down at one."}]');
});
