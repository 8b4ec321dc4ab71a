import type { Mutant } from '../mutant.ts';

const storm = 'test/scenarios/store-storm.test.ts';
const locked = 'src/stores/database/locked.ts';

const lockFirst = `const locked = transaction.lock(asked);
    if (asked === locks) {
      got = await lockDue(transaction, needs, locked);
      held = inOrder([...held, ...got]);
    }
    const wanted = wantedWith(needs, held);
    const loading = transaction.load(wanted);`;

const loadFirst = `const wanted = wantedWith(needs, held);
    const loading = transaction.load(wanted);
    const locked = transaction.lock(asked);
    if (asked === locks) {
      got = await lockDue(transaction, needs, locked);
      held = inOrder([...held, ...got]);
    }`;

export const databaseMutants: readonly Mutant[] = [
  {
    name: 'an append is taken at any head',
    file: 'src/stores/rules/tables.ts',
    find: 'if (head === expected) return;',
    replace: 'if (head >= 0) return;',
    test: storm,
  },
  {
    name: 'an append is taken from any epoch',
    file: 'src/stores/rules/tables.ts',
    find: 'if (row.epoch !== epoch) {',
    replace: 'if (row.epoch < 0) {',
    test: storm,
  },
  {
    name: 'runs are not locked',
    file: locked,
    find: 'const locked = transaction.lock(asked);',
    replace: 'const locked = Promise.resolve(asked);',
    test: storm,
  },
  {
    name: 'lines are not locked',
    file: locked,
    find: 'const locked = transaction.lock(asked);',
    replace: "const locked = transaction.lock(asked.filter(({ kind }) => kind !== 'line'));",
    test: storm,
  },
  {
    name: 'what hangs on a run is read before it is locked',
    file: locked,
    find: lockFirst,
    replace: loadFirst,
    test: storm,
  },
  {
    name: 'a run that came between locking and loading is taken for locked',
    file: locked,
    find: 'if (isUnlocked(rows, held, got)) return { missing: [] };',
    replace: '',
    test: 'src/stores/database.test.ts',
    only: 'Q62',
  },
  {
    name: 'locks are taken as they come',
    file: 'src/stores/database/locks.ts',
    find: 'return [...each.values()].sort(compareLocks);',
    replace: 'return [...each.values()];',
    test: storm,
  },
  {
    name: 'the version of a run does not move',
    file: 'src/stores/database/working-set.ts',
    find: 'former.version + 1',
    replace: 'former.version',
    test: storm,
  },
  {
    name: 'an append whose answer was lost is not looked for',
    file: 'src/stores/database/decide.ts',
    find: "if (isDoubtful && name === 'append' && isRecorded(rows, argument)) return { result: undefined };",
    replace: '',
    test: storm,
  },
  {
    name: 'one locked run keeps the whole batch',
    file: 'src/stores/database/commit.ts',
    find: 'if (parts.length > 1) {',
    replace: 'if (parts.length > 1e9) {',
    test: 'src/stores/database.test.ts',
    only: 'Q66',
  },
  {
    name: 'a rule may touch rows that it did not declare',
    file: 'src/stores/rules/declared.ts',
    find: 'if (!isDeclared(...given))',
    replace: 'if (!isDeclared(...given) && !name)',
    test: 'src/stores/rules/declared.test.ts',
  },
];
