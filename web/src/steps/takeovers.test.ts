import { expect, test } from 'vitest';
import type { Entry, RunStore } from '../../../src/client/client.ts';
import type { RunEvent } from '../../../src/run/events.ts';
import { groupsOf } from './groups.ts';
import { takeoversOf } from './takeovers.ts';

const open = (step: number, parent = 0): RunEvent => ({
  type: 'step.opened',
  step,
  parent,
  key: `${step}`,
  kind: 'step',
  title: 's',
});

test('[W12] a takeover tells how long it took, what was kept and what was asked again', () => {
  const events: [at: number, event: RunEvent][] = [
    [0, open(1)],
    [10, { type: 'step.closed', step: 1, outcome: 'completed' }],
    [20, open(2)],
    [6_020, { type: 'worker.took', worker: 'w', epoch: 2, reason: 'recovered' }],
    [6_030, { type: 'step.retried', step: 2, attempt: 2, reason: 'cut off' }],
    [6_040, open(3, 2)],
    [6_050, open(4)],
  ];
  const entries: Entry[] = [];
  const run = { entries: () => entries } as unknown as RunStore;
  for (const [at, event] of events) {
    entries.push({ seq: entries.length + 1, at, event });
    takeoversOf(run);
  }
  expect(takeoversOf(run)).toEqual([{ after: 6_000, kept: 1, again: 1, before: 4 }]);
});

test('[W3] steps that worked at once stand together, turns never do', () => {
  const step = (id: number, [openedAt, closedAt]: readonly number[] = [], kind = 'agent') =>
    ({
      id,
      parent: 0,
      key: '',
      kind,
      title: '',
      status: 'completed',
      attempt: 1,
      openedAt,
      closedAt,
    }) as never;
  const steps = [
    step(1, [0, 5]),
    step(2, [5, 9]),
    step(3, [6, 20]),
    step(4, [12, 15]),
    step(5, [21, 30]),
    step(6, [22, 25], 'turn'),
    step(7),
  ];
  expect(groupsOf(steps)).toEqual([[1], [2, 3, 4], [5], [6], [7]]);
});
