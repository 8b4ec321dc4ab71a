import type { Mutant } from '../mutant.ts';

const agUi = 'src/projections/ag-ui/ag-ui.test.ts';
const aiSdk = 'src/projections/ai-sdk/ai-sdk.test.ts';

export const clientProtocolMutants: readonly Mutant[] = [
  {
    name: 'what is open stays open where people are asked in AG-UI',
    file: 'src/projections/ag-ui/ag-ui.ts',
    find: '  frames.push(...suspended(open, questions), interrupted(memory, open, questions));',
    replace: '  frames.push(interrupted(memory, open, questions));',
    test: agUi,
    only: 'AG7',
  },
  {
    name: 'patches of the tree of AG-UI are not rationed',
    file: 'src/projections/ag-ui/activity.ts',
    find: 'activity.ration < 1 && !isLast',
    replace: 'activity.ration < 0',
    test: agUi,
    only: 'AG8',
  },
  {
    name: 'a turn of the AI SDK is never taken back',
    file: 'src/projections/ai-sdk/ai-sdk.ts',
    find: '  if (isApart) memory.turn = step.id;',
    replace: '',
    test: aiSdk,
    only: 'AI7',
  },
  {
    name: 'a decision is taken at the door of another app',
    file: 'src/server/doors/decide.ts',
    find: 'app !== undefined && app !== row.app',
    replace: 'false',
    test: 'src/server/doors/strangers.test.ts',
    only: 'PR17',
  },
  {
    name: 'what is said beside a decision is dropped',
    file: 'src/server/doors/decide.ts',
    find: 'if (!isRepeated)',
    replace: 'if (false)',
    test: 'src/server/doors/strangers.test.ts',
    only: 'PR17',
  },
  {
    name: 'any entry is the beginning of an answer',
    file: 'src/server/doors/answer.ts',
    find: 'begin < row.head && (await restsAt(visitor, row)).has(begin)',
    replace: 'begin < row.head',
    test: 'src/server/doors/strangers.test.ts',
    only: 'PR18',
  },
  {
    name: 'a whole answer is given to a key that was revoked meanwhile',
    file: 'src/server/doors/answer.ts',
    find: 'if (!context.door.mayStay(caller))',
    replace: 'if (false)',
    test: 'src/server/doors/strangers.test.ts',
    only: 'PR24',
  },
  {
    name: 'what goes along with words is not shown with them',
    file: 'src/run/asking.ts',
    find: '...filledIn(given).map(quote), ...askedAlong(question, quote)]',
    replace: '...filledIn(given).map(quote)]',
    test: 'src/projections/asked-whole.test.ts',
    only: 'PR60',
  },
  {
    name: 'a question of a step that has ended is asked again',
    file: 'src/projections/questions.ts',
    find: 'if (step === event.step) questions.delete(approval);',
    replace: 'if (step === -1) questions.delete(approval);',
    test: 'src/projections/asked-whole.test.ts',
    only: 'PR61',
  },
  {
    name: 'rows of the flat dialect are sent also where none has changed',
    file: 'src/projections/a2ui/flat-scene.ts',
    find: " && !isSame(known, row)) frames.push('rows');",
    replace: ") frames.push('rows');",
    test: 'src/projections/a2ui/flat.test.ts',
    only: 'PR62',
  },
];
