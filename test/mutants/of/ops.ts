import type { Mutant } from '../mutant.ts';

export const opsMutants: readonly Mutant[] = [
  {
    name: 'whatever keeps the lock from being taken is somebody who has it',
    file: 'src/stores/folder-lock.ts',
    find: 'if (!isBusy(cause)) throw cause;',
    replace: '',
    test: 'src/stores/sqlite-folder.test.ts',
    only: 'fails for another reason',
  },
  {
    name: 'all runs of a folder count for whoever looks first',
    file: 'src/stores/tables.ts',
    find: 'Map.groupBy(wanted, ({ tenant }) => tenant)',
    replace: "Map.groupBy(wanted, () => 't')",
    test: 'src/stores/memory.test.ts',
    only: 'counted for each tenant',
  },
  {
    name: 'what a stop cut off is erased with its run',
    file: 'src/server/erase.ts',
    find: 'if (doubts.length > 0) throw inDoubt(doubts);',
    replace: '',
    test: 'test/scenarios/operator.test.ts',
    only: 'a payment under way',
  },
  {
    name: 'a holder that stands still is asked at once',
    file: 'src/server/enter.ts',
    find: "await client.ask({ type: 'where' });",
    replace: '',
    test: 'src/server/home.test.ts',
    only: 'stands still',
  },
];
