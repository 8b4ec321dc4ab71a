import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const { exports: published } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
};
const entries = Object.entries(published).map(([name, { default: built }]) => ({
  name,
  source: built.replace('./dist/', '').replace(/\.js$/, '.ts'),
}));

test('there are four ways into the package', () => {
  expect(entries.map(({ name }) => name)).toEqual(['.', './client', './react', './testing']);
});

test.for(entries)('every export of $name has a sentence', ({ source }) => {
  expect(existsSync(join(root, source))).toBe(true);
  const lines = readFileSync(join(root, source), 'utf8').split('\n');
  const exported = lines.flatMap((line, i) => (line.startsWith('export ') ? [i] : []));
  expect(exported.length).toBeGreaterThan(3);
  for (const i of exported)
    expect(lines[i - 1], `${source}:${i + 1} ${lines[i]}`).toMatch(/^( \*\/|\/\*\* .* \*\/)$/);
});
