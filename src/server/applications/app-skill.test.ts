import { expect, test } from 'vitest';
import { agentOf } from '../../../test/world.ts';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { keyIn, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../../../test/serving.ts';
import type { ConfigInput } from '../../catalog/config.ts';
import type { Json } from '../../run/values.ts';

/** The outer application asks the inner one, and that asks an agent who asks a person. */
const toInner = planOf('single', [planStep(1, 'inner', { skill_type: 'app' })]);
const toActor = planOf('single', [planStep(1, 'actor')]);
const actor = {
  ...agentOf('actor', () => [{ type: 'say', text: 'it is paid' }]),
  approval: 'always',
} as const;

async function nested(
  plans: readonly Json[],
  inner: object,
  settings: object = {},
): Promise<Serving & { keys: Record<'ann' | 'mal', string> }> {
  const outer = deskConfig({
    plans,
    agents: [actor],
    settings: { retrieval: { tools: [] }, skills: [{ name: 'inner', type: 'app', description: 'pays' }] },
  });
  const desk = outer.apps?.['desk'] ?? expect.fail('there is no desk');
  const own = {
    ...desk.settings,
    skills: [{ name: 'actor', type: 'agent', description: 'pays' }],
    ...settings,
  };
  const apps: ConfigInput['apps'] = { desk, inner: { ...desk, settings: own, ...inner } };
  const data = temporaryFolder();
  const keyOf = (name: string): string => keyIn(data, { name, tenant: 'acme', role: 'approver' });
  const keys = { ann: keyOf('ann'), mal: keyOf('mal') };
  const at = await serving({ data, config: { ...outer, apps, auth: { required: true } } });
  return { ...at, keys };
}

test('[PL34] an app that is a skill is decided by those it wants, whoever runs it', async () => {
  const { ask, keys } = await nested([toInner, toActor], { approvals: 'second-person' });
  const { mal, ann } = keys;
  const run = textAt(
    await ask('/api/runs', { key: mal, json: { app: 'desk', input: { text: 'pay' } } }),
    'run',
  );
  const asked = await untilAnswer(
    () => ask(`/api/approvals?run=${run}`, { key: mal }),
    ({ text }) => text.includes('fingerprint'),
  );
  const json = { decision: 'approve', fingerprint: textAt(asked, 'approvals', 0, 'fingerprint') };
  const path = `/api/approvals/${textAt(asked, 'approvals', 0, 'id')}`;
  const own = await ask(path, { key: mal, json });
  expect([own.status, own.text]).toEqual([403, expect.stringContaining('second person')]);
  expect((await ask(path, { key: ann, json })).status).toBe(200);
  const done = await untilAnswer(
    () => ask(`/api/runs/${run}`, { key: mal }),
    ({ text }) => text.includes('"title":"pay","status":"completed"'),
  );
  expect(done.text).toContain('it is paid');
});

test('[PL35] an app that is a skill is there for those it is for, and for nobody else', async () => {
  const access = { everyone: false, people: ['ann'] };
  const { ask, keys } = await nested([toInner, toInner, toActor], {}, { access });
  const began = async (key: string): Promise<string> =>
    textAt(await ask('/api/runs', { key, json: { app: 'desk', input: { text: 'pay' } } }), 'run');
  const other = await began(keys.mal);
  const refused = await untilAnswer(
    () => ask(`/api/runs/${other}`, { key: keys.mal }),
    ({ text }) => text.includes('no published app'),
  );
  expect(refused.text).toContain('There is no published app «inner»');
  expect(refused.text).not.toContain('actor');
  const own = await began(keys.ann);
  const asked = await untilAnswer(
    () => ask(`/api/approvals?run=${own}`, { key: keys.ann }),
    ({ text }) => text.includes('fingerprint'),
  );
  expect(asked.status).toBe(200);
});
