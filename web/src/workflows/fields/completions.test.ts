import { expect, test } from 'vitest';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { speakingAt, suggestionsFor } from './completions.ts';
import { valueThen } from '../runs/last-run.ts';

const graph: DraftGraph = {
  name: 'g',
  input: { type: 'object', properties: { link: { type: 'string' }, hours: { type: 'number' } } },
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'paths', type: 'agent', title: 'Dependencies' },
    { id: 'aside', type: 'template' },
    {
      id: 'again',
      type: 'loop',
      body: {
        nodes: [
          { id: 'look', type: 'template' },
          { id: 'tell', type: 'prompt' },
        ],
        edges: [{ from: 'look', to: 'tell' }],
      },
    },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'paths' },
    { from: 'start', to: 'aside' },
    { from: 'paths', to: 'again' },
    { from: 'again', to: 'end' },
  ],
};
const last = {
  input: { link: 'A-1', hours: 3 },
  nodes: { paths: { port: 'done', output: { count: 26, names: ['x'] } } },
};

function offered(path: string, before: string, isExpression = true): string[] | undefined {
  return suggestionsFor(before, isExpression, speakingAt(graph, path, last))
    ?.options.map(({ label }) => label)
    .toSorted();
}

test('[CV3] at each node, what may be named there is offered, and nothing else', () => {
  expect(offered('end', '')).toEqual(['input', 'nodes', 'now']);
  expect(offered('again.body.tell', 'in')).toEqual(['index', 'input', 'item', 'last', 'nodes', 'now']);
  expect(offered('end', '1 + nodes.')).toEqual(['again', 'paths', 'start']);
  expect(offered('paths', 'nodes.')).toEqual(['start']);
  expect(offered('again.body.tell', 'nodes.l')).toEqual(['look', 'paths', 'start']);
  expect(offered('end', 'nodes.paths.')).toEqual(['output']);
  expect(offered('end', 'nodes.paths.output.')).toEqual(['count', 'names']);
  expect(offered('end', 'input.')).toEqual(['hours', 'link']);
});

test('[CV3] in a text, only within an expression; what is completed begins after the last dot', () => {
  expect(offered('end', 'Link ', false)).toBeUndefined();
  expect(offered('end', 'Link {{input.link}} and ', false)).toBeUndefined();
  expect(offered('end', 'Link {{input.', false)).toEqual(['hours', 'link']);
  expect(suggestionsFor('{{nodes.pa', false, speakingAt(graph, 'end', last))?.from).toBe('{{nodes.'.length);
});

test('[CV3] a field shows what it would have said in the last run, and nothing where that is not known', () => {
  expect(valueThen(last, 'template', 'Link {{input.link}}: {{nodes.paths.output.count}}')).toBe(
    '“Link A-1: 26”',
  );
  expect(valueThen(last, 'expression', 'nodes.paths.output.count > 20')).toBe('true');
  expect(valueThen(last, 'value', '{"n": "{{input.hours}}"}')).toBe('{"n":3}');
  expect(valueThen(last, 'template', 'no expression in it')).toBeUndefined();
  expect(valueThen(last, 'expression', 'nodes.gone.output')).toBeUndefined();
  expect(valueThen(last, 'expression', 'nodes.')).toBeUndefined();
  expect(valueThen(undefined, 'expression', '1 + 1')).toBeUndefined();
  expect(valueThen({ input: 'x'.repeat(1_000) }, 'expression', 'input')?.length).toBeLessThan(200);
});
