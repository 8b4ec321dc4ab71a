import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the lines that point a client at Vitrine compile', () => {
  const docs = join(root, 'docs/protocols');
  // Within the project, so that its packages are found.
  const folder = mkdtempSync(join(root, 'node_modules/.docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const blocks = readdirSync(docs).flatMap((name) =>
    [...readFileSync(join(docs, name), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
      ([, code = ''], i) => ({
        file: join(folder, `${name.replace('.md', '')}-${i}.ts`),
        code,
      }),
    ),
  );
  expect(blocks.map(({ file }) => file).join()).toContain('openai-chat');
  for (const { file, code } of blocks) writeFileSync(file, code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      include: ['./*.ts'],
      compilerOptions: { noEmit: true },
    }),
  );
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('[PR33] each page says what becomes of what, what the protocol cannot say, and how to point a client here', () => {
  const docs = join(root, 'docs/protocols');
  const pages = readdirSync(docs).map((name) => ({ name, text: readFileSync(join(docs, name), 'utf8') }));
  expect(pages.length).toBeGreaterThan(12);
  for (const { name, text } of pages) {
    expect(text, name).toMatch(/^\| /m);
    expect(text, name).toMatch(/what it cannot say/i);
    expect(text, name).toMatch(/^```ts$/m);
  }
});
