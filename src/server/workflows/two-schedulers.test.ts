import { expect, test } from 'vitest';
import { nextTimes, type Schedule } from '../../graph/schedule.ts';
import { memoryStore } from '../../stores/memory.ts';
import { Stage } from '../../../test/stage.ts';
import { graphOf, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import { alarmOf } from './alarm.ts';
import { keepStarting, startDue, type DueRun } from './scheduler.ts';

const minute = 60_000;
const everyFive: Schedule = { cron: '*/5 * * * *', timezone: 'UTC', missed: 'all' };
const timed = (schedule: Schedule) => ({
  ...graphOf([{ id: 'say', type: 'template', value: 'done' }], ''),
  schedules: [schedule],
});

interface Place {
  readonly stage: Stage;
  readonly wanted: Awaited<ReturnType<typeof runOf>>;
  readonly closing: AbortSignal;
}

/** A process that works and looks at schedules, by a clock of its own that is off by so much. */
function processOf({ stage, wanted, closing }: Place, off: number) {
  const clock = stage.clock.elsewhere(off);
  const worker = stage.hire({ flows: [workflowFlow] }, { clock });
  const { shared, ...rest } = worker.world.store;
  // What it reads is a second old when it acts, so that both stand between each other's steps.
  const list: typeof shared.list = async (filter) => {
    const rows = await shared.list(filter);
    await clock.sleep(1_000, closing);
    return rows;
  };
  const store = { ...rest, shared: { ...shared, list } };
  const start = async ({ tenant, who, key, labels }: DueRun): Promise<void> => {
    const caller = { tenant, who, idempotencyKey: key };
    await worker.engine.start({ ...wanted, labels, caller });
  };
  const problem = (cause: unknown): void => void stage.problems.push({ message: 'schedule', cause });
  const over = keepStarting({ store, start, problem }, alarmOf(clock), closing);
  return { worker, over };
}

test('[WR22] two processes whose clocks are two minutes apart, one of which dies, start each time of a schedule once', async () => {
  const stage = new Stage();
  const closing = new AbortController();
  const wanted = await runOf(stage.store, timed(everyFive));
  const place = { stage, wanted, closing: closing.signal };
  const since = stage.clock.now();
  const [early, late] = [processOf(place, minute), processOf(place, -minute)];
  await stage.clock.pass(17 * minute);
  early.worker.die();
  await stage.clock.pass(13 * minute);
  const third = processOf(place, minute);
  await stage.clock.pass(12 * minute);
  closing.abort();
  await Promise.all([late.over, third.over]);
  const rows = await stage.store.dispatch.list({ tenant: 'local' });
  const due = nextTimes(everyFive, since, 50).filter((at) => at <= stage.clock.now());
  expect(due).toHaveLength(9);
  expect(rows.map(({ facts }) => facts.labels['due'] ?? '').toSorted()).toEqual(
    due.map((at) => new Date(at).toISOString()),
  );
  expect(rows.map(({ status }) => status)).toEqual(due.map(() => 'completed'));
  expect(new Set(rows.map(({ worker }) => worker))).toEqual(new Set([null]));
  for (const [i, row] of rows.toSorted((a, b) => a.createdAt - b.createdAt).entries())
    expect(row.createdAt - (due[i] ?? 0), 'begun at its time, by the store’s clock').toBeLessThan(15_000);
  expect(stage.problems).toEqual([]);
});

/** Looked at each quarter of an hour: what was begun when, in UTC. */
async function nights(begin: number): Promise<string[]> {
  let now = begin;
  const store = memoryStore({ now: () => now });
  const begun: string[] = [];
  const keys = new Set<string>();
  await runOf(store, timed({ cron: '30 2 * * *', timezone: 'Europe/Berlin', missed: 'all' }));
  for (const last = begin + 3 * 86_400_000; now < last; now += 15 * minute)
    await startDue({
      store,
      async start({ key, labels }) {
        expect(keys.has(key)).toBe(false);
        keys.add(key);
        begun.push(`${(labels['due'] ?? '').slice(0, 16)} at ${new Date(now).toISOString().slice(11, 16)}`);
      },
      problem: (cause) => expect.fail(String(cause)),
    });
  return begun;
}

test('[WR20] [WR21] on both nights of a clock change what is due is begun once, when it is due', async () => {
  expect(await nights(Date.UTC(2026, 2, 27, 12))).toEqual([
    '2026-03-28T01:30 at 01:30',
    '2026-03-29T01:00 at 01:00',
    '2026-03-30T00:30 at 00:30',
  ]);
  expect(await nights(Date.UTC(2026, 9, 23, 12))).toEqual([
    '2026-10-24T00:30 at 00:30',
    '2026-10-25T00:30 at 00:30',
    '2026-10-26T01:30 at 01:30',
  ]);
});
