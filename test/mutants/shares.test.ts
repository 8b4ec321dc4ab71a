import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shards } from './caught.ts';
import { mutants } from './mutants.ts';

test('every mutant is in the share of a file, under a name of its own', () => {
  expect(globSync('test/mutants/share-*.test.ts')).toHaveLength(shards);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
