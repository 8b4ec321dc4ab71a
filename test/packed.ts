// The package as a stranger has it: packed, unpacked into a folder of their own, with the packages it says it needs.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const root = resolve(import.meta.dirname, '..');
/** What publishing needs of a checkout. Packed from a copy, so that nobody's build is touched. */
const sources = ['package.json', 'README.md', 'LICENSE', 'bin', 'src', 'demo', 'scripts', 'web'];
const settings = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.react.json'];

export interface Packed {
  /** The stranger's folder. */
  readonly home: string;
  /** The package in it. */
  readonly installed: string;
  /** What is in the tarball. */
  readonly files: readonly string[];
  readonly bin: string;
  remove(): void;
}

export function packed(): Packed {
  const home = mkdtempSync(join(tmpdir(), 'vitrine-packed-'));
  const checkout = join(home, 'checkout');
  const installed = join(home, 'node_modules/vitrine');
  for (const name of [...sources, ...settings])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  done(checkout, 'npm', ['pack', '--pack-destination', home]);
  mkdirSync(installed, { recursive: true });
  const { version, dependencies } = manifestIn(checkout);
  done(home, 'tar', ['-xzf', `vitrine-${version}.tgz`, '--strip-components=1', '-C', installed]);
  const files = done(home, 'tar', ['-tzf', `vitrine-${version}.tgz`])
    .trim()
    .split('\n');
  // Only what it says it needs: anything else that it imports is not there.
  for (const name of Object.keys(dependencies)) link(home, name);
  rmSync(checkout, { recursive: true, force: true });
  return {
    home,
    installed,
    files: files.map((path) => path.replace('package/', '')),
    bin: join(installed, 'bin/vitrine.js'),
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Put one more of our own packages into a stranger's folder. */
export function link(home: string, name: string): void {
  const place = join(home, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

/** What a command says when it is done; what it said if it fails. */
export function done(cwd: string, command: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env: surroundings,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(`${command} ${words.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** A process that serves something, and the address it says it listens on. */
export async function listening(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...surroundings, ...env },
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

const surroundings = {
  ...process.env,
  VITRINE_PACE: '0',
  npm_lifecycle_event: undefined,
  PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
};

function manifestIn(folder: string): {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestIn>;
}
