import type { Mutant } from '../mutant.ts';

const test = 'src/engine/scope/graph.test.ts';

export const graphMutants: readonly Mutant[] = [
  {
    name: 'the steps of a graph are held to the order they were recorded in',
    file: 'src/engine/scope/graph.ts',
    find: 'kind, key, parent, among, over };',
    replace: 'kind, key, parent, over };',
    test,
  },
  {
    name: 'a step of a graph waits for all that stand before it',
    file: 'src/engine/scope/graph.ts',
    find: ': allOf(after, settled));',
    replace: ': allOf([...settled.keys()], settled));',
    test,
  },
  {
    name: 'what was skipped and is entered now goes on',
    file: 'src/engine/recovery/recorded.ts',
    find: 'if (isSkipped(known))',
    replace: 'if (false)',
    test,
  },
  {
    name: 'a turn may close before its prompt is recorded',
    file: 'src/engine/turn/turn.ts',
    find: 'await prompt;\n    return await reader.finish',
    replace: 'return await reader.finish',
    test: 'src/engine/turn/prompts.test.ts',
  },
  {
    name: 'a prompt is taken to continue what it only begins like',
    file: 'src/engine/turn/turn-meter.ts',
    find: 'return differs === -1 ? b.length : differs;',
    replace: 'return a.length;',
    test: 'src/engine/turn/prompts.test.ts',
  },
];
