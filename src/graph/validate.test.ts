import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { problemOf, type Problem, type ProblemCode } from './problem.ts';
import { problemsIn } from './validate.ts';

const start = { id: 'start', type: 'start' };
const end = { id: 'end', type: 'end', output: 'Posted.' };
const to = (from: string, target: string, port?: string): Json => ({
  from,
  to: target,
  ...(port ? { port } : {}),
});
const agent = (id: string, message = 'What of {{input.text}}?'): Json => ({
  id,
  type: 'agent',
  agent: 'helper',
  message,
});

/** The change notice of the facts. */
const notice: { nodes: Json[]; edges: Json[] } & Record<string, Json> = {
  name: 'change-notice',
  nodes: [
    start,
    agent('paths'),
    { ...(agent('load') as object), within: 60 },
    {
      id: 'draft',
      type: 'prompt',
      agent: 'helper',
      message: '{{nodes.paths.output}} {{nodes.load.output}}',
      answer: {},
    },
    {
      id: 'check',
      type: 'human',
      title: 'Post this?',
      shows: '{{nodes.draft.output}}',
      allowed: ['approve', 'reject', 'edit'],
      expiresIn: 86_400,
      redo: ['draft'],
    },
    { id: 'post', type: 'tool', tool: 'post_notice', arguments: '{{nodes.check.output.value}}' },
    end,
    { id: 'no', type: 'end', output: 'Not posted.' },
  ],
  edges: [
    to('start', 'paths'),
    to('start', 'load'),
    to('paths', 'draft'),
    to('load', 'draft'),
    to('draft', 'check'),
    to('check', 'post', 'approved'),
    to('check', 'no', 'rejected'),
    to('post', 'end'),
  ],
  layout: { start: [0, 0] },
};

const known = { agents: new Set(['helper']), tools: new Set(['post_notice']), workflows: new Set<string>() };

function graph(
  nodes: readonly Json[],
  edges: readonly Json[],
  more: Readonly<Record<string, Json>> = {},
): Json {
  return { name: 'g', nodes: [...nodes], edges: [...edges], ...more };
}

/** One node between start and end. */
function only(node: Readonly<Record<string, Json>>): Json {
  const id = node['id'] as string;
  return graph([start, node, end], [to('start', id), to(id, 'end')]);
}

function told(problems: readonly Problem[]): string[] {
  return problems.map(({ node, field, problem }) => `${node} ${field}: ${problem}`);
}

describe('validation', () => {
  test('[GR5] finds nothing wrong with a graph that can be run', () => {
    expect(problemsIn(notice, known)).toEqual([]);
  });

  const calls = { id: 'post', type: 'tool', tool: 'post_notice' };
  const body = { nodes: [agent('work', '{{item}} {{index}}')], edges: [] };
  test.for<{ name: string; given: Json; says: string }>([
    { name: 'no start', given: graph([end], []), says: ' nodes: There is no start.' },
    {
      name: 'two starts',
      given: graph([start, { id: 's2', type: 'start' }, end], [to('start', 'end'), to('s2', 'end')]),
      says: 's2 type: There is a second start.',
    },
    {
      name: 'no end',
      given: graph([start, agent('a')], [to('start', 'a')]),
      says: ' nodes: There is no end.',
    },
    {
      name: 'a circle',
      given: graph(
        [start, agent('a'), agent('b'), end],
        [to('start', 'a'), to('a', 'b'), to('b', 'a'), to('b', 'end')],
      ),
      says: 'a edges: These lead in a circle: «a», «b».',
    },
    {
      name: 'what nothing leads to',
      given: graph([start, agent('a'), end], [to('start', 'end')]),
      says: 'a edges: Nothing leads to it.',
    },
    {
      name: 'an unknown agent',
      given: only({ id: 'a', type: 'prompt', agent: 'nobody', message: '' }),
      says: 'a agent: There is no agent «nobody».',
    },
    {
      name: 'an unknown tool',
      given: only({ id: 'a', type: 'tool', tool: 'nothing' }),
      says: 'a tool: There is no tool «nothing».',
    },
    {
      name: 'an unknown workflow',
      given: only({ id: 'a', type: 'workflow', workflow: 'g' }),
      says: 'a workflow: There is no workflow «g».',
    },
    {
      name: 'an unknown port',
      given: graph([start, agent('a'), end], [to('start', 'a'), to('a', 'end', 'maybe')]),
      says: 'a edges.1: «a» has no port «maybe».',
    },
    {
      name: 'an edge to nowhere',
      given: graph([start, end], [to('start', 'end'), to('start', 'x')]),
      says: 'There is no node «x» here.',
    },
    {
      name: 'an expression with a fault',
      given: only(agent('a', 'x {{input.}}') as never),
      says: 'a message: Column 11: ',
    },
    {
      name: 'a name before it can exist',
      given: only(agent('a', '{{nodes.later.output}}') as never),
      says: '«nodes.later» is used before it can exist.',
    },
    {
      name: 'an item outside a loop',
      given: only(agent('a', '{{item}}') as never),
      says: '«item» means nothing here.',
    },
    {
      name: 'a loop without a cap',
      given: only({ id: 'l', type: 'loop', until: 'index > 3', body }),
      says: 'l max: The loop has no cap.',
    },
    {
      name: 'a loop with two ends',
      given: only({ id: 'l', type: 'loop', until: 'true', times: 3, max: 3, body }),
      says: 'exactly one of',
    },
    {
      name: 'an empty body',
      given: only({ id: 'l', type: 'loop', times: 3, body: { nodes: [], edges: [] } }),
      says: 'l nodes: There is nothing in it.',
    },
    {
      name: 'a start in a body',
      given: only({ id: 'l', type: 'loop', times: 3, body: { nodes: [start], edges: [] } }),
      says: 'A body has no start.',
    },
    {
      name: 'an id that is a word',
      given: only({ id: 'in', type: 'template', value: 1 }),
      says: 'is a word of the expressions',
    },
    {
      name: 'an unknown field',
      given: only({ id: 'a', type: 'template', value: 1, colour: 'red' }),
      says: '«colour» is not known here; remove or rename it',
    },
    {
      name: 'what may come to too many turns',
      given: only({ id: 'm', type: 'map', items: 'input.l', body }),
      says: 'It may come to 1000 turns; 200 are allowed.',
    },
    {
      name: 'what may come to too many calls',
      given: only({
        id: 'm',
        type: 'map',
        items: 'input.l',
        body: {
          nodes: [{ id: 'l', type: 'loop', times: 2, body: { nodes: [calls], edges: [] } }],
          edges: [],
        },
      }),
      says: 'limits.calls: It may come to 2000 calls; 1000 are allowed.',
    },
    {
      name: 'what may come to too many levels of steps',
      given: { ...(only({ id: 'l', type: 'loop', times: 1, body }) as object), limits: { depth: 2 } },
      says: 'limits.depth: It may come to ',
    },
    {
      name: 'too many edges',
      given: graph(
        [start, ...Array.from({ length: 3 }, (_, i) => ({ id: `n${i}`, type: 'template', value: 1 }))],
        Array.from({ length: 2_001 }, () => to('n0', 'n1')),
      ),
      says: 'The graph has 2001 edges; 2000 are the most.',
    },
    {
      name: 'too many nodes',
      given: graph(
        Array.from({ length: 501 }, (_, i) => ({ id: `n${i}`, type: 'template', value: 1 })),
        [],
      ),
      says: 'The graph has 501 nodes; 500 are the most.',
    },
    {
      name: 'what is too large',
      given: graph([{ id: 't', type: 'template', value: 'x'.repeat(1_000_001) }], []),
      says: 'characters of JSON',
    },
  ])('[GR6] tells $name', ({ given, says }) => {
    const problems = problemsIn(given, known);
    expect(told(problems).join('\n')).toContain(says);
    for (const { fix } of problems) expect(fix).not.toBe('');
  });

  test('[GR7] lets a node be done again only if all its paths lead to the question', () => {
    const leak = { ...notice, edges: [...notice.edges, to('draft', 'no')] };
    expect(told(problemsIn(leak, known))).toEqual([
      'check redo: «draft» leads to «no» as well, which would have used what it gave before.',
    ]);
    const nodes = notice.nodes.map((node) =>
      (node as { id: string }).id === 'check' ? { ...(node as object), redo: ['post'] } : node,
    );
    expect(told(problemsIn({ ...notice, nodes: nodes as Json[] }, known))).toEqual([
      'check redo: «post» does not come before it.',
    ]);
  });

  test('[GR9] what is too large is counted and looked at no further, and 200 problems are told at most', () => {
    const same = Array.from({ length: 501 }, () => ({ id: 'same', type: 'template', value: '{{' }));
    expect(told(problemsIn(graph(same, [])))).toEqual([' nodes: The graph has 501 nodes; 500 are the most.']);
    const many = { id: 't', type: 'template', value: '{{nowhere}}'.repeat(5_001) };
    expect(told(problemsIn(only(many)))).toEqual([
      ' nodes: The graph has 5001 expressions; 5000 are the most.',
    ]);
    const wrong = Array.from({ length: 300 }, (_, i) => ({ id: `n${i}`, type: 'template', value: '{{' }));
    for (const nodes of [wrong, wrong.map((node) => ({ ...node, more: 1 }))]) {
      const problems = problemsIn(graph([start, ...nodes, end], []));
      expect([problems.length, problems.at(-1)?.code]).toEqual([201, 'many-problems']);
    }
  });

  test('[GR6] knows ten levels, and refuses eleven, and what is nested beyond all measure', () => {
    const nested = (levels: number): Json => {
      let inner: Json = { id: `n${levels}`, type: 'template', value: 1 };
      for (let level = levels - 1; level > 0; level -= 1)
        inner = { id: `n${level}`, type: 'loop', times: 1, body: { nodes: [inner], edges: [] } };
      return { ...(only(inner as never) as object), limits: { depth: 100 } };
    };
    expect(problemsIn(nested(10))).toEqual([]);
    expect(told(problemsIn(nested(11)))).toEqual([' nodes: The graph is 11 levels deep; 10 are the most.']);
    expect(told(problemsIn(nested(5_000)))).toEqual([' : The graph is nested too deeply; 200 are the most.']);
  });

  test('[GR8] whatever it is given, it gives a list and throws nothing', () => {
    const seen = { sound: 0, faulty: 0 };
    const mutated = fc.tuple(
      fc.nat({ max: 7 }),
      fc.constantFrom('id', 'type', 'message', 'shows', 'redo', 'agent'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.option(mutated), fc.jsonValue(), (change, other) => {
        if (change) {
          const [at, field, value] = change;
          const nodes = notice.nodes.map((node, i) =>
            i === at ? { ...(node as object), [field]: value as Json } : node,
          );
          const problems = problemsIn({ ...notice, nodes: nodes as Json[] }, known);
          seen[problems.length === 0 ? 'sound' : 'faulty'] += 1;
          for (const { code, values = {}, problem } of problems)
            expect(problem).toBe(problemOf(code as ProblemCode, { node: '', field: '' }, values).problem);
        } else expect(problemsIn(JSON.parse(JSON.stringify(other)) as Json).length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
    expect(seen.faulty).toBeGreaterThan(50);
  });
});
