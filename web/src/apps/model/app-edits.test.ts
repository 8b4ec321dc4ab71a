import { describe, expect, test } from 'vitest';
import type { AppBody } from '../../../../src/wire/native/app-body.ts';
import { keptApp, withoutSkill, withPart, withSkill, withSkillChanged } from './app-edits.ts';
import { actionOf, withAction, withCover, withWords, wordsOf } from './guard-edits.ts';

const begun: AppBody = {
  description: '',
  settings: {
    models: {},
    persona: { designations: [], businessUnits: [], tags: [] },
    retrieval: { tools: [], passages: 10, uploads: false },
    skills: [],
    chat: { starters: [] },
    access: { everyone: true, people: [] },
  },
  guards: { input: [], output: [], covers: 'answer' },
};

test('[AW2] lines that are begun and empty are not saved, and nothing else is lost', () => {
  const edited = withPart('chat', { starters: ['Which?', '', '  '], welcome: '' })(
    withPart('access', { everyone: false, people: ['ann', ''] })(begun),
  );
  expect(keptApp(edited)).toEqual({
    ...begun,
    settings: {
      ...begun.settings,
      chat: { starters: ['Which?'] },
      access: { everyone: false, people: ['ann'] },
    },
  });
  expect(edited.settings.chat.starters).toHaveLength(3);
  expect(begun.settings.chat.starters).toEqual([]);
});

test('[AW2] skills are added, described and taken out by their place', () => {
  const skill = { name: 'graph', type: 'agent', description: 'links' } as const;
  const two = withSkill({ ...skill, name: 'books' })(withSkill(skill)(begun));
  const told = withSkillChanged(1, { description: 'runbooks' })(two);
  expect(told.settings.skills.map(({ name, description }) => [name, description])).toEqual([
    ['graph', 'links'],
    ['books', 'runbooks'],
  ]);
  expect(withoutSkill(0)(told).settings.skills.map(({ name }) => name)).toEqual(['books']);
});

describe('guards', () => {
  test('[AW4] do on each side what is said there, or as usual, or nothing', () => {
    const both = withAction('pii', 'output', 'ask')(withAction('pii', 'input', 'redact')(begun));
    expect((['input', 'output'] as const).map((side) => actionOf(both.guards, 'pii', side))).toEqual([
      'redact',
      'ask',
    ]);
    const off = withAction('pii', 'output', undefined)(both);
    expect(off.guards).toEqual({ input: [{ guard: 'pii', action: 'redact' }], output: [], covers: 'answer' });
    const asUsual = { input: [{ guard: 'safety' as const }], output: [{ guard: 'safety' as const }] };
    const guards = { ...begun.guards, ...asUsual };
    expect(actionOf(guards, 'safety', 'input')).toBe('block');
    expect(actionOf(guards, 'safety', 'output')).toBe('redact');
    expect(withCover('everything')(off).guards.covers).toBe('everything');
  });

  test('[AW4] have the same rules on both sides, and a side that is added has those of the other', () => {
    const ruled = withWords('rules', { text: 'Nightjar' })(begun);
    expect(ruled.guards).toMatchObject({ input: [{ text: 'Nightjar' }], output: [{ text: 'Nightjar' }] });
    const inOnly = withAction('rules', 'output', undefined)(ruled);
    const again = withAction('rules', 'output', 'block')(withWords('rules', { text: 'Owl' })(inOnly));
    expect(again.guards.input).toEqual([{ guard: 'rules', text: 'Owl' }]);
    expect(again.guards.output).toEqual([{ guard: 'rules', text: 'Owl', action: 'block' }]);
    expect(wordsOf(again.guards, 'rules').text).toBe('Owl');
  });

  test('[AW4] keep the categories they were narrowed to', () => {
    const guards = { ...begun.guards, input: [{ guard: 'pii' as const, categories: ['email'] }] };
    const both = withAction('pii', 'output', 'redact')({ ...begun, guards });
    expect(both.guards.output).toEqual([{ guard: 'pii', categories: ['email'], action: 'redact' }]);
  });
});
