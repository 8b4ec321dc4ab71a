import type { Mutant } from '../mutant.ts';

const graph = 'web/src/data/graph-layout.test.ts';
const takeovers = 'web/src/steps/takeovers.test.ts';

export const webMutants: readonly Mutant[] = [
  {
    name: 'an edge goes through the names of the columns that it passes',
    file: 'web/src/data/graph-layout.ts',
    find: 'columns[at]?.push(slot);',
    replace: 'if (at < 0) columns[at]?.push(slot);',
    test: graph,
    only: 'no edge crosses a name',
  },
  {
    name: 'a route is placed by the way its links were written down',
    file: 'web/src/data/graph-layers.ts',
    find: 'if (chain) return',
    replace: 'if (chain && nodes.length < 0) return',
    test: graph,
    only: 'a route reads in the order of its hops',
  },
  {
    name: 'a cell that begins like a formula is one',
    file: 'web/src/data/save.ts',
    find: "? `'${cell}` : cell",
    replace: '? cell : cell',
    test: 'web/src/data/save.test.ts',
    only: 'W6',
  },
  {
    name: 'a diff does not mark what was added',
    file: 'web/src/approvals/word-diff.ts',
    find: 'const isOwn = !common.has(i);',
    replace: 'const isOwn = false;',
    test: 'web/src/approvals/word-diff.test.ts',
    only: 'W7',
  },
  {
    name: 'nothing says what was asked again after a takeover',
    file: 'web/src/steps/takeovers.ts',
    find: 'last.again += 1;',
    replace: 'last.again += 0;',
    test: takeovers,
    only: 'W12',
  },
  {
    name: 'steps that worked at once stand apart',
    file: 'web/src/steps/groups.ts',
    find: 'if (beside && open.length > 0)',
    replace: 'if (beside && open.length > 99)',
    test: takeovers,
    only: 'W3',
  },
  {
    name: 'a step is not part of the address of the app',
    file: 'web/src/places.ts',
    find: "third === 'steps'",
    replace: "third === 'step'",
    test: 'test/web-screens.test.ts',
    only: 'W1',
  },
  {
    name: 'a question that is put off is drawn as answered',
    file: 'web/src/trace/timing.ts',
    find: 'if (wait && !isPutOff)',
    replace: 'if (wait)',
    test: 'web/src/trace/timing.test.ts',
    only: 'W60',
  },
  {
    name: 'what runs on after the path has begun is on the critical path',
    file: 'web/src/trace/critical-path.ts',
    find: 'if (child.to > at || path.has(child.id))',
    replace: 'if (path.has(child.id))',
    test: 'web/src/trace/timing.test.ts',
    only: 'W64',
  },
];
