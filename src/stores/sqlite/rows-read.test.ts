import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { noFacts } from '../../run/facts.ts';
import { perform } from '../rules/rules.ts';
import { newRun } from '../store.contract.ts';
import type { RunFilter } from '../store.ts';
import { stepsFrom } from './schema.ts';
import { sqliteTables } from './tables.ts';

/** Where a statement begins to say which runs it wants; what an index knows alone is no row. */
const runs =
  /LEFT JOIN head ON head.run = number WHERE|FROM run (INDEXED BY run(Unfinished|WithApprovals) )?WHERE/g;
const summary = { status: 'completed', approvals: 0 } as const;

/** A store with so many runs, of which every eleventh has not ended, and how many of them a question looks at. */
function filled(count: number) {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  let visited = 0;
  database.function('visited', { varargs: true }, () => ((visited += 1), 1));
  const prepare = database.prepare.bind(database);
  // Whatever row of a run is looked at is counted, whether it fits or not.
  database.prepare = (sql) => prepare(sql.replace(runs, '$& visited(run.number) AND '));
  const tables = sqliteTables(database, { remember: true });
  // As at every start: from then on it is known.
  tables.unfinished('t');
  for (let i = 1; i <= count; i += 1) {
    const desk = { tables, now: i * 1_000, hints: [] };
    const run = `r${i}`;
    const words = ['w every', `w of${i % 10}`, ...(i === 5 ? ['w rare'] : [])];
    perform(
      desk,
      'create',
      newRun(run, {
        conversation: `c${Math.floor(i / 5)}`,
        app: i === 7 ? 'rare' : i % 2 ? 'odd' : 'even',
        claim: { worker: 'w', lease: 1_000 },
        indexed: { facts: { ...noFacts, labels: { n: String(i) } }, terms: words },
      }),
    );
    const fence = { run, epoch: 1 };
    if (i % 11 > 0) perform(desk, 'append', { fence, head: 1, last: 1, frames: '', summary, ends: true });
    else if (i % 2)
      perform(desk, 'append', {
        fence,
        head: 1,
        last: 1,
        frames: '',
        summary: { status: 'waiting', approvals: 1 },
      });
    database.exec('UPDATE commits SET count = count + 1');
  }
  return {
    open: tables.unfinished('t').working,
    visits(ask: (read: typeof perform, desk: Parameters<typeof perform>[0]) => unknown): number {
      visited = 0;
      ask(perform, { tables, now: 0, hints: [] });
      return visited;
    },
    close: () => database.close(),
  };
}

const page = 10;
const few = 100;
const many = 11_000;
const lists: readonly Omit<RunFilter, 'tenant'>[] = [
  {},
  { after: 'r90' },
  { status: 'completed' },
  { status: 'waiting' },
  { status: 'failed' },
  { app: 'odd' },
  { conversation: 'c7' },
  { unfinished: true },
  { withApprovals: true },
  { newestOfEach: true },
  { terms: ['w every'] },
  { terms: ['w rare'] },
  { terms: ['w rare', 'w every'] },
  { terms: ['w every', 'w of3'] },
  { since: 10_000, until: 60_000 },
  { app: 'rare', status: 'completed' },
  { app: 'rare', newestOfEach: true },
  { app: 'odd', status: 'failed' },
  { terms: ['w every'], since: 10_000, until: 60_000 },
  { terms: ['w every'], since: 99_000_000 },
  { terms: ['w every'], newestOfEach: true },
];

const due = { worker: 'w', flows: ['f@1'], max: page, lease: 1_000 };

/** All that a start asks of a store: how many runs its tenant has, what was said before, and a run. */
const started: Parameters<ReturnType<typeof filled>['visits']>[0] = (ask, desk) => {
  expect(ask(desk, 'unfinished', 't').working).toBeGreaterThan(0);
  ask(desk, 'held', 't');
  ask(desk, 'list', { tenant: 't', conversation: 'c3', limit: 1 });
  ask(desk, 'create', newRun('another', { conversation: 'c3', claim: { worker: 'w', lease: 1_000 } }));
};

test('[Q113] no list, nothing in the feed and no start looks at more runs where there are a hundred times as many', () => {
  const [small, large] = [filled(few), filled(many)];
  expect([small.open, large.open]).toEqual([few / 11, many / 11].map(Math.floor));
  const questions = [
    ...lists.map((filter) => ({
      name: JSON.stringify(filter),
      ask: (at: typeof small) =>
        at.visits((read, desk) => read(desk, 'list', { tenant: 't', limit: page, ...filter })),
    })),
    {
      name: 'feed',
      ask: (at: typeof small) =>
        at.visits((read, desk) => read(desk, 'feed', { tenant: 't', after: '50.1', limit: page })),
    },
    { name: 'a start', ask: (at: typeof small) => at.visits(started) },
    { name: 'what is due', ask: (at: typeof small) => at.visits((read, desk) => read(desk, 'claim', due)) },
  ];
  const looked = questions.map(({ name, ask }) => ({ name, small: ask(small), large: ask(large) }));
  expect(looked.filter((each) => each.large > 2 * Math.max(each.small, page))).toEqual([]);
  // Whatever counts rows does.
  expect(looked.filter((each) => each.large >= page).length).toBeGreaterThan(lists.length / 2);
  small.close();
  large.close();
});

test('[Q132] to begin a run nothing of others is looked at, and it is known as it is kept', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  let looked = 0;
  database.function('looked', { varargs: true }, () => ((looked += 1), 1));
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => prepare(sql.replaceAll('AND chunk.run = number', 'AND looked(id) $&'));
  const tables = sqliteTables(database, { remember: true });
  const create = (run: string, title: string): unknown =>
    perform({ tables, now: 1, hints: [] }, 'create', newRun(run, { title }));
  for (let i = 0; i < 50; i += 1) create(`r${i}`, 'one of many');
  expect(looked).toBe(0);
  create('half', 'half \ud800');
  // Whatever counts chunks does.
  expect(looked).toBeGreaterThan(50);
  const others = sqliteTables(database, { remember: false });
  for (const run of ['r1', 'half']) expect(tables.run(run)).toEqual(others.run(run));
  database.close();
});
