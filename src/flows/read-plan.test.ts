import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonWithin } from '../run/json-within.ts';
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

  test('[K54] that thinks aloud is read without its thoughts', () => {
    const chosen = '{"agent_name":"graph"}';
    const thought = 'maybe {"agent_name":"books"} no…';
    for (const answer of [
      `<think>${thought}</think>${chosen}`,
      `${thought}\n</think>\n${chosen}`,
      `<Thinking >${thought}</thinking>${chosen}<think>${thought}</think>`,
      `${chosen}<think>${thought}`,
    ])
      expect([answer, read(answer).repairs, shape(read(answer))]).toEqual([answer, [], 'single: graph']);
    expect(readPlan(`<think>${chosen}`, agents)).toBe('The router did not answer in JSON.');
  });

  test('[K55] with several plans is followed to the last of them, and it is said where they differ', () => {
    const [books, graph] = ['{"agent_name":"books"}', '{"agent_name":"graph"}'];
    const { plan, repairs } = read(`${books}\nBetter:\n${graph}\n{"note":"done"}`);
    expect(plan.tasks.map(({ agent }) => agent)).toEqual(['graph']);
    expect(repairs).toEqual(['The router gave 2 plans that differ: the last one is followed.']);
    expect(read(`${graph} ${graph}`).repairs).toEqual([]);
  });

  test.for([
    '{"strategy":"parallel","tasks":[{"agent":"graph"},',
    '{"strategy":"parallel","tasks":[{"agent":"graph"},]}',
    '{"agent_name":"books"}\n{"agent_name":"gra',
    '[{"agent":"graph"}, {"agent":"bo',
  ])('[K56] of half a plan nothing is done: %s', (answer) => {
    expect(readPlan(answer, agents)).toBe(
      "The router's plan cannot be read: its JSON is broken, or breaks off.",
    );
  });

  test('[K56] a broken plan that was put right after it is no matter', () => {
    const found = read('{"tasks":["graph",]} Sorry: {"tasks":["graph","books"]}');
    expect(shape(found)).toBe('sequential: graph, books <1 graph');
  });

  test('[K57] with a strategy nobody knows goes one by one, and it is said', () => {
    const found = read({ strategy: 'concurrent', tasks: ['graph', 'books'] });
    expect(shape(found)).toBe('sequential: graph, books <1 graph');
    expect(found.repairs).toEqual([
      'The strategy «concurrent» is not among single, sequential, parallel, hybrid: the tasks are done one after the other.',
    ]);
    expect(read({ strategy: 'concurrent', tasks: ['graph'] }).repairs).toEqual([]);
  });

  test('[K59] knows who needs what somebody who is left out was to find, by key, name or place', () => {
    const lacking = (needs: unknown) =>
      read({
        strategy: 'hybrid',
        tasks: [{ key: 'g', agent: 'gamma' }, { agent: 'graph', dependsOn: needs }, { agent: 'books' }],
      }).plan.tasks.map(({ lacks }) => lacks);
    for (const needs of [['g'], 'Gamma', [0]]) expect(lacking(needs)).toEqual([['«gamma»'], undefined]);
    expect(lacking(['nowhere'])).toEqual([undefined, undefined]);
  });

  test('[K60] says in plain words what does not fit', () => {
    expect(readPlan('{"tasks":[]}', agents)).toBe(
      "The router's plan does not fit: tasks must name at least one task.",
    );
    expect(readPlan('{"plan":1}', agents)).toBe(
      "The router's plan does not fit: tasks must be a list of tasks.",
    );
    expect(readPlan('{"tasks":[{"key":"a"}]}', agents)).toBe(
      "The router's plan does not fit: tasks.0 must name an agent.",
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
