import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import { type FileLimits, fileTools } from './files.ts';
import { failureFrom, recordingContext, toolContract, type ToolCase } from '../tool.contract.ts';
import type { Tool } from '../tool.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'vitrine-files-'));
  root = join(base, 'root');
  for (const folder of ['docs/deep', 'node_modules/x', '.git', 'empty']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(base, 'secret.txt'), 'The secret word.');
  await writeFile(join(root, 'a.txt'), 'one\ntwo\nthree\n');
  await writeFile(join(root, 'docs/guide.md'), '# Guide\r\n\r\nThe Needle is here (a+b).\r\n');
  await writeFile(join(root, 'docs/deep/b.md'), 'no newline at the end: needle');
  await writeFile(join(root, 'node_modules/x/index.js'), 'needle');
  await writeFile(join(root, '.git/config'), 'needle');
  await writeFile(join(root, 'image.png'), Buffer.from([1, 0, 2]));
  await writeFile(join(root, 'umlaut.txt'), 'äöü'.repeat(10));
  await writeFile(join(root, 'nothing.txt'), '');
  await writeFile(join(root, 'backtracking.txt'), `${'a'.repeat(40)}!\n`);
  await symlink('../secret.txt', join(root, 'out.txt'));
});
afterAll(() => rm(base, { recursive: true }));

function tool(name: string, limits: Partial<FileLimits> = {}): Tool {
  return fileTools({ root, limits }).find((each) => each.name === name) ?? expect.fail(name);
}
const call = (name: string, input: Json, limits: Partial<FileLimits> = {}): Promise<Json> =>
  tool(name, limits).run(input, recordingContext());

toolContract('list_files', async () => ({
  tool: tool('list_files'),
  good: { path: 'docs' },
  failing: [
    { input: { path: 'nowhere' }, names: '`path`' },
    { input: { path: '../' }, names: '`path`' },
    { input: { path: 'a.txt' }, names: 'a.txt' },
  ],
  secrets: [base],
}));
toolContract('read_file', async (): Promise<ToolCase> => ({
  tool: tool('read_file'),
  good: { path: 'a.txt' },
  failing: [
    { input: { path: '/etc/passwd' }, names: '`path`' },
    { input: { path: 'out.txt' }, names: '`path`' },
    { input: { path: 'docs' }, names: '`path`' },
    { input: { path: 'image.png' }, names: 'image.png' },
    { input: { path: 'a.txt', from_line: 9 }, names: '`from_line`' },
    { input: { path: 'a.txt', from_line: 3, to_line: 2 }, names: '`to_line`' },
  ],
  secrets: [base, 'secret word'],
}));
toolContract('search_files', async () => ({
  tool: tool('search_files'),
  good: { query: 'needle' },
  slow: { query: '^(a+)+$', regex: true },
  failing: [{ input: { query: '(', regex: true }, names: '`query`' }],
  secrets: [base, 'secret word'],
}));

test('[T25] a listing has sizes, is in order, leaves out what is usual, and names links without following them', async () => {
  expect(await call('list_files', {})).toStrictEqual({
    entries: [
      { path: 'a.txt', kind: 'file', size: 14 },
      { path: 'backtracking.txt', kind: 'file', size: 42 },
      { path: 'docs', kind: 'folder' },
      { path: 'empty', kind: 'folder' },
      { path: 'image.png', kind: 'file', size: 3 },
      { path: 'nothing.txt', kind: 'file', size: 0 },
      { path: 'out.txt', kind: 'link' },
      { path: 'umlaut.txt', kind: 'file', size: 60 },
      { path: 'docs/deep', kind: 'folder' },
      { path: 'docs/guide.md', kind: 'file', size: 38 },
      { path: 'docs/deep/b.md', kind: 'file', size: 29 },
    ],
  });
  expect(await call('list_files', { path: 'docs', recursive: false })).toMatchObject({
    entries: [{ path: 'docs/deep' }, { path: 'docs/guide.md' }],
  });
  expect(JSON.stringify(await call('list_files', { no_ignore: true }))).toContain('node_modules/x/index.js');
});

test('[T25] a listing that is too long says so', async () => {
  expect(await call('list_files', {}, { entries: 2 })).toMatchObject({
    entries: { length: 2 },
    note: 'Only the first 2 entries are listed; list a folder below.',
  });
});

test('[T25] a folder that may not be read is counted, not fatal', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may read everything');
  await chmod(join(root, 'empty'), 0);
  expect(await call('list_files', {})).toMatchObject({ note: '1 folders could not be read to the end.' });
  await chmod(join(root, 'empty'), 0o755);
});

test('[T26] a file is read whole, or in lines', async () => {
  const lines = { path: 'a.txt', size: 14 };
  expect(await call('read_file', { path: './a.txt' })).toStrictEqual({
    ...lines,
    lines: { from: 1, to: 3, of: 3 },
    text: 'one\ntwo\nthree\n',
  });
  expect(await call('read_file', { path: 'a.txt', from_line: 2, to_line: 2 })).toStrictEqual({
    ...lines,
    lines: { from: 2, to: 2 },
    text: 'two\n',
  });
  expect(await call('read_file', { path: 'nothing.txt' })).toMatchObject({ text: '', lines: { of: 0 } });
  expect(await call('read_file', { path: 'docs/deep/b.md', from_line: 1, to_line: 99 })).toMatchObject({
    text: 'no newline at the end: needle',
    lines: { from: 1, to: 1, of: 1 },
  });
});

test('[T26] what is cut is said, and no character is cut in two', async () => {
  const result = await call('read_file', { path: 'umlaut.txt' }, { bytes: 9 });
  expect(result).toMatchObject({ text: 'äöüä', note: expect.stringContaining('of a file of 60 bytes') });
  expect(await call('read_file', { path: 'a.txt' }, { bytes: 4 })).toMatchObject({
    text: 'one\n',
    lines: { from: 1, to: 1 },
    note: expect.stringContaining('Only 4 bytes'),
  });
  expect(await call('read_file', { path: 'a.txt', to_line: 1 }, { bytes: 4 })).not.toHaveProperty('note');
});

test('[T26] lines are the same wherever the pieces of a large file end', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1} ${'x'.repeat(i % 17)}`);
  await writeFile(join(root, 'large.txt'), lines.join('\n'));
  for (const from of [1, 4000, 6543, 19_999]) {
    const result = await call('read_file', { path: 'large.txt', from_line: from, to_line: from + 1 });
    expect(result).toMatchObject({
      text: lines
        .slice(from - 1, from + 1)
        .map((line) => `${line}\n`)
        .join('')
        .slice(0, from === 19_999 ? -1 : undefined),
    });
  }
  await rm(join(root, 'large.txt'));
});

test('[T27] a text is found in any case, on its line, and never outside', async () => {
  expect(await call('search_files', { query: 'NEEDLE' })).toMatchObject({
    matches: [
      { path: 'docs/guide.md', line: 3, text: 'The Needle is here (a+b).' },
      { path: 'docs/deep/b.md', line: 1 },
    ],
  });
  expect(await call('search_files', { query: '(a+b)' })).toMatchObject({ matches: { length: 1 } });
  expect(await call('search_files', { query: 'needle', case_sensitive: true })).toMatchObject({
    matches: [{ path: 'docs/deep/b.md' }],
  });
  expect(await call('search_files', { query: 'secret word', no_ignore: true })).toMatchObject({
    matches: [],
  });
  expect(await call('search_files', { query: 'needle', no_ignore: true })).toMatchObject({
    matches: { length: 3 },
  });
  expect(await call('search_files', { query: 'needle', file_pattern: 'deep/*' })).toMatchObject({
    matches: [],
  });
  expect(
    await call('search_files', { query: 'needle', file_pattern: '*.md', path: 'docs/deep' }),
  ).toMatchObject({
    matches: { length: 1 },
    files: 1,
  });
});

test('[T27] limits of a search are said', async () => {
  expect(await call('search_files', { query: 'e' }, { matches: 1 })).toMatchObject({
    matches: { length: 1 },
    note: 'Note that only the first 1 matches are shown.',
  });
  expect(await call('search_files', { query: 'a' }, { fileBytes: 41, files: 4 })).toMatchObject({
    matches: { length: 0 },
    note: expect.stringMatching(/only the first 4 files.*2 files were skipped \(binary/),
  });
});

test('[T28] a regular expression gives the same as the text it stands for', async () => {
  const plain = await call('search_files', { query: 'Needle' });
  expect(await call('search_files', { query: '[n]eedle', regex: true })).toStrictEqual(plain);
});

test('[T28] [S45] a regular expression that never ends is ended', async () => {
  const failure = await failureFrom(
    call('search_files', { query: '^(a+)+$', regex: true }, { seconds: 0.3 }),
  );
  expect(failure).toMatchObject({ code: 'timed-out', message: expect.stringContaining('`query`') });
});
