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
];
