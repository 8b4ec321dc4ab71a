import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonWithin } from './json-within.ts';
import { circleOf, planSchema, roundsOf } from './plan.ts';
import { readPlan, type ReadPlan } from './read-plan.ts';

const agents = ['graph', 'books', 'maps', 'Desk'].map((name) => ({ name, title: `The ${name}` }));

function read(answer: unknown): ReadPlan {
  const found = readPlan(typeof answer === 'string' ? answer : JSON.stringify(answer), agents);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** Each task with those it waits for. */
const shape = ({ plan: { strategy, tasks } }: ReadPlan): string =>
  `${strategy}: ${tasks.map(({ agent, dependsOn }) => [agent, ...dependsOn.map((key) => `<${key}`)].join(' ')).join(', ')}`;

describe('a router’s answer', () => {
  const chain = [{ agent: 'graph' }, { agent: 'books', dependsOn: [1] }, { agent: 'maps', dependsOn: [2] }];
  test.for([
    ['one choice', { agent_name: 'graph' }, 'single: graph'],
    ['a task alone', { agent: 'graph', instructions: 'x' }, 'single: graph'],
    ['names alone', { strategy: 'parallel', tasks: ['graph', 'books'] }, 'parallel: graph, books'],
    ['a list', [{ agent: 'graph' }, { agent: 'books' }], 'sequential: graph, books <1 graph'],
    ['a title', { agent_name: 'the DESK' }, 'single: Desk'],
    ['places from 1', { strategy: 'hybrid', tasks: chain }, 'hybrid: graph, books <1 graph, maps <2 books'],
    [
      'places from 0',
      { strategy: 'hybrid', tasks: [{ agent: 'graph' }, { agent: 'books', dependsOn: [0] }] },
      'hybrid: graph, books <1 graph',
    ],
    [
      'keys that are numbers',
      {
        strategy: 'hybrid',
        tasks: [
          { id: 1, agent: 'graph' },
          { id: 2, agent: 'books', depends_on: [1] },
        ],
      },
      'hybrid: graph, books <1 graph',
    ],
    [
      'agents for keys',
      { strategy: 'hybrid', tasks: [{ agent: 'graph' }, { agent: 'books', dependsOn: 'Graph' }] },
      'hybrid: graph, books <1 graph',
    ],
    [
      'a strategy nobody knows',
      { strategy: 'waterfall', tasks: [{ agent: 'graph' }, { agent: 'books' }] },
      'sequential: graph, books <1 graph',
    ],
    [
      'a sequence that says what it needs',
      {
        strategy: 'sequential',
        tasks: [
          { key: 'a', agent: 'graph' },
          { key: 'b', agent: 'books' },
          { key: 'c', agent: 'maps', dependsOn: ['a'] },
        ],
      },
      'sequential: graph, books <1 graph, maps <2 books <1 graph',
    ],
  ] as const)('[K30 K33] with %s is understood without a word', ([, answer, understood]) => {
    const found = read(answer);
    expect(shape(found)).toBe(understood);
    expect(found.repairs).toEqual([]);
  });

  test('[K33] of too many tasks is cut, and in a sequence nothing waits for what comes later', () => {
    const tasks = Array.from({ length: 14 }, (_, i) => ({
      key: `t${i}`,
      agent: 'graph',
      dependsOn: i === 0 ? ['t3'] : [],
    }));
    const { plan, repairs } = read({ strategy: 'sequential', tasks });
    expect(plan.tasks).toHaveLength(12);
    expect(plan.tasks[0]?.dependsOn).toEqual([]);
    expect(repairs).toEqual([
      'The router planned 14 tasks: only the first 12 are done.',
      '«graph» is to wait for «t3», which does not come before it: it does not wait for that.',
    ]);
  });

  test('[K4] that has no plan in it says what it has', () => {
    expect(readPlan('I would ask graph.', agents)).toBe('The router did not answer in JSON.');
    expect(readPlan('{"tasks":[]}', agents)).toContain("The router's plan does not fit: tasks");
    expect(readPlan('{"tasks":[{"key":"a"}]}', agents)).toContain('tasks.0');
    expect(readPlan('{"agent_name":"x"}', agents)).toBe(
      'The router chose «x», which is not among graph, books, maps, Desk.',
    );
  });

  test('[K33] may be anything at all', () => {
    const anyTask = fc.record(
      {
        key: fc.anything(),
        agent: fc.oneof(fc.constantFrom('graph', 'Books', 'x'), fc.anything()),
        dependsOn: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const anyAnswer = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ tasks: fc.array(anyTask) })
        .map(
          (value) =>
            `x ${JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? 0 : part))} y`,
        ),
    );
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        const found = readPlan(answer, agents);
        if (typeof found === 'string') return;
        const keys = found.plan.tasks.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { agent, dependsOn } of found.plan.tasks) {
          expect(agents.map(({ name }) => name)).toContain(agent);
          expect(dependsOn.filter((key) => !keys.includes(key))).toEqual([]);
        }
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  test('[K33] that opens a hundred thousand braces is given up on', () => {
    expect(readPlan('{'.repeat(300_000), agents)).toBe('The router did not answer in JSON.');
    expect([...jsonWithin('[1] {"a":"}"} {x} [2]')]).toEqual([[1], { a: '}' }, [2]]);
  });
});

test('[K33] whoever waits in a circle is told from whoever waits behind one', () => {
  const task = (key: string, ...dependsOn: string[]) => ({
    key,
    agent: key,
    instructions: '',
    reasoning: '',
    dependsOn,
  });
  const tasks = [task('a', 'b'), task('b', 'c', 'a'), task('c'), task('d', 'a'), task('e', 'e')];
  expect(roundsOf(tasks).stuck.map(({ key }) => key)).toEqual(['a', 'b', 'd', 'e']);
  expect(
    tasks.map((one) =>
      circleOf(one, tasks)
        .map(({ key }) => key)
        .join(' '),
    ),
  ).toEqual(['a b', 'b a', '', '', 'e']);
});

test('[K33] what is asked for is strict: nothing may be left out or added', () => {
  const { properties, required, additionalProperties } = planSchema(['graph']) as Record<string, object>;
  expect([Object.keys(properties ?? {}), additionalProperties]).toEqual([required, false]);
});
