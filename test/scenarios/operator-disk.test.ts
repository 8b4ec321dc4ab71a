import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../serving.ts';
import { start, vitrine } from '../vitrine.ts';

const disk = mkdtempSync(join(tmpdir(), 'vitrine-full-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status === 0;
if (!mounted) process.stderr.write('A full disk is not tested: mounting needs root.\n');
const data = join(disk, 'data');
const fresh = join(disk, 'fresh');
const cwd = tmpdir();
const at = (words: readonly string[]) => vitrine(words, { cwd });

beforeAll(async () => {
  if (!mounted) return;
  expect((await at(['run', 'hello', '--app', 'tour', '--data', data])).code).toBe(3);
  mkdirSync(fresh);
  const ballast = join(disk, 'ballast');
  for (let { bavail, bsize } = statfsSync(disk); bavail > 0; { bavail, bsize } = statfsSync(disk))
    writeFileSync(ballast, Buffer.alloc(bavail * bsize), { flag: 'a' });
});
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(!mounted)('on a full disk, with nobody at work', () => {
  test.for([
    { words: ['serve', '--port', '0', '--data', fresh] },
    { words: ['run', 'hello', '--data', data] },
    { words: ['run', 'hello', '--data', fresh] },
    { words: ['resume', '--data', data] },
    { words: ['keys', 'create', 'ann', '--data', data] },
    { words: ['backup', join(disk, 'copy'), '--data', data] },
  ])(
    '[Q40] vitrine $words.0 says that it is full, and of nobody that they have the folder',
    async ({ words }) => {
      const { code, error } = await at(words);
      expect(error).toMatch(/disk.* is full/i);
      expect(error).not.toMatch(/in use|inside Vitrine/);
      expect(code).toBe(1);
    },
  );

  test('[Q44] vitrine serve starts where there is something to read, and says on stderr that it is full', async () => {
    const server = start(['serve', '--port', '0', '--data', data], { cwd });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    await server.until('listens on');
    server.child.kill('SIGTERM');
    const { error } = await server.ended;
    expect(error).toMatch(/The server is not ready: .*disk.* is full/);
  });

  test('[Q41] what is kept there can be read, checked and copied to another disk', async () => {
    const listed = await at(['runs', '--data', data]);
    expect(listed, listed.error).toMatchObject({ code: 0, out: expect.stringContaining('hello') });
    const checked = await at(['verify', '--data', data]);
    expect(checked, checked.error).toMatchObject({ code: 0, out: expect.stringContaining('All is good') });
    const copy = join(temporaryFolder(), 'copy');
    expect(await at(['backup', copy, '--data', data])).toMatchObject({ code: 0 });
  });
});
