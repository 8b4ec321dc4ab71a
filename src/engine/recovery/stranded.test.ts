import { expect, test } from 'vitest';
import { calm } from '../../../test/virtual-clock.ts';
import { codes, Stage } from '../../../test/stage.ts';
import { agentOf, flowOf, toolOf } from '../../../test/world.ts';
import { configurationTenant } from '../../run/definition.ts';
import type { Flow, Scope } from '../scope.ts';
import { strandedBy } from './stranded.ts';

function versioned(version: string, run: (scope: Scope) => Promise<string>): Flow {
  return { ...flowOf(run), version };
}

const ask = async (scope: Scope): Promise<string> => (await scope.ask({ title: 'Go on?' })).decision;

test('[DF20] [DF26] a run is stranded while its flow is not here, and has not ended or been damaged', () => {
  const flows = [{ name: 'a', version: '2' }];
  const row = { flow: 'a@1', state: 'waiting', damaged: null } as const;
  expect(strandedBy({ flows }, row)).toContain('The flow a@1 that it began with is not here: bring it back');
  expect(strandedBy({ flows }, { ...row, flow: 'a@2' })).toBeUndefined();
  expect(strandedBy({ flows }, { ...row, state: 'ended' })).toBeUndefined();
  expect(strandedBy({ flows }, { ...row, damaged: 3 })).toBeUndefined();
  expect(strandedBy({ flows: [], isUnread: true }, row)).toBeUndefined();
});

test('[DF21] [DF22] what is decided while a flow is gone is recorded, told, and counts when it is back', async () => {
  const stage = new Stage();
  const old = versioned('1', ask);
  const first = stage.hire({ flows: [old] });
  const run = await stage.start(first, old);
  await first.quit();
  const second = stage.hire({ flows: [versioned('2', ask)] });
  await stage.decide(run, {});
  for (let i = 0; i < 2; i += 1) {
    const row = await stage.store.dispatch.get(run);
    if (row) await second.engine.record(row);
    await stage.send(run, { type: 'message', by: 'ann', text: 'hurry' });
  }
  const tree = await stage.tree(run);
  expect(codes(tree)).toEqual(['RUN_STRANDED']);
  expect([...tree.approvals.values()]).toMatchObject([{ decided: { decision: 'approve' } }]);
  await second.quit();
  stage.hire({ flows: [old] });
  await stage.clock.pass(2_000);
  expect((await stage.tree(run)).ended).toMatchObject({ outcome: 'completed', answer: 'approve' });
});

test('[DF23] a run that comes to an agent that is gone is set aside, and goes on when it is back', async () => {
  const stage = new Stage();
  const flow = flowOf(async (scope) => {
    await scope.ask({ title: 'Go on?' });
    return (await scope.turn('clerk', { messages: [{ role: 'user', text: 'hello' }] })).text;
  });
  const clerk = agentOf('clerk', [[{ type: 'text.appended', text: 'hello yourself' }]]);
  const first = stage.hire({ flows: [flow], agents: [clerk] });
  const run = await stage.start(first, flow);
  await first.quit();
  const second = stage.hire({ flows: [flow] });
  await stage.decide(run, {});
  const aside = await stage.tree(run);
  expect([aside.paused, codes(aside)]).toEqual([true, ['AGENT_GONE']]);
  expect(aside.notices[0]?.message).toBe(
    'There is no agent «clerk»; known: none. Bring it back and resume the run, or stop it.',
  );
  await second.quit();
  stage.hire({ flows: [flow], agents: [clerk] });
  await stage.send(run, { type: 'resume', by: 'ann' });
  await calm();
  expect((await stage.tree(run)).ended).toMatchObject({ outcome: 'completed', answer: 'hello yourself' });
});

test('[DF24] a recorded call of a tool that is gone stays that call: it fails, and the flow goes on', async () => {
  const stage = new Stage();
  const flow = flowOf(async (scope) => JSON.stringify(await scope.call('pay', { sum: 1 })));
  const schema = { type: 'object', properties: { sum: {}, to: { default: 'all' } } };
  const pay = toolOf('pay', () => 'paid', { approval: 'always', schema });
  const first = stage.hire({ flows: [flow], tools: [pay] });
  const run = await stage.start(first, flow);
  await first.quit();
  stage.hire({ flows: [flow] });
  await stage.decide(run, {});
  const tree = await stage.tree(run);
  expect(codes(tree)).not.toContain('FLOW_DIVERGED');
  expect(tree.ended?.answer).toContain('There is no tool «pay»; known: none.');
});

test('[DF7] a run reads what it was started to do, as it was then, also after a recovery', async () => {
  const stage = new Stage();
  const { definitions } = stage.store;
  const key = { tenant: configurationTenant, kind: 'app', name: 'a', by: 'x' };
  const { hash } = await definitions.publish({ ...key, body: '{"word":"old"}' });
  const flow = flowOf(async (scope) => {
    await scope.ask({ title: 'Go on?' });
    return JSON.stringify(scope.definition);
  });
  const first = stage.hire({ flows: [flow] });
  const definition = { tenant: configurationTenant, hash, body: { word: 'old' } };
  const run = await stage.start(first, flow, { definition });
  const plain = await stage.start(first, flow);
  await first.quit();
  await definitions.publish({ ...key, body: '{"word":"new"}' });
  expect(await stage.events(run, 'run.started')).toMatchObject([{ definition: hash }]);
  stage.hire({ flows: [flow] });
  for (const one of [run, plain]) await stage.decide(one, {});
  expect((await stage.tree(run)).ended?.answer).toBe('{"word":"old"}');
  expect((await stage.tree(plain)).ended?.answer).toBe('');
});
