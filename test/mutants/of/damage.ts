import type { Mutant } from '../mutant.ts';

const checksums = 'src/stores/sqlite-checksum.test.ts';

export const damageMutants: readonly Mutant[] = [
  {
    name: 'the checksum of a chunk is not compared',
    file: 'src/stores/sqlite-entries.ts',
    find: ' || kept !== chunkSum(end.sum, { ...chunk, at })',
    replace: '',
    test: checksums,
    only: 'a changed letter',
  },
  {
    name: 'the checksums of a run are not chained',
    file: 'src/stores/checksum.ts',
    find: '`${previous} ${run} ',
    replace: '`${previous.length} ${run} ',
    test: checksums,
    only: 'another history',
  },
  {
    name: 'the end of a journal is not compared',
    file: 'src/stores/sqlite-entries.ts',
    find: 'if (!isWhole && chunks.length === 0)',
    replace: 'if (false)',
    test: checksums,
    only: 'a missing last chunk',
  },
  {
    name: 'a row that was changed is believed',
    file: 'src/stores/sqlite-runs.ts',
    find: 'sum === runSum(row, changedAt) && ',
    replace: '',
    test: checksums,
    only: 'a run of another tenant',
  },
  {
    name: 'a damaged run is given to a worker again',
    file: 'src/stores/tables.ts',
    find: 'if (damaged !== null) return null;',
    replace: '',
    test: 'src/stores/damage-rules.test.ts',
  },
  {
    name: 'commits are acknowledged in a folder that is gone',
    file: 'src/stores/sqlite-commit.ts',
    find: "if (lost !== undefined) throw new RunError('unavailable', lost, { retryable: true });",
    replace: '',
    test: 'src/stores/sqlite-commit.test.ts',
    only: 'a folder that was moved away',
  },
  {
    name: 'readiness does not look at the folder',
    file: 'src/stores/sqlite-health.ts',
    find: 'if (lost !== undefined) return lost;',
    replace: '',
    test: 'src/stores/sqlite-commit.test.ts',
    only: 'a folder that was moved away',
  },
];
