import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitingForPerson } from '../../run/notices.ts';
import { elsewhere, inScopes } from './notice-codes.ts';

const sources = globSync('src/{engine,server/doors,server/workflows}/**/*.ts').filter(
  (file) => !/(?:test|notice-codes)\.ts$/.test(file),
);
const posted = new Set([
  waitingForPerson,
  ...sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code = '']) => code),
  ),
]);

test('[E38] every notice of the engine is known as such, so that no recovery takes it for the flow’s', () => {
  expect([...posted].toSorted()).toEqual([...inScopes, ...elsewhere].toSorted());
});

test('[E38] no flow posts what counts as the engine’s', () => {
  const flows = globSync('src/{flows,policies}/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const said = flows.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code = '']) => code),
  );
  expect(said.length).toBeGreaterThan(3);
  expect(said.filter((code) => inScopes.has(code))).toEqual([]);
});
