import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Row {
  readonly finding: string;
  readonly files: readonly string[];
  /** The ids of tests, as their titles have them. */
  readonly ids: readonly string[];
  readonly failed: string;
}

const rows: readonly Row[] = readFileSync('docs/found.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!finding|-)/.test(line))
  .map((line) => {
    const [, finding = '', , tests = '', failed = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return {
      finding,
      files: tests.match(/(?:(?:web\/)?src|test|demo)\/[\w./-]+\.(?:test|contract)\.ts/g) ?? [],
      ids: [...tests.matchAll(/\[([A-Z]+\d+)\]/g)].map(([, id = '']) => id),
      failed,
    };
  });

const settled = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 11].map((n) => `security ${n}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `G${n}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14].map((n) => `reliability ${n}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17].map((n) => `agents ${n}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18].map((n) => `console ${n}`),
  ...[6, 9, 10, 11, 13, 14, 16, 17, 20, 21, 22, 25, 26, 27].map((n) => `newcomers ${n}`),
];

test('every finding that is settled has a row, with a test and the line it failed with', () => {
  const isNamed = (name: string): boolean =>
    rows.some(
      ({ finding }) => finding === name || finding.startsWith(`${name} `) || finding.startsWith(`${name}:`),
    );
  expect(settled.filter((name) => !isNamed(name))).toEqual([]);
  expect(rows.filter(({ files, failed }) => files.length === 0 || failed === '')).toEqual([]);
});

test('the tests that are named are there', () => {
  const missing = rows.flatMap(({ finding, files, ids }) => {
    const gone = files.filter((file) => !existsSync(file));
    const sources = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
    const unknown = ids.filter((id) => !sources.some((source) => new RegExp(`\\b${id}\\b`).test(source)));
    return [...gone, ...unknown].map((what) => `${finding}: ${what}`);
  });
  expect(missing).toEqual([]);
});
