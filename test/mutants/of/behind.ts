import type { Mutant } from '../mutant.ts';

const contract = 'src/stores/memory.test.ts';

export const behindMutants: readonly Mutant[] = [
  {
    name: 'a shared value is changed by whoever comes last',
    file: 'src/stores/rules/shared.ts',
    find: 'if ((tables.sharedValue(key)?.version ?? 0) !== version) {',
    replace: 'if (version < 0) {',
    test: contract,
    only: 'Q120',
  },
  {
    name: 'nobody hears that a shared value changed',
    file: 'src/stores/rules/shared.ts',
    find: "  hints.push({ type: 'shared', key });\n",
    replace: '',
    test: contract,
    only: 'Q122',
  },
  {
    name: 'nobody hears that a run was erased',
    file: 'src/stores/rules/dispatch.ts',
    find: "  if (isThere) desk.hints.push({ type: 'erased', run });\n",
    replace: '',
    test: contract,
    only: 'Q124',
  },
  {
    name: 'a shared value is believed whatever the disk made of it',
    file: 'src/stores/sqlite/shared.ts',
    find: 'stored.sum !== sharedSum(stored)',
    replace: "stored.sum === ''",
    test: 'src/stores/folder/folder.test.ts',
    only: 'Q123',
  },
  {
    name: 'shared values are changed without a lock',
    file: 'src/stores/database/locks.ts',
    find: '    ...shared.map(',
    replace: '    ...[].map(',
    test: 'src/stores/database.test.ts',
    only: 'Q120',
  },
];
