import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextTimes, type Schedule } from '../../graph/schedule.ts';
import { RunError } from '../../run/failure.ts';
import { term } from '../../run/facts.ts';
import { memoryStore, type Commit } from '../../stores/memory.ts';
import type { Store } from '../../stores/store.ts';
import { sized } from '../../../test/long.ts';
import { changeShared, listShared } from '../shared/kind.ts';
import { scheduleStates } from './schedule-state.ts';
import { startDue, type DueRun, type Scheduling } from './scheduler.ts';

const minute = 60_000;
const begin = Date.UTC(2026, 10, 17, 8);

/** A store whose time passes when told, and processes that look at its schedules. */
class Times {
  now = begin;
  readonly store: Store;
  readonly started: DueRun[] = [];
  readonly problems: unknown[] = [];
  readonly #keys = new Map<string, string>();

  constructor(commit?: Commit) {
    this.store = memoryStore({ now: () => this.now, ...(commit ? { commit } : {}) });
  }

  async publish(schedule: Partial<Schedule>, name = 'w'): Promise<void> {
    const body = JSON.stringify({ name, schedules: [{ cron: '*/5 * * * *', timezone: 'UTC', ...schedule }] });
    const key = { tenant: 't', kind: 'workflow', name };
    await this.store.definitions.publish({ ...key, body, by: 'ann' });
  }

  /** As a process does it: the rule that one key begins one run is the store's own. */
  get scheduling(): Scheduling {
    return {
      store: this.store,
      problem: (cause) => void this.problems.push(cause),
      start: async (due) => {
        const { key, tenant, labels } = due;
        const { created } = await this.store.dispatch.create({
          run: `run_${this.#keys.size}_${key}`,
          tenant,
          conversation: 'c',
          app: 'workflow:w',
          title: '',
          flow: 'workflow@1',
          last: 1,
          frames: 'id: 1\ndata: {}\n\n',
          idempotencyKey: key,
          indexed: {
            facts: { labels, agents: [], tools: [], asked: 0 },
            terms: Object.entries(labels).map(([name, value]) => term.label(name, value)),
          },
        });
        if (created) this.started.push(due);
      },
    };
  }

  async pass(minutes: number): Promise<number> {
    this.now += minutes * minute;
    return startDue(this.scheduling);
  }

  async end(): Promise<void> {
    for (const { run } of await this.store.dispatch.list({ tenant: 't' }))
      await this.store.dispatch.erase(run);
  }

  get dues(): string[] {
    return this.started.map(({ labels }) => (labels['due'] ?? '').slice(11, 16));
  }

  async skipped(): Promise<string[]> {
    const [state] = await listShared(this.store.shared, scheduleStates);
    return (state?.value.skipped ?? []).map(
      ({ due, why }) => `${new Date(due).toISOString().slice(11, 16)} ${why}`,
    );
  }
}

describe('[WR21] a schedule', () => {
  test('counts from publishing, and starts what is due once, with its input', async () => {
    const times = new Times();
    await times.publish({ input: { n: 1 } });
    expect(await times.pass(0)).toBe(10_000);
    expect(await times.pass(4.99)).toBeLessThan(1_000);
    expect(times.dues).toEqual([]);
    await times.pass(0.02);
    await times.pass(0);
    await times.pass(1);
    expect(times.dues).toEqual(['08:05']);
    expect(times.started[0]).toMatchObject({
      tenant: 't',
      who: 'ann',
      workflow: 'w',
      version: 1,
      input: { n: 1 },
    });
    await times.pass(4);
    expect(times.dues).toEqual(['08:05', '08:10']);
  });

  test.for([
    ['last', ['08:55']],
    ['none', ['08:55']],
    ['all', 'all'],
  ] as const)('makes up for %s of what was missed', async ([missed, wanted]) => {
    const times = new Times();
    await times.publish({ missed });
    await times.pass(55.5);
    const all = Array.from({ length: 11 }, (_, i) => `08:${String((i + 1) * 5).padStart(2, '0')}`);
    expect(times.dues).toEqual(wanted === 'all' ? all : wanted);
    expect((await times.skipped()).length).toBe(wanted === 'all' ? 0 : 10);
    expect(times.started[0]?.notice === undefined).toBe(wanted === 'all');
    const late = new Times();
    await late.publish({ missed });
    await late.pass(58);
    expect(late.dues).toEqual(missed === 'none' ? [] : missed === 'all' ? all : ['08:55']);
  });

  test('makes up for 24 at most', async () => {
    const times = new Times();
    await times.publish({ missed: 'all', cron: '* * * * *' });
    await times.pass(60 * 24 * 400);
    expect(times.started).toHaveLength(24);
  });

  test('whose runs were erased does not start them again', async () => {
    const times = new Times();
    await times.publish({ missed: 'all' });
    await times.pass(10);
    await times.end();
    await times.pass(1);
    expect(times.dues).toEqual(['08:05', '08:10']);
  });

  test('leaves out, queues or starts what comes while its run has not ended', async () => {
    const play = async (overlap: 'skip' | 'queue' | 'start') => {
      const times = new Times();
      await times.publish({ overlap });
      await times.pass(5);
      await times.pass(5);
      const before = [...times.dues];
      await times.end();
      await times.pass(1);
      return { before, after: times.dues, skipped: await times.skipped() };
    };
    expect(await play('skip')).toEqual({
      before: ['08:05'],
      after: ['08:05'],
      skipped: [expect.stringMatching(/^08:10 Run run_\S+ of it had not ended/)],
    });
    expect(await play('queue')).toEqual({ before: ['08:05'], after: ['08:05', '08:10'], skipped: [] });
    expect(await play('start')).toEqual({
      before: ['08:05', '08:10'],
      after: ['08:05', '08:10'],
      skipped: [],
    });
  });

  test('that is paused starts nothing, and goes on from when it is resumed', async () => {
    const times = new Times();
    await times.publish({ missed: 'all' });
    await times.pass(5);
    const [known] = await listShared(times.store.shared, scheduleStates);
    const key = { kind: scheduleStates, tenant: 't', name: known?.name ?? '' };
    await changeShared(times.store.shared, key, (state) => ({ ...state, paused: { by: 'ann', at: 0 } }));
    await times.pass(20);
    expect(times.dues).toEqual(['08:05']);
    await changeShared(times.store.shared, key, () => ({ until: times.now }));
    await times.pass(5);
    expect(times.dues).toEqual(['08:05', '08:30']);
  });

  test('is that of the newest published version; what says the same in the next one is not started twice', async () => {
    const times = new Times();
    await times.publish({});
    await times.pass(5);
    await times.store.definitions.publish({
      tenant: 't',
      kind: 'workflow',
      name: 'w',
      body: JSON.stringify({ title: 'x', schedules: [{ cron: '*/5 * * * *', timezone: 'UTC' }] }),
      by: 'bob',
    });
    await times.pass(1);
    await times.pass(4);
    expect(times.started.map(({ version, who }) => `${version} ${who}`)).toEqual(['1 ann', '2 bob']);
    const move = { tenant: 't', kind: 'workflow', name: 'w', state: 'archived', by: 'bob' } as const;
    for (const version of [1, 2]) await times.store.definitions.move({ ...move, version });
    await times.pass(5);
    expect(times.started).toHaveLength(2);
  });
});

/** How far a process comes before it dies, and whether its last words were heard. */
interface Round {
  readonly minutes: number;
  readonly dies: readonly (number | null)[];
  readonly heard: boolean;
  readonly turns: readonly number[];
}

test('[WR22] of two processes that die anywhere, and whose clocks are not asked, each due time is started once', async () => {
  const covered = { deaths: 0, both: 0, dues: 0 };
  const round = fc.record({
    minutes: fc.integer({ min: 1, max: 12 }),
    dies: fc.tuple(fc.option(fc.nat(9), { freq: 2 }), fc.option(fc.nat(9), { freq: 2 })),
    heard: fc.boolean(),
    turns: fc.array(fc.nat(5), { minLength: 5, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 3, maxLength: 8 }), async (rounds) => {
      const times = new Times();
      await times.publish({ missed: 'all' });
      for (const one of rounds) {
        times.now += one.minutes * minute;
        const ends = await Promise.allSettled([0, 1].map((i) => look(times, one, i)));
        covered.deaths += ends.filter(({ status }) => status === 'rejected').length;
        if (one.dies.every((at) => at === null)) covered.both += 1;
      }
      await times.pass(0);
      const wanted = nextTimes({ cron: '*/5 * * * *', timezone: 'UTC' }, begin, 100).filter(
        (at) => at <= times.now,
      );
      covered.dues += wanted.length;
      expect(times.started.map(({ labels }) => labels['due'] ?? '').toSorted()).toEqual(
        wanted.map((at) => new Date(at).toISOString()),
      );
    }),
    { numRuns: sized(60, 2_000) },
  );
  expect(covered.deaths).toBeGreaterThan(20);
  expect(covered.both).toBeGreaterThan(5);
  expect(covered.dues).toBeGreaterThan(100);
});

/** One process: each thing it asks takes some turns, and the one at which it dies is done or not, and never answered. */
async function look(times: Times, { dies, heard, turns }: Round, i: number): Promise<void> {
  let asked = 0;
  let isDead = false;
  const dying = new RunError('internal', 'The process is dead.');
  const through = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isDead) throw dying;
    const mine = asked++;
    for (let left = turns[(mine + i) % turns.length] ?? 0; left > 0; left -= 1) await Promise.resolve();
    if (mine !== dies[i]) return ask();
    isDead = true;
    if (heard) await ask();
    throw dying;
  };
  const { store, start } = times.scheduling;
  await startDue({
    store: {
      definitions: { ...store.definitions, list: (filter) => through(() => store.definitions.list(filter)) },
      blobs: store.blobs,
      dispatch: { ...store.dispatch, list: (filter) => through(() => store.dispatch.list(filter)) },
      shared: {
        list: (filter) => through(() => store.shared.list(filter)),
        set: (change) => through(() => store.shared.set(change)),
      },
    },
    start: (due) => through(() => start(due)),
    problem: () => {},
  });
  if (isDead) throw dying;
}
