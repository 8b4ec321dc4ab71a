import { describe, expect, test } from 'vitest';
import type { Preferences } from '../../projections/projection.ts';
import { keepPreferences } from '../compose/app-preferences.ts';
import { RunError } from '../../run/failure.ts';
import { memoryStore, type Commit } from '../../stores/memory.ts';
import type { App } from '../folder/home.ts';
import { type Asked, askedFrom, preferencesFor } from './channels.ts';

const app: Preferences = { stages: 'flat', names: ['Search'], depth: 3 };

describe('[P13] what an app prefers and what its viewer asks for', () => {
  test.for<[what: string, app: Preferences | undefined, asked: Asked, shown: Preferences]>([
    ['neither says anything', undefined, {}, {}],
    ['only the app does', app, {}, app],
    ['only the viewer does', undefined, { stages: 'off' }, { stages: 'off' }],
    ['stages win alone', app, { stages: 'prefix' }, { ...app, stages: 'prefix' }],
    ['names win alone', app, { names: ['Fetch', 'Search'] }, { ...app, names: ['Fetch', 'Search'] }],
    ['one name', app, { names: 'Fetch' }, { ...app, names: ['Fetch'] }],
    ['depth wins alone', app, { depth: 0 }, { ...app, depth: 0 }],
    ['all names', app, { names: '*' }, { stages: 'flat', depth: 3 }],
    ['any depth', app, { depth: '*' }, { stages: 'flat', names: ['Search'] }],
    ['nested is what is recorded', app, { stages: 'nested' }, { names: ['Search'], depth: 3 }],
    ['everything', app, { stages: 'nested', names: '*', depth: '*' }, {}],
    ['an app that hides nothing', { stages: 'nested' }, {}, {}],
  ])('%s', ([, given, asked, shown]) => {
    expect(preferencesFor(given, asked)).toEqual(shown);
  });

  test.for([
    ['stages', 'all', 'stages: '],
    ['depth', 'deep', 'depth: give a whole number up to 1000, or * for all'],
    ['depth', '-1', 'depth: give a whole number up to 1000'],
    ['depth', '1001', 'depth: give a whole number up to 1000'],
  ] as const)('%s «%s» is refused by its name', ([field, value, sentence]) => {
    expect(() => askedFrom({ [field]: value })).toThrow(sentence);
  });
});

describe('what apps prefer is kept beside their runs', () => {
  const named = (name: string, preferences?: Preferences): App =>
    ({ name, limits: {}, ...(preferences ? { preferences } : {}) }) as App;

  test('for those who look without the configuration; the last one that has an app decides', async () => {
    const { shared } = memoryStore({ now: () => 0 });
    await keepPreferences(shared, [named('books', app), named('news', { depth: 1 })]);
    await keepPreferences(shared, [named('news'), named('tour')]);
    const { preferences: kept } = await keepPreferences(shared, []);
    expect(kept('books')).toEqual(app);
    expect(kept('books', { depth: '*' })).toEqual({ stages: 'flat', names: ['Search'] });
    expect(kept('news')).toEqual({});
    expect(kept('constructor')).toEqual({});
  });

  test('and where nothing is preferred, or nothing new, nothing is written', async () => {
    const { shared } = memoryStore({ now: () => 0 });
    await keepPreferences(shared, [named('books'), named('news', app)]);
    const [only, ...others] = await shared.list({ kind: 'app preferences' });
    expect([only?.name, others]).toEqual(['news', []]);
    await keepPreferences(shared, [named('books'), named('news', app)]);
    expect(await shared.list({ kind: 'app preferences' })).toEqual([only]);
  });

  test('a store that cannot be written is said, and this process knows all the same', async () => {
    const commit = (apply: () => unknown, operation: string) =>
      operation === 'share'
        ? Promise.reject(new RunError('unavailable', 'The disk is full.'))
        : Promise.resolve(apply());
    const { shared } = memoryStore({ now: () => 0, commit: commit as Commit });
    const { preferences, notices } = await keepPreferences(shared, [named('books', app)]);
    expect(preferences('books')).toEqual(app);
    expect(notices).toEqual(['Other terminals do not know what apps prefer to show: The disk is full.']);
  });
});
