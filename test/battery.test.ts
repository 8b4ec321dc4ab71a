import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { battery } from './battery.ts';

const tests = globSync([
  'src/**/*.{test,contract}.ts',
  'test/**/*.{test,contract}.ts',
  'demo/**/*.test.ts',
]).filter((file) => !file.endsWith('battery.test.ts'));
const imported = new Set(
  tests.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
      join(dirname(file), path),
    ),
  ),
);
// What several files run as shares counts as long as one of them does.
const shares = globSync('test/{kill,storm}/*.ts').filter((file) => imported.has(file));
const files = [...tests, ...shares];
const idsIn = new Map(files.map((file) => [file, new Set(idsOf(readFileSync(file, 'utf8')))]));
const titled = new Set([...idsIn.values()].flatMap((ids) => [...ids]));

/** The table: row, what is shown, and the files that show it. */
const told = readFileSync('docs/batteries.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| [RS]\d\d /.test(line))
  .map((line) => {
    const [, row = '', shown = '', where = ''] = line.split('|').map((cell) => cell.trim());
    return { row, shown, files: [...where.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) };
  });

test('the tests were found', () => {
  expect(files.length).toBeGreaterThan(150);
  expect(titled.size).toBeGreaterThan(300);
});

test('every row of the batteries has a test that carries its id', () => {
  expect(battery.filter((row) => !titled.has(row))).toEqual([]);
});

test('every row has its line in the table, which says what is shown and names the tests that carry its id', () => {
  expect(told.map(({ row }) => row)).toEqual(battery.toSorted());
  expect(told.filter(({ shown }) => shown.length < 20)).toEqual([]);
  const carrying = (row: string): string[] => files.filter((file) => idsIn.get(file)?.has(row)).toSorted();
  expect(told.map(({ row, files: named }) => [row, named.toSorted()])).toEqual(
    told.map(({ row }) => [row, carrying(row)]),
  );
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
