import type { Mutant } from '../mutant.ts';

const time = 'src/engine/time/time.test.ts';

/** Leases, budgets, attempts and leaving. */
export const timeMutants: readonly Mutant[] = [
  {
    name: 'a lease is measured by a clock that can be set',
    file: 'src/engine/time/deadlines.ts',
    find: 'return this.#worked < leaseLength && Math.abs(passed - this.#worked) < drift;',
    replace: 'return passed < leaseLength;',
    test: time,
    only: 'does not act on it',
  },
  {
    name: 'a worker takes its own runs from itself after a sleep',
    file: 'src/worker/worker.ts',
    find: 'if (!isSure) await this.#renew();',
    replace: '',
    test: time,
    only: 'keeps its runs',
  },
  {
    name: 'a clock that is set uses up the budget',
    file: 'src/run/entries.ts',
    find: 'at - tree.at - jump',
    replace: 'at - tree.at',
    test: time,
    only: 'uses up no budget',
  },
  {
    name: 'a worker goes by its own clock',
    file: 'src/engine/time/deadlines.ts',
    find: 'if (!this.#said) return this.#clock.now();',
    replace: 'return this.#clock.now();',
    test: time,
    only: 'not again and again',
  },
  {
    name: 'a worker that leaves waits for nothing',
    file: 'src/worker/worker.ts',
    find: 'if (grace === 0) return;',
    replace: 'return;',
    test: 'src/engine/recovery/leaving.test.ts',
    only: 'begins nothing more, and hands',
  },
  {
    name: 'a worker that leaves begins more',
    file: 'src/engine/execution.ts',
    find: 'this.#isAside || this.#isLeaving || this.tree.paused',
    replace: 'this.#isAside || this.tree.paused',
    test: 'src/engine/recovery/leaving.test.ts',
    only: 'begins nothing more, and hands',
  },
  {
    name: 'a paused run keeps every place its turn came to',
    file: 'src/stores/rules/journal.ts',
    find: 'if (!begun.includes(place.name)) leave(desk, place);',
    replace: 'if (!place.told) leave(desk, place);',
    test: 'src/engine/conversation/line.test.ts',
    only: 'keeps nobody once it is paused',
  },
  {
    name: 'a turn that was cut is not tried again',
    file: 'src/engine/leaf/run-leaf.ts',
    find: "if (leaf.effect === 'once' || failure?.retryable",
    replace: "if (leaf.opening.kind === 'turn' || leaf.effect === 'once' || failure?.retryable",
    test: 'src/engine/recovery/retry.test.ts',
    only: 'is tried again where it is pure',
  },
];
