import type { Mutant } from '../mutant.ts';

export const waitMutants: readonly Mutant[] = [
  {
    name: 'nobody is woken for a wait',
    file: 'src/engine/recovery/parking.ts',
    find: 'const waits = tree.paused ? []',
    replace: 'const waits = true ? []',
    test: 'src/engine/scope/wait.test.ts',
  },
  {
    name: 'to wait for a time counts as work',
    file: 'src/run/pace.ts',
    find: "until === undefined ? undefined : 'waiting'",
    replace: 'undefined',
    test: 'src/engine/scope/wait.test.ts',
  },
  {
    name: 'all branches of a fan begin at once, whatever its bound',
    file: 'src/engine/scope/fan-out.ts',
    find: 'Array.from({ length: opened.length }, lane)',
    replace: 'Array.from({ length: places.length }, lane)',
    test: 'src/engine/scope/fan-out.test.ts',
  },
  {
    name: 'the time of a step goes on while a person is asked below it',
    file: 'src/run/pace.ts',
    find: 'return clock.worked + (isResting(clock) ? 0 :',
    replace: 'return clock.worked + (false ? 0 :',
    test: 'src/run/fold.test.ts',
    only: '[E310]',
  },
  {
    name: 'a call that a flow means again is answered with the first outcome',
    file: 'src/engine/call/call.ts',
    find: 'repeatable: (request.again ?? false) || (tool.repeatable ?? false),',
    replace: 'repeatable: tool.repeatable ?? false,',
    test: 'src/engine/call/again.test.ts',
  },
  {
    name: 'nobody is woken for a question that was put off',
    file: 'src/engine/recovery/parking.ts',
    find: 'deferred?.until ?? [],',
    replace: '[],',
    test: 'src/engine/question/put-off.test.ts',
  },
  {
    name: 'whatever a person makes of a question is taken',
    file: 'src/engine/question/misfit-of-decision.ts',
    find: 'if (step?.call === undefined && approval.editSchema !== undefined) {',
    replace: 'if (false) {',
    test: 'src/engine/question/put-off.test.ts',
  },
  {
    name: 'an expression may go through a list inside another',
    file: 'src/graph/expression.ts',
    find: 'if (nested)',
    replace: 'if (false)',
    test: 'src/graph/expression.test.ts',
  },
  {
    name: 'a node is done again although others have used what it gave',
    file: 'src/graph/redo.ts',
    find: 'if (elsewhere === undefined) return [];',
    replace: 'return [];',
    test: 'src/graph/validate.test.ts',
  },
];
