import { expect, test } from 'vitest';
import type { SentMessage } from '../../projections/door.ts';
import { appWith, serving } from '../../../test/serving.ts';
import { namedRuns } from './named-runs.ts';

/** What looks things up, and how often it did. */
function counted() {
  const looks: string[] = [];
  return {
    looks,
    row: async (run: string) => void looks.push(run),
    answer: async ({ run, begin }: { run: string; begin: number }) => looks.push(`${run}.${begin}`),
  };
}

function answers(count: number, run: (i: number) => string, isNamed: boolean): SentMessage[] {
  return Array.from({ length: count }, (_, i) => ({
    role: 'assistant',
    text: '',
    run: run(i),
    ...(isNamed ? { named: { answer: { run: run(i), begin: i % 2 }, in: String } } : {}),
  }));
}

test('[PR73] what a conversation names is looked up once, however often it is named', async () => {
  const look = counted();
  const history = answers(900, (i) => `run_${i % 3}`, true);
  const named = namedRuns(history, look);
  for (const { run = '', named: words } of history) {
    await named.row(run);
    if (words) await named.answer(words.answer);
  }
  expect(look.looks.toSorted()).toEqual([
    'run_0',
    'run_0.0',
    'run_0.1',
    'run_1',
    'run_1.0',
    'run_1.1',
    'run_2',
    'run_2.0',
    'run_2.1',
  ]);
});

test('[PR73] a history of any length may name few runs', () => {
  expect(() =>
    namedRuns(
      answers(100_000, (i) => `run_${i % 1_000}`, false),
      counted(),
    ),
  ).not.toThrow();
});

test.for([
  ['of as many runs', false],
  ['that are only named', true],
] as const)('[PR73] more than a thousand answers %s are refused before any is looked up', ([, isNamed]) => {
  const look = counted();
  const history = answers(1_001, (i) => (isNamed ? 'run_0' : `run_${i}`), isNamed);
  expect(() => namedRuns(history, look)).toThrow('names 1001 answers of runs: send at most 1000');
  expect(look.looks).toEqual([]);
});

test('[PR73] by HTTP it is 413, and many names that are not known are told in a few notices', async () => {
  const echo = appWith(async (_, text) => text, 'echo');
  const { ask } = await serving({ config: { apps: { echo } } });
  const asked = (count: number, name: (i: number) => string) =>
    ask('/v1/responses', {
      json: {
        model: 'echo',
        input: [
          ...Array.from({ length: count }, (_, i) => ({ type: 'item_reference', id: name(i) })),
          { role: 'user', content: 'x' },
        ],
      },
    });
  expect((await asked(1_001, (i) => `msg_run_${i}.0.1`)).status).toBe(413);
  for (const name of [(i: number) => `msg_run_${i}.0.1`, (i: number) => `msg_${i}`]) {
    const { status, headers } = await asked(1_000, name);
    expect(status).toBe(200);
    const { text } = await ask(`/api/runs/${headers.get('x-run-id')}/entries`);
    expect(text.match(/_IGNORED/g)).toHaveLength(51);
    expect(text).toContain('950 more');
  }
});
