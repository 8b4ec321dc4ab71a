// What a process did to the files of a folder, and what it said, in the order in which it happened.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

export type FileEvent =
  | { readonly type: 'write'; readonly path: string; readonly at: number | undefined; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly path: string; readonly size: number }
  | { readonly type: 'create'; readonly path: string }
  | { readonly type: 'rename'; readonly from: string; readonly path: string }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'sync'; readonly path: string }
  | { readonly type: 'said'; readonly text: string };

/** Where strace is, fetched with apt-get where that is possible; otherwise why not. */
export function findStrace(): { readonly path: string } | { readonly why: string } {
  const path = '/usr/bin/strace';
  if (existsSync(path)) return { path };
  if (process.getuid?.() !== 0) return { why: 'it is not installed, and only root can install it' };
  if (!existsSync('/usr/bin/apt-get')) return { why: 'it is not installed, and there is no apt-get' };
  const install = ['install', '--yes', '--no-install-recommends', 'strace'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [install, ['update'], install])
    if (!existsSync(path)) spawnSync('apt-get', words, { env, timeout: 300_000 });
  return existsSync(path) ? { path } : { why: 'apt-get could not install it' };
}

const calls = 'openat,write,pwrite64,ftruncate,rename,unlink,fsync,fdatasync';

/** Run a program to its end, and give what it did. */
export async function traced(strace: string, out: string, words: readonly string[]): Promise<FileEvent[]> {
  const options = ['-f', '-y', '-xx', '-s', '10000000', '-e', `trace=${calls}`, '-e', 'signal=none'];
  const child = spawn(strace, [...options, '-o', out, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return eventsIn(readFileSync(out, 'latin1'));
}

function eventsIn(text: string): FileEvent[] {
  const begun = new Map<string, string>();
  const events: FileEvent[] = [];
  for (const line of text.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    const call = resumed ? `${begun.get(thread) ?? ''}${resumed[1] ?? ''}` : rest;
    const event = eventOf(call);
    if (event) events.push(event);
  }
  return events;
}

function eventOf(call: string): FileEvent | undefined {
  const [, name = '', given = '', result = ''] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(call) ?? [];
  if (result === '' || result.startsWith('-')) return undefined;
  const [, file = ''] = /^\d+<([^>]*)>/.exec(given) ?? [];
  const path = unescaped(file).toString();
  const strings = [...given.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => unescaped(hex));
  const [first = Buffer.alloc(0), second] = strings;
  switch (name) {
    case 'write':
      if (given.startsWith('1<')) return { type: 'said', text: first.toString() };
      return { type: 'write', path, at: undefined, bytes: first };
    case 'pwrite64':
      return { type: 'write', path, at: Number(/(\d+)$/.exec(given)?.[1]), bytes: first };
    case 'ftruncate':
      return { type: 'truncate', path, size: Number(/(\d+)$/.exec(given)?.[1]) };
    case 'openat':
      return given.includes('O_CREAT') ? { type: 'create', path: first.toString() } : undefined;
    case 'rename':
      return { type: 'rename', from: first.toString(), path: second?.toString() ?? '' };
    case 'unlink':
      return { type: 'remove', path: first.toString() };
    case 'fsync':
    case 'fdatasync':
      return { type: 'sync', path };
    default:
      return undefined;
  }
}

function unescaped(hex: string): Buffer {
  return hex.startsWith('\\x') ? Buffer.from(hex.replaceAll('\\x', ''), 'hex') : Buffer.from(hex);
}
