import type { Mutant } from '../mutant.ts';

export const toldMutants: readonly Mutant[] = [
  {
    name: 'how an answer ended is not said at its step',
    file: 'src/engine/turn/turn-ending.ts',
    find: 'if (code !== undefined && message !== undefined)',
    replace: 'if (false)',
    test: 'test/scenarios/cut-answers.test.ts',
    only: 'G31',
  },
  {
    name: 'what a filter left nothing of is an answer',
    file: 'src/engine/turn/turn-ending.ts',
    find: "if (finish === 'filter' &&",
    replace: 'if (false &&',
    test: 'test/scenarios/cut-answers.test.ts',
    only: 'G30',
  },
  {
    name: 'an answer that was cut off looks whole',
    file: 'src/flows/turn-ending.ts',
    find: 'if (ended === undefined) return answer;',
    replace: 'return answer;',
    test: 'test/scenarios/cut-answers.test.ts',
    only: 'could not finish says so',
  },
  {
    name: 'the writer is not told that an agent was cut off',
    file: 'src/flows/coordinate-delegate.ts',
    find: 'if (ended !== undefined) notes.push',
    replace: 'if (false) notes.push',
    test: 'test/scenarios/cut-answers.test.ts',
    only: 'the writer is told',
  },
  {
    name: 'a model that refuses is asked again in vain',
    file: 'src/flows/converse.ts',
    find: "if (code === 'refused') return { code, sentence: `${message}.` };",
    replace: '',
    test: 'src/flows/converse.test.ts',
    only: 'C89',
  },
  {
    name: 'an answer that ended with an error is whole',
    file: 'src/gateways/ai-sdk/reader.ts',
    find: "if (unified === 'error')",
    replace: 'if (false)',
    test: 'src/gateways/ai-sdk/ai-sdk.test.ts',
    only: 'A24',
  },
];
