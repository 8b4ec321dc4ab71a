import type { Mutant } from '../mutant.ts';

const editing = 'web/src/canvas/model/editing.test.ts';
const states = 'web/src/canvas/model/node-states.test.ts';
const keeper = 'web/src/editing/draft-keeper.test.ts';

export const canvasMutants: readonly Mutant[] = [
  {
    name: 'what has a place is moved by the order of the others',
    file: 'web/src/canvas/model/layout.ts',
    find: 'for (const path of known) positions[path] = kept[path] ?? [0, 0];',
    replace: 'for (const path of known) positions[path] = [0, 0];',
    test: 'web/src/canvas/model/layout.test.ts',
    only: 'keeps it',
  },
  {
    name: 'what comes after a change that was taken back can still be done again',
    file: 'web/src/editing/editing.ts',
    find: 'this.#future = [];\n    this.#show(after);',
    replace: 'this.#show(after);',
    test: editing,
    only: 'is gone',
  },
  {
    name: 'a node that is taken out leaves its edges behind',
    file: 'web/src/canvas/model/edits.ts',
    find: 'edges: part.edges.filter(({ from, to }) => from !== id && to !== id),',
    replace: 'edges: part.edges,',
    test: editing,
    only: 'takes edges',
  },
  {
    name: 'a text that reads as JSON is written as it is, and read as something else',
    file: 'web/src/canvas/model/node-fields.ts',
    find: "if (typeof value === 'string' && readValue(value) === value) return value;",
    replace: "if (typeof value === 'string') return value;",
    test: editing,
    only: 'written in a field',
  },
  {
    name: 'what a question has done again stands inside the question',
    file: 'web/src/canvas/model/node-states.ts',
    find: "if (step.key.startsWith('again ')) return { node, part: partOf(node) };",
    replace: "if (step.key.startsWith('again ')) return { node };",
    test: states,
    only: 'the newest',
  },
  {
    name: 'every edge of a node that has ended was taken',
    file: 'web/src/canvas/model/node-states.ts',
    find: "if (taken !== undefined) return port === taken ? 'taken' : 'dead';",
    replace: "if (taken !== undefined) return 'taken';",
    test: states,
    only: 'taken, dead or ahead',
  },
  {
    name: 'somebody else’s draft is saved over',
    file: 'web/src/editing/draft-keeper.ts',
    find: 'await this.#shelf.save(draft, revision)',
    replace: 'await this.#shelf.save(draft, (await this.#shelf.read()).revision)',
    test: keeper,
    only: 'not overwritten',
  },
  {
    name: 'a node that does not come before is offered',
    file: 'web/src/workflows/fields/completions.ts',
    find: 'for (const id of settledBefore(part as unknown as Part, idOf(at))) {',
    replace: 'for (const { id } of part.nodes) {',
    test: 'web/src/workflows/fields/completions.test.ts',
    only: 'nothing else',
  },
  {
    name: 'what may be done again is done in a dry run',
    file: 'src/flows/workflow/dry.ts',
    find: "return means.effectOf?.(tool) === 'pure';",
    replace: "return means.effectOf?.(tool) !== 'once';",
    test: 'src/flows/workflow/dry.test.ts',
    only: 'no model is asked',
  },
  {
    name: 'a schedule in another time zone counts as the same',
    file: 'web/src/workflows/sides/schedule-list.ts',
    find: 'return JSON.stringify([cron, timezone, input]);',
    replace: 'return JSON.stringify([cron, input]);',
    test: 'web/src/workflows/sides/schedule-list.test.ts',
    only: 'are one list',
  },
  {
    name: 'what somebody wrote beside a step is lost when the step is changed',
    file: 'web/src/canvas/model/yaml-text.ts',
    find: 'return id === undefined ? canonical(value) : `id ${canonical(id)}`;',
    replace: 'return canonical(value);',
    test: editing,
    only: 'stays as it was written',
  },
];
