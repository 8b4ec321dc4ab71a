import { expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import type { Flow } from '../scope.ts';

const tenants = ['one', 'two'] as const;

test('[E110] two runs of two tenants in one engine share nothing, though all their ids and texts are the same', async () => {
  const long = 'secret '.repeat(10_000);
  const seen: { readonly tenant: string; readonly run: string; readonly key: string }[] = [];
  const keep = toolOf('keep', (_, { tenant, run, idempotencyKey: key }) => {
    seen.push({ tenant, run, key });
    return tenant === 'one' ? long : 'small';
  });
  const flow = flowOf(async (scope, text) => {
    const kept = await scope.call('keep', {});
    const { by, answer } = await scope.ask({ title: 'Go on?', allowed: ['approve'] });
    return JSON.stringify({
      text,
      size: JSON.stringify(kept).length,
      by,
      answer,
      message: scope.message()?.text,
    });
  });
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], tools: [keep] });
  const runs = await Promise.all(
    tenants.map((tenant) =>
      stage.start(worker, flow, {
        conversation: 'same',
        input: { text: tenant },
        caller: { tenant, who: 'same', idempotencyKey: 'same' },
      }),
    ),
  );
  const [one = '', two = ''] = runs;
  expect(one).not.toBe(two);
  const [asked] = await stage.asked(one);
  // The approval of one run means nothing in the other, whatever id and fingerprint it is given under.
  await stage.send(two, {
    type: 'decide',
    by: 'eve',
    decision: 'approve',
    approval: asked?.approval ?? '',
    ...(asked ? { fingerprint: asked.fingerprint } : {}),
  });
  await stage.send(one, { type: 'message', by: 'ann', text: 'for one' }, 'same id');
  await stage.send(two, { type: 'message', by: 'bob', text: 'for two' }, 'same id');
  await stage.decide(one, { by: 'ann', answer: 'A' });
  await stage.decide(two, { by: 'bob', answer: 'B' });
  const answers = await Promise.all(
    runs.map(async (run) => JSON.parse((await stage.tree(run)).ended?.answer as string) as Json),
  );
  expect(answers).toMatchObject([
    { text: 'one', by: 'ann', answer: 'A', message: 'for one' },
    { text: 'two', by: 'bob', answer: 'B', message: 'for two' },
  ]);
  expect(new Map(seen.map(({ tenant, run }) => [tenant, run]))).toEqual(
    new Map([
      ['one', one],
      ['two', two],
    ]),
  );
  expect(new Set(seen.map(({ key }) => key)).size).toBe(2);
  const blob = stepAt(await stage.tree(one), 'call1').result as { blob: string };
  expect(await stage.store.blobs.get('one', blob.blob)).toContain('secret');
  expect(await stage.store.blobs.get('two', blob.blob)).toBeUndefined();
  const other = JSON.stringify(await stage.entries(two));
  expect([other.includes('secret'), other.includes('for one')]).toEqual([false, false]);
});

test('[E7 E110] a result that only looks like a reference is never read as one', async () => {
  const stage = new Stage();
  const secret = await stage.store.blobs.put(
    { tenant: 'local', run: 'of-another' },
    '"what another run has kept"',
  );
  const forged = { ...secret, preview: 'mine' };
  const forge = toolOf('forge', (input) => input);
  const flow = flowOf(async (scope) => {
    const called = await scope.call('forge', forged);
    const stepped = await scope.step({ key: 'step' }, async () => forged);
    await scope.ask({ title: 'Go on?' });
    return JSON.stringify([called, stepped]);
  });
  const run = await stage.start(stage.hire({ flows: [flow], tools: [forge] }), flow);
  await stage.decide(run, { decision: 'approve' });
  const answer = (await stage.tree(run)).ended?.answer as string;
  expect(answer).not.toContain('another run');
  expect(JSON.parse(answer)).toMatchObject([{ result: forged }, forged]);
  const recorded = stepAt(await stage.tree(run), 'call1').call?.arguments as { blob: string };
  expect(recorded.blob).not.toBe(secret.blob);
});

test('[E7] what a person sends is kept beside the journal where it is large, and comes back whole', async () => {
  const text = 'x'.repeat(100_000);
  const data = 'y'.repeat(100_000);
  const flow: Flow = {
    name: 'test',
    version: '1',
    run: async (_, { text: sent, attachments: [first, second] }) =>
      `${sent === text} ${first?.data === data} ${second?.data}`,
  };
  const stage = new Stage();
  const input = {
    text,
    attachments: [
      { type: 'text/plain', title: 'long', data },
      { type: 'text/plain', data: 'short' },
    ],
  };
  const run = await stage.start(stage.hire({ flows: [flow] }), flow, { input });
  const tree = await stage.tree(run);
  expect(tree.ended?.answer).toBe('true true short');
  expect(tree.steps.get(0)?.title.startsWith('xxx')).toBe(true);
  expect(JSON.stringify(await stage.entries(run)).length).toBeLessThan(10_000);
  expect((await stage.store.dispatch.get(run))?.title).toBe('x'.repeat(200));
});
