// Before the scenarios: see that there is a browser, fetch it where that is possible, or say why its tests are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where Chromium is; empty if nowhere. */
    readonly chromium: string;
  }
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Milliseconds for the package and all it needs. */
const longest = 600_000;

export function setup(project: TestProject): void {
  project.provide('chromium', found() ?? fetched() ?? '');
}

function found(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

function fetched(): string | undefined {
  if (process.getuid?.() !== 0) return skipped('it is not installed, and only root can install it');
  if (!existsSync('/usr/bin/apt-get')) return skipped('it is not installed, and there is no apt-get');
  process.stderr.write('Chromium is not installed: fetching it with apt-get …\n');
  const failure =
    aptGet(['install', '--yes', '--no-install-recommends', 'chromium']) &&
    (aptGet(['update']) || aptGet(['install', '--yes', '--no-install-recommends', 'chromium']));
  return found() ?? skipped(failure || 'apt-get installed it somewhere else; say where in CHROMIUM');
}

/** What went wrong, or nothing. */
function aptGet(words: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr, error } = spawnSync('apt-get', words, { env, encoding: 'utf8', timeout: longest });
  if (status === 0) return '';
  return `apt-get ${words[0]} failed (${error?.message ?? stderr.trim().split('\n').at(-1)})`;
}

function skipped(why: string): undefined {
  process.stderr.write(`Tests in a browser are SKIPPED, since there is no Chromium: ${why}.\n`);
}
