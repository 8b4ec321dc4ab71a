import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import { documentTools } from '../documents/documents.ts';
import { fileTools } from './files.ts';
import { isHidden } from './hidden.ts';
import { failureFrom, recordingContext } from '../tool.contract.ts';

const secret = 'swordfish';
/** Everything here is out of reach, and has the secret in it. */
const hidden = [
  '.env',
  '.ENV',
  '.env.local.md',
  'sub/.env',
  '.git/config',
  '.Git/HEAD.md',
  '.vitrine/keys.json',
  '.ssh/id_rsa',
  'deploy/id_ed25519',
  'deploy/server.pem',
  'deploy/Server.KEY',
  'deploy/prod.env',
  'deploy/id_work',
  'deploy/id_rsa.bak',
  'deploy/Server.key.BAK',
  'deploy/server.pem~',
  'deploy/credentials.json',
  'deploy/acme-service-account-7.json',
  '.notes.md',
  'store/keys.json',
  'store/deep/journal.md',
  '.github/.env',
];
const seen = [
  'readme.md',
  'sub/guide.md',
  '.github/workflows.md',
  'store-guide.md',
  'id_rsa.md',
  'credentials.md',
];

let base: string;
let root: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'vitrine-hidden-')));
  root = join(base, 'root');
  for (const path of [...hidden, ...seen]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), hidden.includes(path) ? `word ${secret}` : 'word of nothing');
  }
  await symlink('.env', join(root, 'env.txt'));
  await symlink('.git', join(root, 'history'));
  await symlink('store', join(root, 'shelf'));
  await symlink('../sub/../.git/config', join(root, 'sub/config.md'));
});
afterAll(() => rm(base, { recursive: true }));

const settings = () => ({ root, hidden: ['.github'], away: [join(base, 'root/STORE/../store')] });
const call = async (name: string, input: Json): Promise<Json> => {
  const tools = [...fileTools(settings()), ...documentTools(settings())];
  const tool = tools.find((each) => each.name === name) ?? expect.fail(name);
  return tool.run(input, recordingContext());
};

describe('[T35] [S28] hidden files, keys and the data folder are out of reach', () => {
  const links = ['env.txt', 'history/config', 'shelf/keys.json', 'shelf/deep/journal.md', 'sub/config.md'];
  test.for([...hidden, ...links])('of read_file: %s', async (path) => {
    const failure = await failureFrom(call('read_file', { path }));
    expect(failure).toMatchObject({ code: 'refused', message: expect.stringMatching(/hidden/) });
  });

  test.for(['.git', '.Git', '.vitrine', 'store', 'history', 'shelf', '.nothing/there'])(
    'of list_files and search_files: %s',
    async (path) => {
      const asked: [name: string, input: Json][] = [
        ['list_files', { path, no_ignore: true }],
        ['search_files', { path, query: 'word', no_ignore: true }],
      ];
      for (const [name, input] of asked) {
        const failure = await failureFrom(call(name, input));
        expect(failure).toMatchObject({ code: 'refused', message: expect.stringMatching(/hidden/) });
      }
    },
  );

  test('a listing of everything does not name them', async () => {
    const { entries } = (await call('list_files', { no_ignore: true })) as {
      entries: { path: string; kind: string }[];
    };
    const files = entries.filter(({ kind }) => kind === 'file').map(({ path }) => path);
    expect(files.toSorted()).toEqual(seen.toSorted());
    expect(entries.map(({ path }) => path)).not.toContain('store');
  });

  test.for<Json>([
    { query: secret },
    { query: secret, no_ignore: true },
    { query: secret, regex: true, no_ignore: true },
    { query: secret, file_pattern: '.*', no_ignore: true },
    { query: secret, file_pattern: '**/.git/**', no_ignore: true },
    { query: secret, file_pattern: '**', no_ignore: true },
  ])('a search does not look into them: %j', async (input) => {
    expect(await call('search_files', input)).toMatchObject({ matches: [], files: expect.any(Number) });
  });

  test('a search of documents does not know them', async () => {
    expect(await call('search_documents', { query: secret })).toMatchObject({ results: [] });
    expect(await call('search_documents', { query: 'word', limit: 20 })).toMatchObject({
      documents: seen.length,
    });
  });

  test('what was named is there, but not what is hidden inside', async () => {
    expect(await call('read_file', { path: '.github/workflows.md' })).toMatchObject({
      text: 'word of nothing',
    });
    expect(await failureFrom(call('read_file', { path: '.github/.env' }))).toMatchObject({ code: 'refused' });
  });
});

describe('[T103] a file that begins as a private key', () => {
  const headers = [
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    '\uFEFF\n  -----BEGIN EC PRIVATE KEY-----',
    'PuTTY-User-Key-File-3: ssh-ed25519',
  ];
  const folderWith = async (header: string): Promise<string> => {
    const folder = await mkdtemp(join(base, 'keys-'));
    await writeFile(join(folder, 'notes.md'), `${header}\n${secret}\n`);
    return folder;
  };

  test.for(headers)('is out of reach whatever it is called: %j', async (header) => {
    const folder = await folderWith(header);
    const tools = [...fileTools({ root: folder }), ...documentTools({ root: folder })];
    const run = (name: string, input: Json): Promise<Json> =>
      tools.find((tool) => tool.name === name)?.run(input, recordingContext()) ?? expect.fail(name);
    const failure = await failureFrom(run('read_file', { path: 'notes.md' }));
    expect(failure).toMatchObject({ code: 'refused', message: expect.stringMatching(/private key.*hidden/) });
    expect(await run('search_files', { query: secret })).toMatchObject({ matches: [] });
    expect(await run('search_documents', { query: secret })).toMatchObject({ results: [] });
  });

  test('is read where the configuration names it, and one that only speaks of keys is read anyway', async () => {
    const folder = await folderWith('-----BEGIN PRIVATE KEY-----');
    await writeFile(join(folder, 'guide.md'), 'A key begins with -----BEGIN PRIVATE KEY-----');
    await writeFile(join(folder, 'public.md'), '-----BEGIN PUBLIC KEY-----');
    const read = (path: string, named: readonly string[] = []): Promise<Json> =>
      fileTools({ root: folder, hidden: named })
        .find(({ name }) => name === 'read_file')
        ?.run({ path }, recordingContext()) ?? expect.fail('read_file');
    expect(await read('notes.md', ['notes.md'])).toMatchObject({ text: expect.stringContaining(secret) });
    expect(await read('guide.md')).toMatchObject({ text: expect.stringContaining('begins') });
    expect(await read('public.md')).toMatchObject({ text: expect.stringContaining('PUBLIC') });
  });
});

test('[T35] a folder that is named is seen, wherever it lies', async () => {
  const [list] = fileTools({ root: join(root, 'store'), away: [join(root, 'store')] });
  expect(await list?.run({}, recordingContext())).toMatchObject({ entries: [{ path: 'deep' }, {}, {}] });
});

test('[T35] what is hidden stays so in any capitals and below anything', () => {
  const name = fc.constantFrom('.env', '.git', 'id_rsa', 'x.pem', 'x.key', '.a');
  const part = fc.stringMatching(/^[a-z]{1,5}$/);
  fc.assert(
    fc.property(name, fc.array(part), fc.array(part), (own, above, below) => {
      const path = [...above, above.length % 2 === 0 ? own.toUpperCase() : own, ...below].join('/');
      expect(isHidden(path)).toBe(true);
      expect(isHidden(path, [path])).toBe(false);
    }),
  );
  fc.assert(fc.property(fc.array(part), (parts) => !isHidden(parts.join('/'))));
});
