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
  {
    name: 'a turn may close before its prompt is recorded',
    file: 'src/engine/turn.ts',
    find: 'await prompt;\n    return reader.finish',
    replace: 'return reader.finish',
    test: 'src/engine/prompts.test.ts',
  },
  {
    name: 'a prompt is taken to continue what it only begins like',
    file: 'src/engine/prompts.ts',
    find: 'return differs === -1 ? b.length : differs;',
    replace: 'return a.length;',
    test: 'src/engine/prompts.test.ts',
  },
];
