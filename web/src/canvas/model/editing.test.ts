import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GraphNode } from '../../../../src/graph/graph.ts';
import { problemsIn } from '../../../../src/graph/validate.ts';
import { emptyNode, nodeTypes, portsIn } from './draft.ts';
import { jsonOfDraft, type DraftGraph, type DraftNode } from './draft-graph.ts';
import { Editing } from '../../editing/editing.ts';
import * as edits from './edits.ts';
import { fieldsOfType, readValue, writtenOf } from './node-fields.ts';
import { nodeAt, nodesWithin } from './node-path.ts';
import { readYaml, yamlOf } from './yaml-text.ts';

const begun: DraftGraph = {
  name: 'notice',
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'again',
      type: 'loop',
      times: 2,
      body: { nodes: [{ id: 'look', type: 'template', value: 1 }], edges: [] },
    },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'again' },
    { from: 'again', to: 'end' },
  ],
  layout: { start: [0, 0], again: [200, 0], 'again.body.look': [0, 0] },
};

/** One change of any kind, anywhere in the graph as it is then. */
const anyEdit = fc
  .record({
    is: fc.constantFrom('add', 'remove', 'connect', 'cut', 'rename', 'change', 'place'),
    at: fc.nat(),
    to: fc.nat(),
    type: fc.constantFrom(...nodeTypes),
  })
  .map(({ is, at, to, type }): edits.Edit => (graph) => {
    const all = nodesWithin(graph);
    const one = all[at % Math.max(1, all.length)];
    if (is === 'add' || !one) return edits.added(one?.within ?? '', type, edits.freeId(graph, type))(graph);
    const beside = all.filter(({ within }) => within === one.within);
    const other = beside[to % beside.length] ?? one;
    const port = portsIn(one.node)[to % Math.max(1, portsIn(one.node).length)] ?? 'done';
    const connection = { from: one.path, port, to: other.path };
    if (is === 'remove') return edits.removed(one.path)(graph);
    if (is === 'connect') return edits.connected(connection)(graph);
    if (is === 'cut') return edits.disconnected(connection)(graph);
    if (is === 'rename') return edits.renamed(one.path, `${one.node.id}x`)(graph);
    if (is === 'change') return edits.changed(one.path, 'title', `title: "${to}" # {{x}}`)(graph);
    return edits.placed({ [one.path]: [to % 1000, at % 1000] })(graph);
  });

test('[CV2] whatever is changed, in whatever order, is taken back and done again exactly', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 25 }), (all) => {
      const editing = new Editing(begun);
      const seen = [begun];
      for (const edit of all) {
        editing.edit(edit);
        const { draft: graph } = editing.getSnapshot();
        if (graph !== seen.at(-1)) seen.push(graph);
      }
      for (const graph of seen.toReversed().slice(1)) {
        editing.undo();
        expect(editing.getSnapshot().draft).toBe(graph);
        taken += 1;
      }
      expect(editing.getSnapshot().canUndo).toBe(false);
      for (const graph of seen.slice(1)) {
        editing.redo();
        expect(editing.getSnapshot().draft).toBe(graph);
      }
    }),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(200);
});

test('[CV2] what is written in one field letter by letter is one change', () => {
  const editing = new Editing(begun);
  for (const title of ['N', 'No', 'Now']) editing.edit(edits.changed('end', 'title', title), 'end title');
  editing.edit(edits.changed('start', 'title', 'S'), 'start title');
  editing.undo();
  expect(nodeAt(editing.getSnapshot().draft, 'end')?.title).toBe('Now');
  editing.undo();
  expect(editing.getSnapshot().draft).toBe(begun);
});

test('[CV2] after something else was changed, what was taken back is gone', () => {
  const editing = new Editing(begun);
  editing.edit(edits.changed('end', 'title', 'one'));
  editing.undo();
  editing.edit(edits.changed('end', 'title', 'other'));
  expect(editing.getSnapshot().canRedo).toBe(false);
  editing.redo();
  expect(nodeAt(editing.getSnapshot().draft, 'end')?.title).toBe('other');
});

test('[CV4] a graph is the same after it was written as YAML and read again, whatever was done to it', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(fc.array(anyEdit, { maxLength: 25 }), (all) => {
      const graph = edits.inOrder(...all)(begun);
      for (const { node } of nodesWithin(graph)) met.add(node.type);
      const read = readYaml(yamlOf(graph));
      expect(read).toEqual({ graph: JSON.parse(JSON.stringify(graph)) as unknown });
      if ('graph' in read) expect(yamlOf(read.graph)).toBe(yamlOf(graph));
    }),
    { numRuns: 80 },
  );
  expect([...met].toSorted()).toEqual([...nodeTypes].toSorted());
});

const commented = `# What the desk sends out.
name: notice
nodes:
  - { id: start, type: start }
  # Asked twice: the first answer is often late.
  - id: again # a loop
    type: loop
    times: 2 # enough
    body:
      nodes:
        - id: look
          type: template
          value: 1 # one
      edges: []
  - id: end
    type: end
edges:
  # The way in.
  - { from: start, to: again }
  - { from: again, to: end }
layout:
  start: [ 0, 0 ]
  again: [ 200, 0 ]
  again.body.look: [ 0, 0 ]
`;

test('[CV26] what was written stays as it was written, but for what was changed on the canvas', () => {
  const read = readYaml(commented);
  expect(read).toEqual({ graph: begun });
  expect(yamlOf(begun, commented)).toBe(commented);
  const changed = edits.inOrder(
    edits.changed('again', 'times', 3),
    edits.changed('end', 'title', 'Done'),
    edits.added('', 'wait', 'pause'),
    edits.disconnected({ from: 'again', port: 'done', to: 'end' }),
  )(begun);
  const text = yamlOf(changed, commented);
  const lost = commented.split('\n').filter((line) => !text.split('\n').includes(line));
  expect(lost).toEqual(['    times: 2 # enough', '  - { from: again, to: end }']);
  expect(text).toContain('    times: 3 # enough\n');
  expect(text).toContain('    title: Done\n');
  expect(yamlOf(edits.removed('again')(begun), commented)).not.toContain('enough');
});

test('[CV26] what is written over an older text says the graph, whatever was done to it', () => {
  let kept = 0;
  fc.assert(
    fc.property(fc.array(anyEdit, { maxLength: 12 }), (all) => {
      let [graph, text] = [begun, commented];
      for (const edit of all) {
        graph = edit(graph);
        text = yamlOf(graph, text);
      }
      expect(readYaml(text)).toEqual({ graph: JSON.parse(JSON.stringify(graph)) as unknown });
      if (text.includes('# What the desk sends out.')) kept += 1;
    }),
    { numRuns: 60 },
  );
  expect(kept).toBe(60);
});

test('[CV26] a text that is no YAML, or no graph, is written anew', () => {
  for (const text of ['a: [1', '- 1', '']) expect(yamlOf(begun, text)).toBe(yamlOf(begun));
});

test.for([
  ['a: [1', 'with its line', 1],
  ['name: x\nnodes: []\nedges: []\n  bad: : :', 'with its line', 4],
  ['name: x', 'since it has nothing to draw', undefined],
  ['a: &a [1]\nname: x\nnodes: []\nedges: []\nb: *a', 'since names for parts are not followed', undefined],
] as const)('[CV4] text that is no graph changes nothing: «%s», %s', ([text, , line]) => {
  const read = readYaml(text);
  expect(read).toMatchObject({ problem: expect.any(String) as string });
  if (line !== undefined) expect(read).toMatchObject({ line });
});

test('[CV2] every field of every type of node can be edited, but those that are drawn', () => {
  const drawn = ['id', 'type', 'icon'];
  for (const option of GraphNode.options) {
    const type = option.shape.type.value;
    const isContainer = 'body' in option.shape && type !== 'http';
    const expected = Object.keys(option.shape).filter(
      (name) => !drawn.includes(name) && !(isContainer && (name === 'body' || name === 'fallback')),
    );
    expect(
      fieldsOfType(type)
        .map(({ name }) => name)
        .toSorted(),
      type,
    ).toEqual(expected.toSorted());
  }
});

test('[CV2] a new node of any type has what its type needs: what is wrong with it is that it is empty', () => {
  for (const type of nodeTypes) {
    const node = { id: 'x', ...emptyNode(type) };
    const read = GraphNode.safeParse(node);
    const wrong = read.success ? [] : read.error.issues.map(({ path }) => path.join('.'));
    expect(
      wrong.filter((path) => (node as Readonly<Record<string, unknown>>)[path] !== ''),
      type,
    ).toEqual([]);
  }
});

test('[CV2] a value is the same after it was written in a field and read again', () => {
  const value = fc.oneof(
    fc.jsonValue().map((made) => JSON.parse(JSON.stringify(made)) as unknown),
    fc.string(),
    fc.constantFrom('3', 'true', '"x"', '{{input.x}}', 'null'),
  );
  fc.assert(
    fc.property(value, (one) => {
      expect(readValue(writtenOf(one))).toEqual(one);
    }),
  );
});

test('[CV2] another id takes edges, places and what is inside along', () => {
  const graph = edits.renamed('again', 'rounds')(begun);
  expect(problemsIn(jsonOfDraft(graph))).toEqual([]);
  expect(Object.keys(graph.layout ?? {})).toEqual(['start', 'rounds', 'rounds.body.look']);
  const gone = edits.removed('rounds')(graph);
  expect(gone).toMatchObject({ edges: [], layout: { start: [0, 0] } });
  expect(nodesWithin(gone).map(({ path }) => path)).toEqual(['start', 'end']);
});

test('[CV2] edges stay within one graph, and are there once', () => {
  const node = (id: string): DraftNode => ({ id, type: 'template', value: '' });
  const graph = { ...begun, nodes: [...begun.nodes, node('more')] };
  const connect = (from: string, to: string): number =>
    edits.connected({ from, port: 'done', to })(graph).edges.length;
  expect(connect('again.body.look', 'more')).toBe(2);
  expect(connect('more', 'more')).toBe(2);
  expect(connect('start', 'again')).toBe(2);
  expect(connect('start', 'more')).toBe(3);
});
