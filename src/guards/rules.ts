import { RunError } from '../run/failure.ts';
import type { GuardAction } from './guard.ts';
import { Pattern, type Sought } from './pattern.ts';
import { wordPattern } from './word-pattern.ts';

const mostRules = 200;

/** A line that cannot be a rule, and why. */
export interface RuleProblem {
  readonly line: number;
  readonly why: string;
}

/**
 * Rules in lines: `BLOCK: words` ends a text, `REGEX: pattern` and plain words do what the guard does. Words are found
 * whole, in letters of either case. Empty lines, and those that begin with `#`, say nothing.
 */
export function rulesIn(
  text: string,
  action: GuardAction = 'redact',
): { readonly patterns: readonly Pattern[]; readonly problems: readonly RuleProblem[] } {
  const patterns: Pattern[] = [];
  const problems: RuleProblem[] = [];
  for (const [i, given] of text.split('\n').entries()) {
    const rule = given.trim();
    if (rule === '' || rule.startsWith('#')) continue;
    const line = i + 1;
    const read = patternOf(soughtIn(rule, line, action));
    if (typeof read === 'string') problems.push({ line, why: read });
    else if (patterns.length < mostRules) patterns.push(read);
    else
      return { patterns, problems: [...problems, { line, why: `there are more than ${mostRules} rules` }] };
  }
  return { patterns, problems };
}

function soughtIn(rule: string, line: number, action: GuardAction): Sought | undefined {
  const [, name, rest = ''] = /^(BLOCK|REGEX)\s*:\s*(.*)$/i.exec(rule) ?? [];
  const kind = { guard: 'rules', category: `rule ${line}` } as const;
  if (name === undefined) return { of: { ...kind, action }, ...wordPattern([rule]) };
  if (rest === '') return undefined;
  if (name.toUpperCase() === 'BLOCK') return { of: { ...kind, action: 'block' }, ...wordPattern([rest]) };
  return { of: { ...kind, action }, pattern: rest };
}

function patternOf(sought: Sought | undefined): Pattern | string {
  if (!sought) return 'nothing stands after the colon: give what is to be found';
  try {
    const pattern = new Pattern(sought);
    return pattern.length > 0 ? pattern : 'it fits nothing, or only the empty text: give what is to be found';
  } catch (thrown) {
    if (thrown instanceof RunError) return thrown.message;
    throw thrown;
  }
}
