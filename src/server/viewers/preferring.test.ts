import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Preferences } from '../../projections/projection.ts';
import { keepPreferences, keptPreferences } from '../compose/app-preferences.ts';
import type { App } from '../folder/home.ts';
import { askedFrom, preferencesFor, type Asked } from './preferring.ts';

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
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'vitrine-preferences-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  test('for those who look without the configuration; the last one that has an app decides', () => {
    const at = folder();
    keepPreferences(at, [named('books', app), named('news', { depth: 1 })]);
    keepPreferences(at, [named('news'), named('tour')]);
    expect(keptPreferences(at)('books')).toEqual(app);
    expect(keptPreferences(at)('books', { depth: '*' })).toEqual({ stages: 'flat', names: ['Search'] });
    expect(keptPreferences(at)('news')).toEqual({});
    expect(keptPreferences(at)('constructor')).toEqual({});
  });

  test('and where nothing is preferred there is no file', () => {
    const at = folder();
    keepPreferences(at, [named('books')]);
    expect(() => readFileSync(join(at, 'preferences.json'))).toThrow('ENOENT');
  });

  test('a file that cannot be read hides nothing, and is written again', () => {
    const at = folder();
    writeFileSync(join(at, 'preferences.json'), '{"books":{"stages":"sideways"}}');
    expect(keptPreferences(at)('books')).toEqual({});
    keepPreferences(at, [named('books', { depth: 2 })]);
    expect(keptPreferences(at)('books')).toEqual({ depth: 2 });
  });

  test('a folder that cannot be written to is said, and this process knows all the same', () => {
    const { preferences, notices } = keepPreferences(join(folder(), 'missing'), [named('books', app)]);
    expect(preferences('books')).toEqual(app);
    expect(notices.join()).toMatch(/^Other terminals do not know what apps prefer to show: ENOENT.*\.$/);
  });
});
