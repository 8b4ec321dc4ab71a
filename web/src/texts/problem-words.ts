import { filledIn, type Problem } from '../../../src/graph/problem.ts';
import { deProblems } from './de-problems.ts';
import type { Language } from './texts.ts';

/** What is wrong and what to do about it, in the language that was chosen. What has no other words is told as it is. */
export function problemWords(told: Problem, language: Language): Pick<Problem, 'problem' | 'fix'> {
  const { code = '', values = {} } = told;
  const words =
    language === 'de' && Object.hasOwn(deProblems, code) ? Reflect.get(deProblems, code) : undefined;
  if (!words) return told;
  const [problem, fix] = words;
  return { problem: filledIn(problem, values), fix: filledIn(fix, values) };
}
