import { expect, test } from 'vitest';
import type { Schedule } from '../../../../src/graph/schedule.ts';
import type { ToldSchedule } from '../../../../src/wire/native/schedules.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { fragmentOf, lookingAt, type Looking } from '../looking.ts';
import { scheduled, shownSchedules, timesOf } from './schedule-list.ts';

const early: Schedule = { cron: '0 6 * * *', timezone: 'UTC' };
const late: Schedule = { cron: '0 22 * * *', timezone: 'UTC', input: { text: 'x' }, overlap: 'skip' };
const told = (schedule: Schedule): ToldSchedule => ({
  schedule: schedule.cron,
  missed: 'last',
  overlap: 'start',
  next: [],
  ...schedule,
});
const empty: DraftGraph = { name: 'g', nodes: [], edges: [] };
const drawn = scheduled(undefined, late)(scheduled(undefined, early)(empty));

test('[CV21] what is drawn and what is published are one list: the same is one, what differs says so', () => {
  const published = [told({ ...late, overlap: 'start' }), told({ ...early, cron: '0 7 * * *' })];
  expect(shownSchedules(drawn, published)).toMatchObject([
    { schedule: early, place: 0 },
    { schedule: late, place: 1, told: { schedule: late.cron } },
    { schedule: { cron: '0 7 * * *' }, told: { schedule: '0 7 * * *' } },
  ]);
  expect(shownSchedules(drawn, published)[0]).not.toHaveProperty('told');
  expect(shownSchedules(drawn, [told({ ...early, timezone: 'Asia/Kolkata' })])).toHaveLength(3);
  expect(shownSchedules(drawn, published)[2]).not.toHaveProperty('place');
});

test('[CV21] a schedule is changed and taken out where it stands; the last one leaves nothing behind', () => {
  const changed = scheduled(0, { ...early, timezone: 'Asia/Kolkata' })(drawn);
  expect(Reflect.get(changed, 'schedules')).toEqual([{ ...early, timezone: 'Asia/Kolkata' }, late]);
  const one = scheduled(0, undefined)(changed);
  expect(Reflect.get(one, 'schedules')).toEqual([late]);
  expect(scheduled(0, undefined)(one)).toEqual(empty);
});

test('[CV21] what is no schedule is shown, and has no times', () => {
  const graph = { ...empty, schedules: [null, { cron: 5 }, early] } as DraftGraph;
  const shown = shownSchedules(graph, []).map(({ schedule }) => timesOf(schedule, 0));
  expect(shown.map((times) => times.length)).toEqual([0, 0, 3]);
});

const lookings: readonly [string | undefined, Looking][] = [
  [undefined, { view: 'canvas' }],
  ['yaml', { view: 'yaml' }],
  ['versions', { view: 'canvas', side: 'versions' }],
  ['versions/12/list', { view: 'list', side: 'versions', version: 12 }],
  ['schedules/list', { view: 'list', side: 'schedules' }],
];

test.for(lookings)('[CV20] how a workflow is looked at stands in its address: %s', ([fragment, looking]) => {
  expect(lookingAt(fragment)).toEqual(looking);
  expect(fragmentOf(looking)).toBe(fragment);
});

test('[CV20] an address that says nonsense leads to the canvas', () => {
  for (const fragment of ['3', 'x/y', 'versions/0', 'versions/-1', 'versions/1e9'])
    expect(lookingAt(fragment).version).toBeUndefined();
});
