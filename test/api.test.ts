import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiReport } from '../scripts/api-report.ts';

const root = join(import.meta.dirname, '..');

test('[IP10] docs/api.md says what programs can see: «npm run api» makes it anew', () => {
  expect(readFileSync(join(root, 'docs/api.md'), 'utf8')).toBe(apiReport(root));
});

test.for([
  'OpenFolder',
  'Home',
  'ServerContext',
  'World',
  'Workplace',
  'Worker',
  'Front',
  'Execution',
  'Store',
])('[IP10] nothing public refers to %s, which is ours', (name) => {
  expect(apiReport(root)).not.toMatch(new RegExp(`^(### ${name}$|- \`${name}\`)`, 'm'));
});

test('[IP10] a change is seen in what is exported, and in what that refers to; not in what only runs', () => {
  const at = (parts: Partial<typeof plain>): string => reportOf({ ...plain, ...parts });
  const before = at({});
  expect(before).toContain('function make(options: Options): Made;');
  expect(before).not.toContain('Hidden');
  expect(at({ body: 'return { made: 2 };' })).toBe(before);
  for (const changed of [{ field: 'size?: number' }, { result: 'readonly made: string' }, { name: 'made' }])
    expect(at(changed)).not.toBe(before);
});

const plain = {
  name: 'make',
  field: 'size: number',
  result: 'readonly made: number',
  body: 'return { made: 1 };',
};

function reportOf({ name, field, result, body }: typeof plain): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, 'src', path), text);
  write('index.ts', `export { ${name === 'make' ? name : `make as ${name}`} } from './make.ts';`);
  const exports = {
    '.': { types: './dist/src/index.d.ts' },
    './testing': { types: './dist/src/testing.d.ts' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'made', exports }));
  write('testing.ts', `export type { Options as Given } from './options.ts';`);
  write(
    'make.ts',
    `import type { Options } from './options.ts';\nimport type { Hidden } from './options.ts';\ninterface Made { ${result} }\nexport function make(options: Options): Made { const hidden: Hidden = options; ${body} }`,
  );
  write('options.ts', `export interface Options { ${field} }\nexport type Hidden = Options;`);
  return apiReport(folder);
}
