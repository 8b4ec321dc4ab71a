import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import { memoryStore } from '../../stores/memory.ts';
import { keyAt, serving } from '../../../test/serving.ts';
import { revokeKey } from '../access/keys.ts';
import { graphOf } from '../../../test/workflow/world.ts';
import type { Json } from '../../run/values.ts';

const hour = 3_600_000;

function timed(name: string, value: string): Record<string, Json> {
  const schedules = [{ cron: '0 * * * *', timezone: 'Europe/Berlin', input: { text: 'by the clock' } }];
  const graph = graphOf([{ id: 'say', type: 'template', value }], '');
  return { ...(graph as unknown as Record<string, Json>), name, schedules };
}

test('[WR23] what is due by the store’s clock is started by whoever serves, and shown, paused and resumed', async () => {
  let now = Date.UTC(2026, 10, 17, 8, 30);
  const store = memoryStore({ now: () => now });
  const workflows = { fixed: timed('fixed', 'fixed') };
  const at = await serving({ store, config: { workflows, auth: { required: true } } });
  const clientOf = async (tenant: string) =>
    vitrineClient({ url: at.url, key: await keyAt(at, { name: `ana-${tenant}`, tenant }) });
  const [ana, owner] = [await clientOf('acme'), await clientOf('local')];
  await ana.workflows.save('hourly', timed('hourly', '{{input.text}}'));
  await ana.workflows.publish('hourly');
  const [schedule] = await ana.workflows.schedules('hourly');
  const whole = Date.UTC(2026, 10, 17, 9);
  expect(schedule).toMatchObject({
    cron: '0 * * * *',
    missed: 'last',
    overlap: 'start',
    next: [whole, whole + hour, whole + 2 * hour],
  });
  const id = schedule?.schedule ?? '';
  const runsOf = async (client: typeof ana) => (await client.runs()).runs;

  now = whole + 1_000;
  // Whoever resumes what is not paused only makes the server look.
  await ana.workflows.resumeSchedule('hourly', id);
  await expect.poll(async () => (await runsOf(ana)).map(({ status }) => status)).toEqual(['completed']);
  const [run] = await runsOf(ana);
  expect(run).toMatchObject({
    app: 'workflow:hourly',
    title: 'by the clock',
    labels: { schedule: id, due: '2026-11-17T09:00:00.000Z' },
  });
  await expect.poll(async () => (await runsOf(owner)).map(({ app }) => app)).toEqual(['workflow:fixed']);
  await expect.poll(async () => (await ana.workflows.schedules('hourly'))[0]?.last).toEqual({ due: whole });

  expect(await ana.workflows.pauseSchedule('hourly', id)).toMatchObject({
    next: [],
    paused: { by: 'ana-acme' },
  });
  now = whole + 3 * hour;
  await owner.workflows.resumeSchedule(
    'fixed',
    (await owner.workflows.schedules('fixed'))[0]?.schedule ?? '',
  );
  await expect.poll(async () => (await runsOf(owner)).length).toBe(2);
  expect(await runsOf(ana)).toHaveLength(1);
  const resumed = await ana.workflows.resumeSchedule('hourly', id);
  expect(resumed.next[0]).toBe(whole + 4 * hour);
  expect(resumed.paused).toBeUndefined();

  const refused = await ana.workflows
    .pauseSchedule('fixed', (await ana.workflows.schedules('fixed'))[0]?.schedule ?? '')
    .catch((thrown: unknown) => failureOf(thrown));
  expect(refused).toMatchObject({ code: 'refused' });
  const none = await ana.workflows
    .pauseSchedule('hourly', 'none')
    .catch((thrown: unknown) => failureOf(thrown));
  expect(none).toMatchObject({ code: 'unknown' });
});

test('[WR24] what somebody had started by the clock ends with their key, and says so', async () => {
  let now = Date.UTC(2026, 10, 17, 8, 30);
  const store = memoryStore({ now: () => now });
  const at = await serving({ store, config: { auth: { required: true } } });
  const clientOf = async (name: string) =>
    vitrineClient({ url: at.url, key: await keyAt(at, { name, tenant: 'acme' }) });
  const [mal, ann] = [await clientOf('mal'), await clientOf('ann')];
  for (const [client, name] of [
    [mal, 'his'],
    [ann, 'hers'],
  ] as const) {
    await client.workflows.save(name, timed(name, name));
    await client.workflows.publish(name);
  }
  await revokeKey(store.shared, 'mal', now);
  now = Date.UTC(2026, 10, 17, 9, 0, 1);
  const [hers] = await ann.workflows.schedules('hers');
  await ann.workflows.resumeSchedule('hers', hers?.schedule ?? '');
  await expect.poll(async () => (await ann.runs()).runs.map(({ app }) => app)).toEqual(['workflow:hers']);
  await expect
    .poll(async () => (await ann.workflows.schedules('his'))[0]?.skipped?.[0]?.why)
    .toContain('«mal», who published this, has no key any more');
  expect((await ann.runs()).runs).toHaveLength(1);
});
