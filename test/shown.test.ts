// What is said to be shown by a test is shown by one that is there.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A cell names ids and, behind them in brackets, the files they are in; or files alone. */
const named = /((?:[A-Z]{1,2}\d+(?:, )?)*)\s*\(?((?:`(?:src|test|docs)\/[\w./-]+`(?:, )?)+)/g;

const rows = readFileSync('docs/spec/behaviour-shown.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!What was asked|-)/.test(line))
  .map((line) => {
    const [, asked = '', shown = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { asked, shown };
  });

test('every sentence says what shows it, or that nothing does', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(({ shown }) => !/`|^not: /.test(shown))).toEqual([]);
});

test('the files that are named are there, and have the tests that are named', () => {
  const missing = rows.flatMap(({ asked, shown }) =>
    [...shown.matchAll(named)].flatMap(([, ids = '', list = '']) => {
      const files = [...list.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      const gone = files.filter((file) => !existsSync(file));
      const titles = files
        .filter((file) => existsSync(file))
        .map(
          (file) =>
            readFileSync(file, 'utf8')
              .match(/\[[A-Z]{1,2}\d+[^\]]*\]/g)
              ?.join(' ') ?? '',
        );
      const unknown = (ids.match(/[A-Z]{1,2}\d+/g) ?? []).filter(
        (id) => !titles.some((text) => new RegExp(`\\b${id}\\b`).test(text)),
      );
      return [...gone, ...unknown].map((what) => `${asked}: ${what}`);
    }),
  );
  expect(missing).toEqual([]);
});
