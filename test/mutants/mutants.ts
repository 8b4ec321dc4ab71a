// Each mutant switches one real line off. The named test must then fail; `npm test` fails if one survives.

export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The test that must catch it: a file, and part of a test's name. */
  readonly test: string;
  readonly only?: string;
}

const simulation = 'test/scenarios/simulation.test.ts';

export const mutants: readonly Mutant[] = [
  {
    name: 'the store takes what a stale writer appends',
    file: 'src/stores/journal-rules.ts',
    find: 'const row = heldBy(desk, fence);\n  expectHead(row, head);',
    replace: 'const row = runOf(desk, fence.run);',
    test: simulation,
  },
  {
    name: 'effects do not wait for the commit',
    file: 'src/engine/run-leaf.ts',
    find: 'await execution.barrier();',
    replace: '',
    test: simulation,
  },
  {
    name: 'a worker acts although its lease is over',
    file: 'src/engine/execution.ts',
    find: "if (this.isLive && this.world.clock.now() >= this.leaseUntil) this.drop('lost');",
    replace: '',
    test: simulation,
  },
  {
    name: 'a run is parked although a command is pending',
    file: 'src/stores/dispatch-rules.ts',
    find: 'desk.tables.hasPending(row.run)',
    replace: 'false',
    test: simulation,
  },
  {
    name: 'a call in doubt is simply run again',
    file: 'src/engine/doubt.ts',
    find: "if (leaf.effect !== 'once')",
    replace: 'if (true)',
    test: simulation,
  },
  {
    name: 'an append marks commands used whose entries it does not hold',
    file: 'src/engine/writer.ts',
    find: 'this.#uses.filter(({ seq }) => seq <= last);',
    replace: 'this.#uses;',
    test: simulation,
  },
];
