import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { appWith, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';
import { start, vitrine } from '../vitrine.ts';

const config = { apps: { echo: appWith(async (_, text) => text, 'echo') } };
const begin = ({ ask }: Serving, text = 'hello') => ask('/api/runs', { json: { input: { text } } });
const ready = ({ ask }: Serving, status: number) =>
  untilAnswer(
    () => ask('/readyz'),
    (answer) => answer.status === status,
  );

const disk = mkdtempSync(join(tmpdir(), 'vitrine-small-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status === 0;
if (!mounted) process.stderr.write('A full disk and a read-only one are not tested: mounting needs root.\n');
const ballast = join(disk, 'ballast');
/** Leaves no space. By another process, for which it is no failure that a server took some of it meanwhile. */
const fill = (): void => void spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']);
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

test('[Q14] a deleted data folder is said, and nothing is acknowledged there any more', async () => {
  const data = join(temporaryFolder(), 'data');
  const server = await serving({ data, config });
  expect((await begin(server)).status).toBe(201);
  expect((await server.ask('/readyz')).status).toBe(200);
  const aside = `${data}.aside`;
  renameSync(data, aside);
  const away = await server.ask('/readyz');
  expect(away).toMatchObject({ status: 503, json: { status: 'unavailable' } });
  expect(textAt(away, 'reason')).toMatch(/deleted or moved away/);
  expect(away.text).not.toContain(data);
  expect(await begin(server)).toMatchObject({ status: 503, json: { error: { code: 'unready' } } });
  await server.ask('/readyz');
  const told = server.problems.filter(({ message }) => message.includes('not ready'));
  expect(told).toMatchObject([{ cause: expect.stringContaining(data) }]);

  renameSync(aside, data);
  expect((await server.ask('/readyz')).status).toBe(200);
  expect((await begin(server)).status).toBe(201);
  expect(server.problems.at(-1)).toMatchObject({ message: 'The server is ready again.' });
});

test('[Q14] a second server in a folder that was made anew is not harmed by the first', async () => {
  const data = join(temporaryFolder(), 'data');
  const first = await serving({ data, config });
  rmSync(data, { recursive: true });
  const second = await serving({ data, config });
  const run = textAt(await begin(second), 'run');
  expect(textAt(await first.ask('/readyz'), 'reason')).toMatch(/replaced by another/);
  expect((await begin(first)).status).toBe(503);
  await first.close();
  for (const file of ['holder.json', 'control.sock']) expect(existsSync(join(data, file)), file).toBe(true);
  expect((await vitrine(['runs', '--data', data], { cwd: tmpdir() })).out).toContain(run);
  expect((await begin(second)).status).toBe(201);
});

test('[Q14] the process says on stderr that its folder is gone', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, 'data');
  const server = start(['serve', '--port', '0', '--data', data], { cwd });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  await server.until('listens on');
  rmSync(data, { recursive: true });
  await server.until('The server is not ready');
  server.child.kill('SIGTERM');
  const { error } = await server.ended;
  expect(error.split('\n').filter((line) => line.includes('The server is not ready'))).toHaveLength(1);
});

test.skipIf(!mounted)(
  '[Q14, R06] a full disk is said, starts are refused, and all is well when there is space',
  async () => {
    const data = join(disk, 'data');
    const server = await serving({ data, config });
    const before = textAt(await begin(server), 'run');
    fill();
    expect(textAt(await ready(server, 503), 'reason')).toMatch(/is full/);
    expect((await begin(server)).status).toBe(503);
    expect((await server.ask(`/api/runs/${before}`)).status).toBe(200);
    rmSync(ballast);
    await ready(server, 200);
    expect((await begin(server)).status).toBe(201);
    const told = server.problems.map(({ message }) => message).filter((message) => message.includes('ready'));
    expect(told).toEqual(['The server is not ready: new runs are refused.', 'The server is ready again.']);
  },
);

test.skipIf(!mounted)(
  '[Q44] a server that is started on a full disk says so, tells what is kept, and is ready once there is space',
  async () => {
    const data = join(disk, 'started');
    const before = await serving({ data, config });
    const run = textAt(await begin(before), 'run');
    await before.close();
    fill();
    const server = await serving({ data, config });
    expect(textAt(await server.ask('/readyz'), 'reason')).toMatch(/is full: make room/);
    expect(await begin(server)).toMatchObject({ status: 503, json: { error: { code: 'unready' } } });
    expect((await server.ask(`/api/runs/${run}`)).status).toBe(200);
    rmSync(ballast);
    await ready(server, 200);
    expect((await begin(server)).status).toBe(201);
    const told = server.problems.map(({ message }) => message).filter((message) => message.includes('ready'));
    expect(told).toEqual(['The server is not ready: new runs are refused.', 'The server is ready again.']);
  },
);

test('[Q45] a database that is written over in place is noticed, and nothing more is written there', async () => {
  const data = temporaryFolder();
  const other = await serving({ data: temporaryFolder(), config });
  await begin(other);
  await other.close();
  const server = await serving({ data, config });
  const completed = async (): Promise<void> => {
    const run = textAt(await begin(server), 'run');
    await untilAnswer(
      () => server.ask(`/api/runs/${run}`),
      ({ json }) => (json as { status: string }).status === 'completed',
    );
  };
  await completed();
  // To be touched, and looked at by others, is no harm.
  spawnSync('touch', [join(data, 'vitrine.db')]);
  expect((await vitrine(['verify', '--data', data], { cwd: tmpdir() })).code).toBe(0);
  expect((await server.ask('/readyz')).status).toBe(200);
  // A commit that is under way while it is written over takes what it finds for its own.
  await completed();
  // By another process: to close the file here would take away the locks of this one.
  spawnSync('cp', [join(other.data, 'vitrine.db'), join(data, 'vitrine.db')]);
  expect(await begin(server)).toMatchObject({ status: 503, json: { error: { code: 'unready' } } });
  expect(textAt(await server.ask('/readyz'), 'reason')).toMatch(/was written over by another program/);
  expect(readFileSync(join(data, 'vitrine.db'))).toEqual(readFileSync(join(other.data, 'vitrine.db')));
});

/** What the terminal beside it knows. */
const sameApp = `export default {
  apps: { echo: { flow: { name: 'echo', version: '1', run: async () => 'hello' } } },
};`;

test.skipIf(!mounted)(
  '[Q20] a terminal beside a server whose disk is full is refused at once, and its run never starts',
  async () => {
    const data = join(disk, 'beside');
    const server = await serving({ data, config });
    fill();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'vitrine.config.js'), sameApp);
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    const refused = await vitrine(['run', 'hello', '--data', data], { cwd });
    expect(refused).toMatchObject({ code: 1, out: '', error: expect.stringMatching(/is full: make room/) });
    rmSync(ballast);
    await ready(server, 200);
    expect((await begin(server, 'afterwards')).status).toBe(201);
    const { runs } = (await server.ask('/api/runs')).json as { runs: { title: string }[] };
    expect(runs.map(({ title }) => title)).toEqual(['afterwards']);
  },
);

test('[Q14, R04] a database whose tables make no sense is said, and what can be read is read', async () => {
  const data = temporaryFolder();
  const before = await serving({ data, config });
  const runs: string[] = [];
  for (let i = 0; i < 60; i += 1) runs.push(textAt(await begin(before, `text ${i}`), 'run'));
  for (const run of runs)
    await untilAnswer(
      () => before.ask(`/api/runs/${run}`),
      ({ json }) => (json as { status: string }).status === 'completed',
    );
  await before.close();
  breakIndex(join(data, 'vitrine.db'));
  const server = await serving({ data, config });
  expect(await server.ask('/readyz')).toMatchObject({ status: 503, json: { status: 'unavailable' } });
  expect((await begin(server)).status).toBe(503);
  const list = await server.ask('/api/runs?limit=100');
  expect((list.json as { runs: unknown[] }).runs).toHaveLength(60);
  const told = server.problems.filter(({ message }) => message.includes('not ready'));
  expect(told).toHaveLength(1);
});

test('[Q9] what is made in a folder that others can look into is its owner’s alone', async () => {
  const data = temporaryFolder();
  mkdirSync(join(data, 'open'), { mode: 0o755 });
  const umask = process.umask(0o022);
  const server = await serving({ data: join(data, 'open'), config });
  await begin(server);
  const modes = [
    'vitrine.db',
    'vitrine.db-wal',
    'vitrine.db-shm',
    'lock.db',
    'holder.json',
    'high-water',
  ].map((name) => [name, (statSync(join(data, 'open', name)).mode & 0o777).toString(8)]);
  process.umask(umask);
  expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
});

test.skipIf(!mounted).for(['closed', 'killed'])(
  '[Q8] a copy on a read-only disk can be read: %s',
  async (how) => {
    const data = temporaryFolder();
    const server = await serving({ data, config });
    const run = textAt(await begin(server), 'run');
    await untilAnswer(
      () => server.ask(`/api/runs/${run}`),
      ({ json }) => (json as { status: string }).status === 'completed',
    );
    if (how === 'closed') await server.close();
    const place = mkdtempSync(join(tmpdir(), 'vitrine-copy-'));
    spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]);
    try {
      // A copy of a folder that somebody writes is made by another process: to close its files here would take its locks.
      spawnSync('cp', ['-r', data, join(place, 'data')]);
      for (const left of ['vitrine.db-shm', 'control.sock', 'holder.json'])
        rmSync(join(place, 'data', left), { force: true });
      spawnSync('mount', ['-o', 'remount,ro', place]);
      const say = (...words: string[]) => vitrine(words, { cwd: tmpdir() });
      const at = join(place, 'data');
      expect((await say('runs', '--data', at)).out).toContain(run);
      expect(await say('show', run, '--data', at)).toMatchObject({
        code: 0,
        out: expect.stringContaining('hello'),
      });
      expect(await say('export', run, '--jsonl', '--data', at)).toMatchObject({ code: 0 });
      expect(await say('verify', '--data', at)).toMatchObject({ code: 0 });
      expect(await say('verify', '--backup', at)).toMatchObject({ code: 0 });
    } finally {
      spawnSync('umount', ['-l', place]);
      rmSync(place, { recursive: true, force: true });
    }
  },
);

/** The root page of an index that runs are found by makes no sense any more. */
function breakIndex(path: string): void {
  const place = spawnSync(
    process.execPath,
    [
      '-e',
      `const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]);
       const { rootpage } = d.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'runByConversation'").get();
       console.log((rootpage - 1) * d.prepare('PRAGMA page_size').get().page_size)`,
      path,
    ],
    { encoding: 'utf8' },
  );
  spawnSync('dd', [
    'if=/dev/zero',
    `of=${path}`,
    'bs=1',
    `seek=${place.stdout.trim()}`,
    'count=512',
    'conv=notrunc',
  ]);
}
