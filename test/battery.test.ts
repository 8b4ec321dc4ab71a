import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { battery } from './battery.ts';

const files = globSync([
  'src/**/*.{test,contract}.ts',
  'test/**/*.{test,contract}.ts',
  'demo/**/*.test.ts',
  // What several files run as shares.
  'test/{kill,storm}/*.ts',
]).filter((file) => !file.endsWith('battery.test.ts'));
const titled = new Set(files.flatMap((file) => idsOf(readFileSync(file, 'utf8'))));

test('the tests were found', () => {
  expect(files.length).toBeGreaterThan(150);
  expect(titled.size).toBeGreaterThan(300);
});

test('every row of the batteries has a test that carries its id', () => {
  expect(battery.filter((row) => !titled.has(row))).toEqual([]);
});

/** The ids in the brackets that titles begin with. */
function idsOf(source: string): string[] {
  return [...source.matchAll(/\[((?:[A-Z]{1,2}\d+[, ]*)+)\]/g)].flatMap(([, ids = '']) => ids.split(/[, ]+/));
}

test('a rule has an id of its own, and is in one place', () => {
  const rules = globSync('docs/spec/*.md').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^- \*\*([A-Z]{1,2}\d+)\*\*/gm)].map(([, id = '']) => id),
  );
  expect(rules.length).toBeGreaterThan(400);
  expect(rules.filter((id, i) => rules.indexOf(id) !== i)).toEqual([]);
});
