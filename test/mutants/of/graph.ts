import type { Mutant } from '../mutant.ts';

const test = 'src/engine/graph.test.ts';

export const graphMutants: readonly Mutant[] = [
  {
    name: 'the steps of a graph are held to the order they were recorded in',
    file: 'src/engine/graph.ts',
    find: 'kind, key, parent, among };',
    replace: 'kind, key, parent };',
    test,
  },
  {
    name: 'a step of a graph waits for all that stand before it',
    file: 'src/engine/graph.ts',
    find: 'const before = await allOf(after, settled);',
    replace: 'const before = await allOf([...settled.keys()], settled);',
    test,
  },
  {
    name: 'what was skipped and is entered now goes on',
    file: 'src/engine/meet.ts',
    find: 'if (isSkipped(known))',
    replace: 'if (false)',
    test,
  },
];
