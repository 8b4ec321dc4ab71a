import type { Mutant } from '../mutant.ts';

export const processMutants: readonly Mutant[] = [
  {
    name: 'what a tool leaves behind is nobody’s',
    file: 'src/engine/scope/composite.ts',
    find: 'owners.run(owner, work);',
    replace: 'work();',
    test: 'src/engine/scope/stray.test.ts',
    only: 'fails its own call',
    hangs: true,
  },
  {
    name: 'what a tool says is without end',
    file: 'src/engine/call/tool-voice.ts',
    find: 'if (left <= 0 || this.#pieces >= most.pieces) return this.#cut();',
    replace: '',
    test: 'src/engine/call/tool-bounds.test.ts',
    only: 'is bounded in pieces',
  },
  {
    name: 'there is no end to workers under way at once',
    file: 'src/tools/killable/worker-places.ts',
    find: 'if (this.#taken.length < this.#most) return this.#give(owner);',
    replace: 'if (this.#most > 0) return this.#give(owner);',
    test: 'src/tools/killable/worker-places.test.ts',
    only: 'no more have a place',
  },
  {
    name: 'ends of workers are not counted',
    file: 'src/engine/recovery/load.ts',
    find: 'else if (this.#isTried) this.run += 1;',
    replace: '',
    test: 'src/engine/recovery/probation.test.ts',
    only: 'asks before it goes on',
  },
  {
    name: 'attempts that a crash cut off use up the budget',
    file: 'src/run/steps.ts',
    find: 'else if (!event.cutOff) charge(tree, step, 1);',
    replace: 'else charge(tree, step, 1);',
    test: 'src/engine/recovery/recovery.test.ts',
    only: 'does not use up the budget',
  },
  {
    name: 'a call whose server is away does not say so',
    file: 'src/engine/call/absent-tool.ts',
    find: "if (!known) return { code: 'unavailable', message: still.why, retryable: true };",
    replace: 'if (!known) return undefined;',
    test: 'src/engine/call/absent-tool.test.ts',
    only: 'fails, and names it',
  },
];
