import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { sync as writeWhole } from 'write-file-atomic';
import { syncFolder } from './sync.ts';

/**
 * How many commits were acknowledged, kept outside the database. SQLite takes a damaged end of its WAL for the end: it
 * opens without a word and without what was acknowledged. Only something outside can tell that commits are missing.
 */
export interface HighWater {
  /** Before a commit is acknowledged, and after it is durable: so the mark is never ahead of what a crash leaves. */
  raise(commits: number): void;
  close(): void;
}

/** Undefined when there is none; `torn` when it cannot be believed. */
export function readHighWater(path: string): number | 'torn' | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
  const commits = Number(text.slice(0, 16));
  return text === line(commits) ? commits : 'torn';
}

/**
 * Appears whole or not at all; then written in place and not fsynced: the mark must outlive the process, and after a
 * power failure an older mark is only less watchful, never wrong.
 */
export function highWater(path: string, commits: number): HighWater {
  writeWhole(path, line(commits), { mode: 0o600 });
  syncFolder(dirname(path));
  const file = openSync(path, 'r+');
  return {
    raise: (count) => void writeSync(file, line(count), 0, 'latin1'),
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

function line(commits: number): string {
  const digits = String(commits).padStart(16, '0');
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
}
