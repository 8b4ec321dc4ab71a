import { describe, expect, test } from 'vitest';
import { harmlessAnswers, personalValues } from '../../test/guarded.ts';
import { sized } from '../../test/long.ts';
import { applyGuard } from './apply-guard.ts';
import { guardContract, throughPieces } from './guard.contract.ts';
import { guardOf, orBlocked } from './guard-of.ts';
import { AppGuards, GuardSettings, type GuardSettings as Settings } from './guard-settings.ts';
import { HeldText } from './held-text.ts';
import { complianceCategories, safetyCategories, wordLists } from './word-lists.ts';

const harmless = harmlessAnswers(200).map((pieces) => pieces.join(''));
const settingsOf = (given: unknown): Settings => GuardSettings.parse(given);
const guardFor = (...given: readonly unknown[]) => guardOf(given.map(settingsOf), 'output');

guardContract('pii', () => ({
  guard: guardFor({ guard: 'pii' }),
  found: personalValues(sized(100, 1_000)),
  harmless,
}));

guardContract('safety', () => ({
  guard: guardFor({ guard: 'safety' }),
  found: safetyCategories.flatMap((category) => wordLists[category].map((value) => ({ value, category }))),
  harmless,
}));

guardContract('compliance', () => ({
  guard: guardFor({ guard: 'compliance' }),
  found: complianceCategories.flatMap((category) =>
    wordLists[category].map((value) => ({ value, category })),
  ),
  harmless,
}));

guardContract('rules', () => ({
  guard: guardFor({
    guard: 'rules',
    text: 'Project Nightjar\n# a note\n\nREGEX: KX-\\d{4}(?:-[a-z]{1,3})?\nпроект\n^start',
  }),
  found: [
    { value: 'project nightjar', category: 'rule 1' },
    { value: 'PROJECT  Nightjar', category: 'rule 1' },
    { value: 'KX-1234', category: 'rule 4' },
    { value: 'KX-1234-ab', category: 'rule 4' },
    { value: 'Проект', category: 'rule 5' },
  ],
  harmless: [...harmless, 'projects nightjars', 'проекта', 'KX-123', 'a start'],
}));

guardContract('all of them at once', () => ({
  guard: guardFor(
    { guard: 'pii' },
    { guard: 'safety' },
    { guard: 'rules', text: 'REGEX: [a-z]{3}\\d{2,5}\\b' },
  ),
  found: [
    ...personalValues(20),
    { value: 'pipe bomb', category: 'weapons' },
    { value: 'abc123', category: 'rule 1' },
  ],
  harmless: [],
}));

describe('what is done about findings', () => {
  test('[GD4] input is blocked and output hidden, unless it is said otherwise; the strictest counts', () => {
    const settings = [settingsOf({ guard: 'pii' })];
    expect(applyGuard(guardOf(settings, 'input'), 'mail a@b.org').verdict).toBe('block');
    expect(applyGuard(guardOf(settings, 'output'), 'mail a@b.org').verdict).toBe('redact');
    const several = guardFor({ guard: 'pii', action: 'ask' }, { guard: 'rules', text: 'night' });
    expect(applyGuard(several, 'at night, a@b.org and c@d.org')).toEqual({
      text: 'at [rule 1], [email] and [email]',
      findings: [
        { guard: 'rules', category: 'rule 1', action: 'redact', count: 1 },
        { guard: 'pii', category: 'email', action: 'ask', count: 2 },
      ],
      verdict: 'ask',
    });
  });

  test('[GD5] what blocks ends the text where it stands, in whatever pieces it comes', () => {
    const guard = guardFor({ guard: 'rules', text: 'BLOCK: kestrel\nrobin' });
    const [text, told] = ['a robin, a kestrel and a robin', 'a [rule 2], a [blocked: rule 1]'];
    expect(applyGuard(guard, text)).toMatchObject({ text: told, verdict: 'block' });
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(throughPieces(guard, [text.slice(0, cut), text.slice(cut)])).toBe(told);
  });

  test('[GD6] a guard that fails blocks, unless it was said that text passes then', () => {
    const failing = {
      find: () => {
        throw new RangeError('too deep');
      },
    };
    const blocking = orBlocked(failing, { name: 'pii', isPassing: false });
    expect(applyGuard(blocking, 'some text')).toEqual({
      text: '[blocked: pii failed]',
      findings: [{ guard: 'pii', category: 'pii failed', action: 'block', isFailure: true, count: 1 }],
      verdict: 'block',
    });
    expect(applyGuard(orBlocked(failing, { name: 'pii', isPassing: true }), 'some text').text).toBe(
      'some text',
    );
  });
});

describe('what waits', () => {
  test('[GD7] of harmless texts no more than the last piece waits, and they come out unchanged', () => {
    const guard = guardFor({ guard: 'pii' }, { guard: 'safety' }, { guard: 'compliance' });
    let most = 0;
    for (const pieces of harmlessAnswers(200)) {
      const held = new HeldText(guard);
      let [come, told] = ['', ''];
      for (const piece of pieces) {
        const before = come.length;
        come += piece;
        told += held.take(piece);
        most = Math.max(most, before - told.length);
      }
      expect(told + held.end()).toBe(come);
    }
    expect(most).toBeLessThanOrEqual(0);
  });

  test('[GD8] a pattern without a greatest length holds the whole text', () => {
    const held = new HeldText(guardFor({ guard: 'rules', text: 'REGEX: a\\d+' }));
    expect(held.take('nothing of the kind ') + held.takeCrumb()).toBe('');
    expect(held.take('or a12')).toBe('');
    expect(held.end()).toBe('nothing of the kind or [rule 1]');
    expect(guardFor({ guard: 'pii' }, { guard: 'safety' }).isWhole).toBe(false);
  });
});

describe('settings', () => {
  test.for([
    { name: 'looks ahead', text: 'fine\nREGEX: (?=a)b', says: /line 2: the pattern cannot be used: .*\(\?=/ },
    { name: 'refers back', text: 'REGEX: (a)\\1', says: /line 1: the pattern cannot be used/ },
    {
      name: 'is not closed',
      text: '\n\nREGEX: (a',
      says: /line 3: the pattern cannot be used: missing closing \)/,
    },
    { name: 'says nothing', text: 'BLOCK:', says: /line 1: nothing stands after the colon/ },
    { name: 'fits the empty text only', text: 'REGEX: ^$', says: /line 1: it fits nothing/ },
    {
      name: 'stands for too much',
      text: 'REGEX: (a{1000}){1000}',
      says: /line 1: the pattern cannot be used: it stands for/,
    },
    { name: 'is one too many', text: 'word\n'.repeat(201), says: /line 201: there are more than 200 rules/ },
  ])('[GD9] a rule that $name is refused with its line', ({ text, says }) => {
    const read = AppGuards.safeParse({ output: [{ guard: 'rules', text }] });
    expect(read.error?.issues[0]?.path).toEqual(['output', 0, 'text']);
    expect(read.error?.issues[0]?.message).toMatch(says);
  });

  test('[GD31] to ask about what is kept nowhere is refused; a judge sees what is left', () => {
    const asks = { guard: 'pii', action: 'ask' } as const;
    const read = AppGuards.safeParse({ output: [{ guard: 'safety' }, asks], covers: 'everything' });
    expect(read.error?.issues).toEqual([
      expect.objectContaining({
        path: ['output', 1, 'action'],
        message: expect.stringMatching(/cover the answer, or let «pii» redact or block/),
      }),
    ]);
    expect(AppGuards.safeParse({ output: [asks], input: [asks] }).success).toBe(true);
    const judge = { guard: 'judge', agent: 'a', action: 'ask' } as const;
    expect(AppGuards.safeParse({ output: [judge], covers: 'everything' }).success).toBe(true);
  });
});
