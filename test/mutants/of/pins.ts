import type { Mutant } from '../mutant.ts';

export const pinMutants: readonly Mutant[] = [
  {
    name: 'a tool that one tenant accepted is accepted by all',
    file: 'src/tools/mcp/pins.ts',
    find: 'return tenant === audience.tenant && isEnough(',
    replace: "return tenant !== '' && isEnough(",
    test: 'src/tools/mcp/pins.test.ts',
    only: 'counts for the same tenant',
  },
  {
    name: 'a tool that a member accepted is accepted where others decide',
    file: 'src/run/deciders.ts',
    find: "return strictness[given ?? 'starter'] >= strictness[wanted ?? 'starter'];",
    replace: 'return given === wanted || given === undefined;',
    test: 'src/tools/mcp/pins.test.ts',
    only: 'counts for the same tenant',
  },
  {
    name: 'a tool that nobody accepted here runs as its rule says',
    file: 'src/engine/call/call.ts',
    find: '(caution !== undefined || mustAsk(execution, tool, request.input))',
    replace: 'mustAsk(execution, tool, request.input)',
    test: 'src/engine/call/changed-tool.test.ts',
    only: 'whatever its own rule says',
  },
  {
    name: 'a field that copying loses is shown, and does not run',
    file: 'src/engine/call/arguments.ts',
    find: 'if (hasPrototype(input)) {',
    replace: 'if (input === undefined) {',
    test: 'test/scenarios/prototype-arguments.test.ts',
  },
  {
    name: 'a private key under another name is read',
    file: 'src/tools/files/root.ts',
    find: 'isPrivateKey(await beginningOf(handle))',
    replace: "isPrivateKey('')",
    test: 'src/tools/files/hidden.test.ts',
    only: 'whatever it is called',
  },
];
