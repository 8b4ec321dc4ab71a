// A disk that turns read-only under a server, as one does that fails: the kernel refuses every write from then on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../serving.ts';
import { served } from '../served.ts';
import { vitrine } from '../vitrine.ts';

/** While a file is there, nothing can be written in a folder. A file system with files open for writing cannot be remounted. */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int refused(int fd) {
  char link[64], path[4096];
  const char *folder = getenv("FAULT_FOLDER");
  if (access(getenv("FAULT_WHILE"), F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  errno = EROFS;
  return 1;
}
#define WRITES(name, offset) ssize_t name(int fd, const void *bytes, size_t count, offset at) { \\
  static ssize_t (*real)(int, const void *, size_t, offset); \\
  if (!real) real = dlsym(RTLD_NEXT, #name); \\
  return refused(fd) ? -1 : real(fd, bytes, count, at); }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)
int ftruncate(int fd, off_t length) {
  int (*real)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
  return refused(fd) ? -1 : real(fd, length);
}
int ftruncate64(int fd, off64_t length) {
  int (*real)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
  return refused(fd) ? -1 : real(fd, length);
}
`;

const place = mkdtempSync(join(tmpdir(), 'vitrine-read-only-'));
afterAll(() => rmSync(place, { recursive: true }));
const library = join(place, 'read-only.so');
writeFileSync(join(place, 'read-only.c'), shim);
const compiled =
  process.platform === 'linux' &&
  spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(place, 'read-only.c'), '-ldl']).status === 0;
if (!compiled)
  process.stderr.write('A disk that turns read-only is NOT tested: that needs Linux and a C compiler.\n');

const config = `export default {
  apps: { echo: { flow: { name: 'echo', version: '1', run: async (_, { text }) => text } } },
};`;

test.skipIf(!compiled)(
  '[Q14] a running disk that turns read-only is said, what is kept is told, and all is well when it can be written',
  async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'vitrine.config.js'), config);
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    const isReadOnly = join(place, 'now');
    const { url, server } = await served(cwd, [], {
      LD_PRELOAD: library,
      FAULT_FOLDER: cwd,
      FAULT_WHILE: isReadOnly,
    });
    const begin = (text: string): Promise<Response> =>
      fetch(`${url}/api/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: { text } }),
      });
    const before = ((await (await begin('before')).json()) as { readonly run: string }).run;
    const told = async (): Promise<string> => (await fetch(`${url}/api/runs/${before}/events`)).text();
    const whole = await told();
    expect(whole).toContain('"outcome":"completed"');

    writeFileSync(isReadOnly, '');
    expect((await begin('meanwhile')).ok).toBe(false);
    // On a busy machine a store may take too long to answer, and is not ready for that reason, for a moment.
    const ready = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/readyz`);
      return [answer.status, await answer.text()];
    };
    await expect.poll(ready).toEqual([503, expect.stringContaining('could not be written')]);
    expect(await begin('refused')).toMatchObject({ status: 503 });
    expect(await told()).toBe(whole);
    await server.until('The server is not ready');

    rmSync(isReadOnly);
    await expect.poll(ready).toEqual([200, expect.anything()]);
    expect((await begin('afterwards')).status).toBe(201);
    await server.until('The server is ready again');
    server.child.kill('SIGTERM');
    await server.ended;
    expect((await vitrine(['verify', '--data', 'data'], { cwd })).code).toBe(0);
    const { out } = await vitrine(['runs', '--data', 'data'], { cwd });
    expect(out).toMatch(/afterwards[^]*before/);
    expect(out).not.toContain('refused');
  },
);
