import type { GuardSettings } from './guard-settings.ts';
import { readingThrough } from './folded.ts';
import { joined } from './guard-joined.ts';
import { nothing, type Guard, type GuardAction, type Kind } from './guard.ts';
import { Pattern, type Sought } from './pattern.ts';
import { piiCategories, piiSought } from './pii.ts';
import { rulesIn } from './rules.ts';
import { complianceCategories, safetyCategories, wordLists, type WordCategory } from './word-lists.ts';
import { wordPattern } from './word-pattern.ts';

export type GuardSide = 'input' | 'output';

/** What is done about findings where settings do not say. */
const usual: Readonly<Record<GuardSide, GuardAction>> = { input: 'block', output: 'redact' };

/** Patterns take longer for a character than secrets do, and others wait for one part. */
const part = 8 * 1024;

/** One guard that finds all that several settings name. A `judge` finds nothing by itself: whoever has an agent asks it. */
export function guardOf(settings: readonly GuardSettings[], side: GuardSide): Guard {
  const guards = settings.map((each) => {
    const patterns = patternsOf(each, each.action ?? usual[side]);
    return orBlocked(guardBy(patterns), { name: each.guard, isPassing: each.onFailure === 'pass' });
  });
  return readingThrough({
    looksBack: true,
    part,
    isWhole: guards.some(({ isWhole }) => isWhole),
    find: (text, before) => guards.map((guard) => guard.find(text, before)).reduce(joined, nothing),
  });
}

/** A guard that fails has found everything, unless it was said that text then passes: what nobody looked at stays here. */
export function orBlocked(
  guard: Guard,
  { name, isPassing }: { readonly name: string; readonly isPassing: boolean },
): Guard {
  const of: Kind = { guard: name, category: `${name} failed`, action: 'block', isFailure: true };
  return {
    isWhole: guard.isWhole ?? false,
    find(text, before) {
      try {
        return guard.find(text, before);
      } catch {
        return isPassing || text === ''
          ? nothing
          : { stretches: [{ start: 0, end: text.length, of }], open: 0 };
      }
    },
  };
}

function guardBy(patterns: readonly Pattern[]): Guard {
  return {
    isWhole: patterns.some(({ length }) => length === Infinity),
    find: (text, before) => patterns.map((pattern) => pattern.find(text, before)).reduce(joined, nothing),
  };
}

function patternsOf(settings: GuardSettings, action: GuardAction): readonly Pattern[] {
  switch (settings.guard) {
    case 'pii':
      return piiSought(settings.categories ?? piiCategories, action).map(read);
    case 'safety':
      return wordsSought('safety', settings.categories ?? safetyCategories, action).map(read);
    case 'compliance':
      return wordsSought('compliance', settings.categories ?? complianceCategories, action).map(read);
    case 'rules':
      return rulesIn(settings.text, action).patterns;
    case 'judge':
      return [];
  }
}

function wordsSought(
  guard: string,
  categories: readonly WordCategory[],
  action: GuardAction,
): readonly Sought[] {
  return categories.map((category) => ({
    of: { guard, category, action },
    ...wordPattern(wordLists[category]),
  }));
}

function read(sought: Sought): Pattern {
  return new Pattern(sought);
}
