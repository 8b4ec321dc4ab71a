import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { committer, type Committer } from './commit.ts';
import { commitsOf, openForWriting, type WriterFolder } from '../folder/folder.ts';
import type { Operation } from '../batch.ts';
import { perform } from '../rules/rules.ts';
import { sqliteTables, type SqliteTables } from './tables.ts';
import { appending, newRun, seqs } from '../store.contract.ts';
import { healthOf } from './sqlite.worker.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-commit-'));
const time = { now: 1_000, jump: 0 };
const fence = { run: 'r', epoch: 1 };
const append = (head: number): Operation => ({ name: 'append', argument: appending(fence, head) });
const command = { type: 'pause', by: 'me' } as const;
const send: Operation = { name: 'send', argument: { run: 'r', id: 'c', command } };

let path: string;
let folder: WriterFolder;
let tables: SqliteTables;
let markFails: boolean;
let commit: Committer;

beforeEach(() => {
  folder = openForWriting((path = mkdtempSync(join(base, 'folder-'))));
  tables = sqliteTables(folder.database, { remember: true });
  markFails = false;
  const raise = (commits: number): void => {
    if (markFails) throw new Error('EIO: i/o error, write');
    folder.mark.raise(commits);
  };
  commit = committer({ ...folder, mark: { raise, close: () => {} } }, tables);
  commit(time, [{ name: 'create', argument: newRun('r', { claim: { worker: 'w', lease: 1_000 } }) }]);
});

afterEach(() => folder.close());
afterAll(() => rmSync(base, { recursive: true }));

test('[Q2] nothing is acknowledged when the mark could not be raised, and nothing is done twice', () => {
  markFails = true;
  expect(() => commit(time, [append(1), send])).toThrow(/could not be written \(EIO/);
  markFails = false;
  expect(tables.run('r')).toMatchObject({ head: 2 });
  expect(seqs(tables.chunksAfter('r', 0))).toEqual([1, 2]);
  expect(commit(time, [send, append(2)])).toMatchObject({
    results: [{ fresh: false }, undefined],
    refusals: [],
  });
});

test('[Q3] what is remembered of a transaction that was undone is forgotten', () => {
  const held = tables.held('t');
  folder.database.exec('PRAGMA max_page_count = 30');
  const large: Operation = {
    name: 'put',
    argument: { owner: { tenant: 't', run: 'r' }, text: 'x'.repeat(1 << 20) },
  };
  expect(() => commit(time, [append(1), large, send])).toThrow(/disk is full/);
  expect(tables.run('r')).toMatchObject({ head: 1 });
  expect(tables.pending('r')).toEqual([]);
  expect(tables.held('t')).toBe(held);
  expect(commit(time, [append(1), send])).toMatchObject({
    refusals: [],
    hints: [{ type: 'command', run: 'r' }],
  });
  const more = appending(fence, 1).frames.length + JSON.stringify(command).length;
  expect(sqliteTables(folder.database, { remember: false }).held('t')).toBe(held + more);
});

test('[Q131] what a tenant holds is written once in a commit, and known while it is made', () => {
  const row = folder.database.prepare(`SELECT bytes FROM held WHERE tenant = 't'`);
  const written = (): number => Number(row.get()?.['bytes']);
  const before = written();
  const sizes = [1, 2, 3].map((head) => appending(fence, head).frames.length);
  const grown = before + sizes.reduce((sum, size) => sum + size, 0);
  for (const head of [1, 2, 3]) perform({ tables, now: 1_000, hints: [] }, 'append', appending(fence, head));
  expect([tables.held('t'), written()]).toEqual([grown, before]);
  tables.finish();
  expect([tables.held('t'), written()]).toEqual([grown, grown]);
});

test('[Q14] in a folder that was moved away nothing is acknowledged, and the store says why until it is back', () => {
  const health = healthOf(folder);
  const watched = health.watching(commit);
  expect(health.now()).toBeUndefined();
  renameSync(path, `${path}.aside`);
  expect(health.now()).toMatch(/was deleted or moved away/);
  expect(() => watched(time, [send])).toThrow(/was deleted or moved away/);
  renameSync(`${path}.aside`, path);
  expect(health.now()).toBeUndefined();
  expect(watched(time, [send])).toMatchObject({ refusals: [] });
});

test('[Q14] that another process has the database is said once commits fail for it, until one succeeds', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const health = healthOf(folder);
  let isHeld = true;
  const watched = health.watching((...given) => {
    if (isHeld) throw Object.assign(new Error('database is locked'), { errcode: 5 });
    return commit(...given);
  });
  const tried = (): string | undefined => {
    expect(() => watched(time, [send])).toThrow('locked');
    return health.now();
  };
  expect(tried()).toBeUndefined();
  vi.advanceTimersByTime(9_000);
  expect(tried()).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect(tried()).toMatch(/Another process has the database/);
  isHeld = false;
  expect(health.now()).toBeUndefined();
  vi.useRealTimers();
});

test('[Q71] what changes nothing is no commit, but for one that is to show whether the disk takes it', () => {
  const before = commitsOf(folder.database);
  const request = { worker: 'w', flows: ['flow@1'], max: 10, lease: 1_000 };
  expect(commit(time, [{ name: 'claim', argument: request }])).toMatchObject({ results: [[]] });
  expect(commit(time, [append(7)]).refusals).toHaveLength(1);
  expect(commitsOf(folder.database)).toBe(before);
  commit(time, []);
  commit(time, [append(1)]);
  expect(commitsOf(folder.database)).toBe(before + 2);
});
