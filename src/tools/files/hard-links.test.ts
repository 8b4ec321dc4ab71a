import { link, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import { documentTools } from '../documents/documents.ts';
import { fileTools } from './files.ts';
import { outOfReach } from './hard-links.ts';
import { failureFrom, recordingContext } from '../tool.contract.ts';

let base: string;
let root: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'vitrine-links-')));
  root = join(base, 'root');
  for (const path of ['root/.env', 'root/.git/config', 'root/deploy/server.pem', 'data/journal.md'])
    await put(path, 'word swordfish');
  for (const path of ['root/readme.md', 'root/.github/flow.md', 'stored.md'])
    await put(path, 'word of nothing');
});
afterAll(() => rm(base, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

/** The tools as one run has them: what they learn of the folder they keep. */
function opened(): (name: string, input: Json) => Promise<Json> {
  const settings = { root, hidden: ['.github'], away: [join(base, 'data')] };
  const tools = [...fileTools(settings), ...documentTools(settings)];
  return (name, input) =>
    (tools.find((each) => each.name === name) ?? expect.fail(name)).run(input, recordingContext());
}

describe('[T90] a hidden file is out of reach by a hard link, too', () => {
  test.for(['root/.env', 'root/.git/config', 'root/deploy/server.pem', 'data/journal.md'])(
    '%s',
    async (path) => {
      const call = opened();
      await call('search_documents', { query: 'word' });
      const name = `plain-${path.replaceAll('/', '-')}.md`;
      await link(join(base, path), join(root, name));
      expect(await failureFrom(call('read_file', { path: name }))).toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/has another name, and by that it is a hidden file/),
      });
      expect(await call('search_files', { query: 'swordfish', no_ignore: true })).toMatchObject({
        matches: [],
      });
      expect(await call('search_documents', { query: 'swordfish' })).toMatchObject({ results: [] });
    },
  );

  test('and a file that has two visible names, or one in a store of packages, is read', async () => {
    const call = opened();
    await link(join(root, 'readme.md'), join(root, 'copy.md'));
    await link(join(base, 'stored.md'), join(root, 'package.md'));
    for (const path of ['readme.md', 'copy.md', 'package.md'])
      expect(await call('read_file', { path })).toMatchObject({ text: 'word of nothing' });
  });

  test('and where not all that is hidden can be looked at, a file with two names is refused', async () => {
    const unreadable = outOfReach([join(root, 'readme.md')], () => true);
    const file = await stat(join(base, 'stored.md'), { bigint: true });
    expect(await unreadable.holds(file)).toBe('unknown');
    expect(await outOfReach([join(base, 'nowhere')], () => true).holds(file)).toBe(false);
  });

  test('and so is one that the configuration names, whatever else it is called', async () => {
    await link(join(root, '.github/flow.md'), join(root, '.flow.md'));
    expect(await opened()('read_file', { path: '.github/flow.md' })).toMatchObject({
      text: 'word of nothing',
    });
  });
});
