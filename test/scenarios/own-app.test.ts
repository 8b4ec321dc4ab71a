import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';

const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
let home: string;

/** The example as a stranger has it: in a folder of its own, with the package as it would be published. */
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'vitrine-own-app-'));
  const installed = join(home, 'node_modules/vitrine');
  mkdirSync(installed, { recursive: true });
  const built = spawnSync(
    process.execPath,
    [
      tsc,
      '-p',
      join(root, 'tsconfig.build.json'),
      '--outDir',
      join(installed, 'dist'),
      '--noCheck',
      '--declaration',
      'false',
      '--sourceMap',
      'false',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  expect(built.stdout).toBe('');
  cpSync(join(root, 'src/server/page'), join(installed, 'dist/src/server/page'), { recursive: true });
  for (const name of ['package.json', 'bin'])
    cpSync(join(root, name), join(installed, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  symlinkSync(join(root, 'node_modules/zod'), join(home, 'node_modules/zod'));
  cpSync(join(root, 'examples/own-app'), home, { recursive: true });
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}, 120_000);

/** A process of the example, and the address it says it listens on. */
async function listening(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, words, {
    cwd: home,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const url = await new Promise<string>((tell, fail) => {
    const hear = (piece: string): void => {
      said += piece;
      const [, found] = /listens on (\S+)\n/.exec(said) ?? [];
      if (found !== undefined) tell(found);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.on('exit', () => fail(new Error(said)));
  });
  return { child, url };
}

test('the example runs: a function tool, an MCP server, a remote agent and a flow of one’s own', async () => {
  const reviewer = await listening(['reviewer.ts'], { REVIEWER_PORT: '0' });
  const bin = join(home, 'node_modules/vitrine/bin/vitrine.js');
  const { child, url } = await listening([bin, 'serve', '--port', '0'], { REVIEWER_URL: reviewer.url });
  const client = vitrineClient({ url });
  const { run } = await client.start({ app: 'books', text: 'I want Frankenstein' });
  for await (const tree of client.follow(run)) {
    if (tree.undecided === 0) continue;
    const [approval] = (await client.approvals({ run })).approvals;
    expect(approval).toMatchObject({
      title: 'place_order',
      arguments: { isbn: '9780486282114', copies: 1, euros: 7.5 },
    });
    await client.decide(approval?.id ?? '', { decision: 'approve' });
  }
  const tree = await client.tree(run);
  expect(tree.answer).toBe(
    '«Frankenstein», 7.5 euros with shipping, ordered as B-2114-1.\n\nI have read Frankenstein twice. Buy it before the winter.',
  );
  expect(tree.steps.map(({ title, status }) => [title, status])).toEqual(
    expect.arrayContaining([
      ['Find the book', 'completed'],
      ['library__find_book', 'completed'],
      ['price', 'completed'],
      ['Reviewer', 'completed'],
      ['place_order', 'completed'],
    ]),
  );
  const page = await fetch(url);
  expect(await page.text()).toContain('Vitrine');
  child.kill('SIGTERM');
  const [code] = await new Promise<readonly unknown[]>((tell) =>
    child.once('exit', (...outcome) => tell(outcome)),
  );
  expect(code).toBe(0);
});

test('the example tests its flow with what is published for that', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', 'flow.test.ts'], {
    cwd: home,
    encoding: 'utf8',
  });
  expect(stdout).toContain('pass 2');
  expect(status).toBe(0);
});
