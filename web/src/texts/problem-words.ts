import type { Problem } from '../../../src/graph/problem.ts';
import { deProblems } from './de-problems.ts';
import type { Language } from './texts.ts';

export type WordedProblem = Pick<Problem, 'problem' | 'fix'>;

/** What is wrong and what to do about it, in the language that was chosen. What has no other words is told as it is. */
export function problemWords(problem: Problem, language: Language): WordedProblem {
  const { code, values = [] } = problem;
  return language === 'de' && code !== undefined ? deProblems[code](...values) : problem;
}
