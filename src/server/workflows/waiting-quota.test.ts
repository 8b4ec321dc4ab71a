import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import { appWith, serving } from '../../../test/serving.ts';

test('[WR12] runs that only wait have a share of their own', async () => {
  const apps = {
    waits: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'Sure?' })).decision, 'waits'),
    works: appWith(() => new Promise(() => {}), 'works'),
  };
  const at = await serving({ config: { apps, server: { quotas: { runs: 1, waiting: 2 } } } });
  const client = vitrineClient({ url: at.url });
  const start = (app: string) => client.start({ app, text: 'x' });
  const unfinished = () => at.server.context.home.store.dispatch.unfinished('local');
  for (const waiting of [1, 2]) {
    await start('waits');
    await expect.poll(unfinished).toEqual({ working: 0, waiting });
  }
  const full = await start('works').catch((thrown: unknown) => failureOf(thrown));
  expect(full).toMatchObject({ code: 'over-budget', message: expect.stringContaining('2 runs wait') });
  const [asked] = (await client.approvals()).approvals;
  if (asked) await client.decide(asked.id, { decision: 'approve', fingerprint: asked.fingerprint });
  await expect.poll(unfinished).toEqual({ working: 0, waiting: 1 });
  await start('works');
  const more = await start('works').catch((thrown: unknown) => failureOf(thrown));
  expect(more).toMatchObject({
    code: 'over-budget',
    message: expect.stringContaining('1 runs have not ended'),
  });
});
