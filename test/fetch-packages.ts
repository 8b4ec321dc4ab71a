// Before the scenarios: build the web app, and see that there are programs only some machines have, fetch them where that is possible, or say
// why the tests that need them are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { buildWeb } from '../scripts/build-web.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where Chromium is; empty if nowhere. */
    readonly chromium: string;
    /** Where nginx is; empty if nowhere. */
    readonly nginx: string;
  }
}

interface Program {
  readonly name: string;
  /** Its package in Debian. */
  readonly package: string;
  /** The variable that says where it is, and where it usually is. */
  readonly variable: string;
  readonly places: readonly string[];
  /** What is skipped without it. */
  readonly tests: string;
}

const chromium: Program = {
  name: 'Chromium',
  package: 'chromium',
  variable: 'CHROMIUM',
  places: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  tests: 'Tests in a browser',
};
const nginx: Program = {
  name: 'nginx',
  package: 'nginx-light',
  variable: 'NGINX',
  places: ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'],
  tests: 'Tests behind a proxy',
};
/** Milliseconds for a package and all it needs. */
const longest = 600_000;

export async function setup(project: TestProject): Promise<void> {
  await buildWeb();
  project.provide('chromium', found(chromium) ?? fetched(chromium) ?? '');
  project.provide('nginx', found(nginx) ?? fetched(nginx) ?? '');
}

function found({ variable, places }: Program): string | undefined {
  return [process.env[variable] ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

function fetched(program: Program): string | undefined {
  const { name, variable } = program;
  if (process.getuid?.() !== 0) return skipped(program, 'it is not installed, and only root can install it');
  if (!existsSync('/usr/bin/apt-get'))
    return skipped(program, 'it is not installed, and there is no apt-get');
  process.stderr.write(`${name} is not installed: fetching it with apt-get …\n`);
  const install = ['install', '--yes', '--no-install-recommends', program.package];
  const failure = aptGet(install) && (aptGet(['update']) || aptGet(install));
  const why = failure || `apt-get installed it somewhere else; say where in ${variable}`;
  return found(program) ?? skipped(program, why);
}

/** What went wrong, or nothing. Where somebody else installs just now it is waited for. */
function aptGet(words: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const patient = ['-o', 'DPkg::Lock::Timeout=300', ...words];
  const { status, stderr, error } = spawnSync('apt-get', patient, {
    env,
    encoding: 'utf8',
    timeout: longest,
  });
  if (status === 0) return '';
  return `apt-get ${words[0]} failed (${error?.message ?? stderr.trim().split('\n').at(-1)})`;
}

function skipped({ name, tests }: Program, why: string): undefined {
  process.stderr.write(`${tests} are SKIPPED, since there is no ${name}: ${why}.\n`);
}
