import type { Mutant } from '../mutant.ts';

export const toolMutants: readonly Mutant[] = [
  {
    name: 'what others wrote leaves without a question',
    file: 'src/policies/standard.ts',
    find: "if (!sends) return { verdict: 'allow' };",
    replace: "if (sends !== undefined) return { verdict: 'allow' };",
    test: 'src/policies/taint.test.ts',
  },
  {
    name: 'a tool that says it only reads is believed',
    file: 'src/tools/mcp/standing.ts',
    find: "(trusted ? effectOf(annotations) : 'once')",
    replace: 'effectOf(annotations)',
    test: 'src/tools/mcp/standing.test.ts',
  },
  {
    name: 'of two hints the milder one counts',
    file: 'src/tools/mcp/standing.ts',
    find: "return destructiveHint === true ? 'once' : 'pure';",
    replace: "return 'pure';",
    test: 'src/tools/mcp/standing.test.ts',
  },
  {
    name: 'the first sight of a tool is its approval',
    file: 'src/tools/mcp/pins.ts',
    find: "if (last === undefined) return 'nobody has approved it yet';",
    replace: 'if (last === undefined) return undefined;',
    test: 'src/tools/mcp/pins.test.ts',
  },
  {
    name: 'a link leads to a hidden file',
    file: 'src/tools/files/root.ts',
    find: 'if (hides(where)) throw hiddenHere(path);',
    replace: '',
    test: 'src/tools/files/hidden.test.ts',
  },
  {
    name: 'hidden files are listed and searched',
    file: 'src/tools/files/walk.ts',
    find: '.filter((name) => !hides(name))',
    replace: '',
    test: 'src/tools/files/hidden.test.ts',
  },
  {
    name: 'a stage passes for the turn of another agent',
    file: 'src/engine/turn/mirror.ts',
    find: 'kind: stageKind(kind),',
    replace: 'kind,',
    test: 'src/engine/turn/stages.test.ts',
    only: 'S41',
  },
  {
    name: 'a result can begin a box of its own',
    file: 'src/flows/converse/words.ts',
    find: 'ruler, oneLine(resultBody(call)), ruler',
    replace: 'ruler, resultBody(call), ruler',
    test: 'src/flows/converse/words.test.ts',
  },
  {
    name: 'what was approved of a tool holds for whatever it has become',
    file: 'src/engine/call/call.ts',
    find: '...(tool.pin === undefined ? {} : pinnedTo(execution, tool.name)),',
    replace: '',
    test: 'src/engine/call/changed-tool.test.ts',
  },
];
