import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteReader } from './reader.ts';
import { sqliteStore } from '../sqlite.ts';
import { appending, newRun, range, readAll, refused, seqs } from '../store.contract.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-faults-'));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(base, { recursive: true });
});

/** A process of its own that runs this code, up to what it says first. */
async function program(
  code: string,
  folder: string,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.add(child);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

test('[R47, Q15] another process has the database for seconds: commits wait, reads live, nothing fails', async () => {
  const folder = join(base, 'busy');
  const store = await sqliteStore({ folder });
  await store.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 60_000 } }));
  const holder = await program(
    `const { DatabaseSync } = await import('node:sqlite');
     const database = new DatabaseSync(process.argv[1] + '/vitrine.db');
     database.exec('BEGIN IMMEDIATE');
     process.stdout.write('held');
     process.stdin.on('end', () => { database.exec('COMMIT'); database.close(); process.exit(); }).resume();`,
    folder,
  );
  let isDone = false;
  const appends = range(1, 50).map((head) => store.journal.append(appending({ run: 'r', epoch: 1 }, head)));
  const all = Promise.all(appends).then(() => (isDone = true));
  const until = performance.now() + 5_000;
  let reads = 0;
  while (performance.now() < until) {
    expect(seqs(await readAll(store, 'r'))).toEqual([1]);
    expect(await store.health()).toBeUndefined();
    reads += 1;
  }
  expect(isDone).toBe(false);
  expect(reads).toBeGreaterThan(5);
  holder.stdin?.end();
  await all;
  expect(seqs(await readAll(store, 'r'))).toEqual(range(1, 51));
  await store.close();
});

test('[R40] a writer that stops inside a transaction: reads go on, and the next one takes over when it is killed', async () => {
  const folder = join(base, 'stopped');
  const writer = await program(
    `const { openForWriting } = await import('${new URL('../folder/folder.ts', import.meta.url).href}');
     const { committer, takeOver } = await import('${new URL('./commit.ts', import.meta.url).href}');
     const { sqliteTables } = await import('${new URL('./tables.ts', import.meta.url).href}');
     const opened = openForWriting(process.argv[1]);
     const tables = sqliteTables(opened.database, { remember: true });
     const commit = committer(opened, tables);
     const names = { run: 'r', tenant: 't', conversation: 'c', app: 'a', title: 'x', flow: 'flow@1' };
     const create = { name: 'create', argument: { ...names, last: 1, frames: 'id: 1\\ndata: {"t":0,"s":1,"x":"text"}\\n\\n', claim: { worker: 'w', lease: 1 } } };
     commit({ now: Date.now(), jump: 0 }, [create]);
     opened.database.exec("BEGIN IMMEDIATE; UPDATE run SET title = 'never'");
     process.stdout.write('inside');
     // Whoever forgets it lets go of the folder.
     setInterval(() => opened, 1000);`,
    folder,
  );
  writer.kill('SIGSTOP');
  const reader = await sqliteReader({ folder });
  expect(seqs(await readAll(reader, 'r'))).toEqual([1]);
  await refused(sqliteStore({ folder }), 'rejected', new RegExp(`process ${writer.pid} on`));
  const gone = once(writer, 'close');
  writer.kill('SIGKILL');
  await gone;
  const store = await sqliteStore({ folder });
  const [claim] = await store.dispatch.claim({ worker: 'n', flows: ['flow@1'], max: 1, lease: 1_000 });
  expect(claim).toMatchObject({ fence: { run: 'r', epoch: 2 }, reason: 'recovered' });
  expect(await store.dispatch.get('r')).toMatchObject({ title: 'x', head: 1, damaged: null });
  await reader.close();
  await store.close();
});

/**
 * Every seventh sync of the WAL fails, and each is noted in the file in which the program notes its acknowledgements. The
 * first after a commit began is what makes it durable; what a checkpoint syncs afterwards may fail without a loss.
 */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int count = 0;
static int synced(int fd, const char *name) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 4 || strncmp(path + length - 4, "-wal", 4) != 0) return real(fd);
  int fails = __sync_add_and_fetch(&count, 1) % 7 == 0;
  int log = open(getenv("FAULT_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (write(log, fails ? "F\\n" : "S\\n", 2) != 2) abort();
  close(log);
  if (fails) { errno = EIO; return -1; }
  return real(fd);
}
int fsync(int fd) { return synced(fd, "fsync"); }
int fdatasync(int fd) { return synced(fd, "fdatasync"); }
`;

const library = join(base, 'faults.so');
writeFileSync(join(base, 'faults.c'), shim);
const compiled =
  process.platform === 'linux' &&
  spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(base, 'faults.c'), '-ldl']).status === 0;
if (!compiled) process.stderr.write('Syncs that fail are NOT tested: that needs Linux and a C compiler.\n');

test.skipIf(!compiled)('[R07] nothing is acknowledged after a sync that failed', async () => {
  const folder = join(base, 'eio');
  await (await sqliteStore({ folder })).close();
  const log = join(base, 'log');
  const child = await program(
    `const { appendFileSync } = await import('node:fs');
     const { openForWriting } = await import('${new URL('../folder/folder.ts', import.meta.url).href}');
     const { committer } = await import('${new URL('./commit.ts', import.meta.url).href}');
     const { sqliteTables } = await import('${new URL('./tables.ts', import.meta.url).href}');
     const note = (text) => appendFileSync(process.env.FAULT_LOG, text + '\\n');
     let opened;
     while (!opened) try { opened = openForWriting(process.argv[1]); } catch {}
     const commit = committer(opened, sqliteTables(opened.database, { remember: true }));
     const names = { tenant: 't', conversation: 'c', app: 'a', title: 'x', flow: 'f' };
     for (let i = 1; i <= 900; i += 1) {
       const create = { ...names, run: 'r' + i, last: 1, frames: 'id: 1\\ndata: {"t":0,"s":1,"x":"' + i + '"}\\n\\n' };
       note('B');
       try { commit({ now: 1, jump: 0 }, [{ name: 'create', argument: create }]); note('A r' + i); }
       catch (thrown) { note('E ' + thrown.failure?.code); }
     }
     process.stdout.write('done');
     process.kill(process.pid, 'SIGKILL');`,
    folder,
    { LD_PRELOAD: library, FAULT_LOG: log },
  );
  expect(child.pid).toBeDefined();
  expect(existsSync(log)).toBe(true);
  const tries = readFileSync(log, 'utf8').split('B\n').slice(1);
  const outcomes = tries.map((text) => text.trim().split('\n'));
  const failed = outcomes.filter(([first]) => first === 'F');
  expect(failed.length).toBeGreaterThan(100);
  expect(failed.filter((lines) => lines.at(-1) !== 'E unavailable')).toEqual([]);
  expect(outcomes.filter((lines) => lines.at(-1)?.startsWith('A') && lines[0] !== 'S')).toEqual([]);
  const store = await sqliteStore({ folder });
  const acknowledged = outcomes.flatMap((lines) => /^A (.*)$/.exec(lines.at(-1) ?? '')?.[1] ?? []);
  expect(acknowledged.length).toBeGreaterThan(300);
  for (const run of acknowledged) expect(seqs(await readAll(store, run))).toEqual([1]);
  await store.close();
});
