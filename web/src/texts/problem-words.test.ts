import { expect, test } from 'vitest';
import { problemOf, type Problem, type ProblemCode } from '../../../src/graph/problem.ts';
import { problemsIn } from '../../../src/graph/validate.ts';
import { deProblems } from './de-problems.ts';
import { problemWords } from './problem-words.ts';

const known = { agents: new Set(['model']), tools: new Set<string>() };
const wrong = problemsIn(
  {
    name: 'g',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'ask', type: 'prompt', agent: 'nobody', message: '{{nodes.later.output}} {{1 +}}' },
      { id: 'late', type: 'template', value: '{{nodes.end.output}}' },
      {
        id: 'again',
        type: 'loop',
        until: 'true',
        body: { nodes: [{ id: 'x', type: 'template', value: 1 }], edges: [] },
      },
      { id: 'end', type: 'end' },
    ],
    edges: [
      { from: 'start', to: 'ask' },
      { from: 'ask', to: 'late' },
      { from: 'late', to: 'end' },
    ],
    schedules: [
      { cron: '0 8 31 2 *', timezone: 'UTC' },
      { cron: '0 8 * * *', timezone: 'Nowhere' },
    ],
  },
  known,
);

test('[CV25] what is wrong is told in the language that was chosen, naming the same things', () => {
  const told = wrong.map((problem) => problemWords(problem, 'de').problem);
  expect(told).toEqual([
    '«0 8 31 2 *» kommt nie.',
    '«Nowhere» ist keine Zeitzone.',
    'Nichts führt dorthin.',
    'agent: «nobody» gibt es nicht.',
    expect.stringMatching(/^Spalte \d+: /),
    '«nodes.end» wird benutzt, bevor es das geben kann.',
    'Die Schleife hat keine Grenze.',
  ]);
  for (const problem of wrong) expect(problemWords(problem, 'en')).toBe(problem);
});

test('[CV25] the other language names what the first one names', () => {
  const named = (text: string): unknown => new Set(text.match(/\{\w+\}/g));
  for (const [code, [problem, fix]] of Object.entries(deProblems)) {
    const told = problemOf(code as ProblemCode, { node: '', field: '' });
    expect(named(problem + fix), code).toEqual(named(told.problem + told.fix));
  }
});

test('[CV25] what has no kind is told as it came', () => {
  const problem: Problem = { node: '', field: 'name', problem: 'Another name.', fix: 'Change it.' };
  expect(problemWords(problem, 'de')).toBe(problem);
});
