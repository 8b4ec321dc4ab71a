#!/usr/bin/env node
// Plain JavaScript, because every Node must be able to read it: one that is too old hands over to the pinned one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

if (isNewEnough(process.versions.node)) {
  // Half of what a short command takes is reading the same sources again.
  module.enableCompileCache();
  await import(program());
} else handOver(pinnedNode());

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** A checkout runs its sources, so that what an earlier build left behind is never run; the package has only the build. */
function program() {
  const source = new URL('../src/cli/main.ts', import.meta.url);
  return existsSync(source) ? source.href : new URL('../dist/src/cli/main.js', import.meta.url).href;
}

function pinnedNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    console.error(
      `Vitrine needs Node 22.18 or newer, and this is ${process.versions.node}. ` +
        `Without installing anything: npx -y -p node@24 -- node ${self}`,
    );
    process.exit(1);
  }
}

function handOver(node) {
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('error', (error) => {
    console.error(`The pinned Node at ${node} does not start (${error.message}). Run npm ci again.`);
    process.exit(1);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both of us; passed on, it would count twice, and the second one means «at once».
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
