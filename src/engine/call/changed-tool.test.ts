import { expect, test } from 'vitest';
import { codes, Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';

const flow = flowOf(async (scope) => (await scope.call('far__send', { to: 'ann' })).outcome);

/** A tool of somebody else's, as it is shown. */
function far(pin: string, calls: string[], more: Partial<Tool> = {}): Tool {
  const run = (): Json => calls.push(pin);
  return toolOf('far__send', run, { approval: 'always', pin, caution: () => `It says: ${pin}.`, ...more });
}

async function asked() {
  const calls: string[] = [];
  const stage = new Stage();
  const first = stage.hire({ flows: [flow], tools: [far('harmless', calls)] });
  const run = await stage.start(first, flow);
  const [question] = await stage.asked(run);
  expect(question?.message).toContain('It says: harmless.');
  await first.quit();
  return { calls, stage, run, question };
}

test('[E128] a tool that changed since it was shown is asked about anew, as it is now, and the old question lapses', async () => {
  const { calls, stage, run, question } = await asked();
  stage.hire({ flows: [flow], tools: [far('evil', calls)] });
  await stage.decide(run, { approval: question?.approval ?? '' });
  const [now, ...more] = await stage.asked(run);
  expect([calls, more]).toEqual([[], []]);
  expect(now?.message).toContain('has changed since this was asked');
  expect(now?.message).toContain('It says: evil.');
  expect(now?.message).not.toContain('harmless');
  expect(now?.fingerprint).not.toBe(question?.fingerprint);
  expect(await stage.events(run, 'approval.lapsed')).toMatchObject([{ approval: question?.approval }]);
  await stage.decide(run, { approval: question?.approval ?? '' });
  expect(codes(await stage.tree(run))).toEqual(['LATE_DECISION']);
  expect(calls).toEqual([]);
  await stage.decide(run, {});
  expect(calls).toEqual(['evil']);
  expect((await stage.tree(run)).ended?.outcome).toBe('completed');
});

test('[E128] one that is as it was shown runs, also where somebody has vouched for it meanwhile', async () => {
  const { calls, stage, run, question } = await asked();
  stage.hire({ flows: [flow], tools: [far('harmless', calls, { caution: () => undefined })] });
  await stage.decide(run, { approval: question?.approval ?? '' });
  expect(calls).toEqual(['harmless']);
  expect((await stage.tree(run)).approvals.size).toBe(1);
});

test('[T100] a tool that is not accepted for those of a run asks, whatever its own rule says', async () => {
  const calls: string[] = [];
  const stage = new Stage();
  const caution: Tool['caution'] = ({ tenant, approvals }) =>
    tenant === 't1' && approvals === undefined ? undefined : 'Nobody knows it here.';
  const worker = stage.hire({
    flows: [flow],
    tools: [far('harmless', calls, { approval: 'never', caution })],
  });
  await stage.start(worker, flow, { caller: { tenant: 't1', who: 'x' } });
  expect(calls).toHaveLength(1);
  for (const { tenant, ...more } of [{ tenant: 't2' }, { tenant: 't1', approvals: 'approver' }]) {
    const run = await stage.start(worker, flow, { caller: { tenant, who: 'x' }, ...more });
    expect(await stage.asked(run)).toMatchObject([{ message: expect.stringContaining('Nobody knows it') }]);
  }
  expect(calls).toHaveLength(1);
});
