import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './architecture.ts';
import { moduleFacts } from './module-facts.ts';

const root = new URL('..', import.meta.url).pathname;
const files = globSync('{src,demo,web/src,test,bench,scripts,examples}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
});
const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
const packages = Object.keys({ ...dependencies, ...peerDependencies });

test('every file imports, names and times as the table allows', () => {
  const sources = files.map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
  expect(sources.flatMap((source) => violations(source, packages))).toEqual([]);
});

test('the files were found', () => {
  const all = [
    'src/run/entries.ts',
    'src/stores/store.ts',
    'src/gateways/gateway.ts',
    'test/architecture.ts',
  ];
  expect(files).toEqual(expect.arrayContaining(all));
  expect(files.filter((path) => path.startsWith('src/')).length).toBeGreaterThan(12);
});

test('the thread of a database loads no schemas: every folder that is opened starts two', () => {
  const loaded = loadedBy('src/stores/sqlite/sqlite.worker.ts');
  expect(loaded).toContain('src/run/entries.ts');
  expect(loaded).not.toContain('zod');
});

/** Files and packages that are there once a file has been loaded. */
function loadedBy(path: string, loaded = new Set<string>()): readonly string[] {
  loaded.add(path);
  for (const { name, isType } of moduleFacts({ path, text: readFileSync(root + path, 'utf8') }).imports) {
    if (isType || name === undefined) continue;
    const next = name.startsWith('.') ? join(path, '..', name) : name;
    if (loaded.has(next)) continue;
    if (name.startsWith('.')) loadedBy(next, loaded);
    else loaded.add(name);
  }
  return [...loaded];
}

const allowed: [path: string, text: string][] = [
  ['src/run/a.ts', `import { z } from 'zod'; import { b } from './b.ts';`],
  [
    'src/policies/standard.ts',
    `import type { RunTree } from '../run/tree.ts'; import { p } from './policy.ts';`,
  ],
  ['src/wire/ag-ui.ts', `import type { Event } from 'undici'; import { type A } from 'undici';`],
  ['src/wire/native/runs.ts', `import { z } from 'zod'; import { FlatTree } from '../../run/flat-tree.ts';`],
  [
    'src/client/a.ts',
    `import { listRuns } from '../wire/native/runs.ts'; import { b } from '../wire/sse.ts';`,
  ],
  ['src/catalog/agent.ts', `import type { Gateway } from '../gateways/gateway.ts';`],
  [
    'src/gateways/dial/dial.ts',
    `import { request } from 'undici'; import { sse } from '../wire/sse.ts'; setTimeout(f);`,
  ],
  [
    'src/stores/sqlite.ts',
    `import { Worker } from 'node:worker_threads'; export * from './rules.ts'; Date.now();`,
  ],
  [
    'src/engine/run.ts',
    `import type { Store } from '../stores/store.ts'; import { createHash } from 'node:crypto';`,
  ],
  [
    'src/engine/time/clock.ts',
    `clock.setTimeout(f); const c = { setTimeout: 1 }; type T = typeof setTimeout;`,
  ],
  ['src/engine/time/time.ts', `new Date(at).toISOString(); interface C { setTimeout(f: () => void): void }`],
  ['src/engine/tool.worker.ts', `setTimeout(f, 5);`],
  ['src/flows/coordinate/coordinate.ts', `import type { Scope } from '../engine/scope.ts';`],
  [
    'src/server/compose/compose.ts',
    `import { sqlite } from '../stores/sqlite.ts'; import { s } from '../stores/store.ts';`,
  ],
  ['src/server/compose/config.ts', `const config = await import(path);`],
  ['src/server/runs/files.ts', `import { blobName } from '../../stores/blob-name.ts';`],
  [
    'src/index.ts',
    `export { memoryStore } from './stores/memory.ts'; export { fold } from './run/entries.ts';`,
  ],
  [
    'src/stores/memory.test.ts',
    `import { test } from 'vitest'; import { engine } from '../engine/engine.ts';`,
  ],
  [
    'demo/vitrine.config.ts',
    `import { defineConfig } from '../src/index.ts'; import { sse } from '../src/wire/sse.ts';`,
  ],
  ['src/react/a.tsx', `import { useState } from 'react'; import type { Client } from '../client/client.ts';`],
  [
    'web/src/live/tree.tsx',
    `import { fold } from '../../../src/run/entries.ts'; import { useState } from 'react';`,
  ],
];
test.for(allowed)('allowed: %s with %s', ([path, text]) => {
  expect(violations({ path, text }, packages)).toEqual([]);
});

const planted: [path: string, text: string, why: string][] = [
  ['src/run/a.ts', `import { sse } from '../wire/sse.ts';`, 'run may import nothing'],
  ['src/run/a.ts', `export * from '../engine/scope.ts';`, 'run may import nothing'],
  ['src/wire/ag-ui.ts', `import { fold } from '../run/entries.ts';`, 'wire may import nothing'],
  ['src/wire/ag-ui.ts', `import { listRuns } from './native/runs.ts';`, 'wire may import nothing'],
  ['src/wire/native/runs.ts', `import { b } from '../../server/app.ts';`, 'wire/native may import run'],
  ['src/gateways/dial/a.ts', `import { listRuns } from '../../wire/native/runs.ts';`, 'gateways may import'],
  ['src/run/a.ts', `export { scope } from '../engine/scope.ts';`, 'run may import nothing'],
  ['src/run/a.ts', `const m = await import('../engine/scope.ts');`, 'run may import nothing'],
  ['src/run/a.ts', `type S = import('../engine/scope.ts').Scope;`, 'run may import nothing'],
  ['src/run/a.ts', `import { createHash } from 'node:crypto';`, 'a browser does not have'],
  ['src/run/a.ts', `import type { Buffer } from 'node:buffer';`, 'a browser does not have'],
  ['src/run/a.ts', `import { request } from 'undici';`, 'uses zod only'],
  ['src/run/a.ts', `import { type A, request } from 'undici';`, 'uses zod only'],
  ['src/run/a.ts', `import 'undici';`, 'uses zod only'],
  ['src/run/a.ts', `const m = await import(name);`, 'imports something computed'],
  ['src/run/a.ts', `const m = require('./b.ts');`, 'imports something computed'],
  ['src/run/a.ts', `import { test } from './a.test.ts';`, 'not part of the product'],
  ['src/run/a.ts', `import { any } from '../../test/arbitraries.ts';`, 'not part of the product'],
  ['src/stores/store.ts', `import { agent } from '../catalog/agent.ts';`, 'a port file imports run only'],
  ['src/stores/store.ts', `import { rules } from './rules.ts';`, 'a port file imports run only'],
  ['src/tools/tool.ts', `import { readFile } from 'node:fs';`, 'a browser does not have'],
  ['src/stores/sqlite.ts', `import { g } from '../gateways/gateway.ts';`, 'stores may import run'],
  ['src/engine/run.ts', `import { sqlite } from '../stores/sqlite.ts';`, 'only compose.ts may name'],
  ['src/server/routes.ts', `import { sqlite } from '../stores/sqlite.ts';`, 'only compose.ts may name'],
  ['src/flows/a.ts', `import { mirror } from '../engine/mirror.ts';`, 'flows may import run, wire, catalog'],
  ['src/cli/main.ts', `import { engine } from '../engine/engine.ts';`, 'cli may import run, wire'],
  ['src/cli/main.ts', `import { build } from 'vite';`, 'vite, which is not in the dependencies'],
  ['src/cli/main.ts', `import type { A } from '@types/x/y';`, '@types/x, which is not in the dependencies'],
  ['src/plugins/a.ts', ``, 'not in the table: plugins'],
  ['demo/agent.ts', `import { engine } from '../src/engine/engine.ts';`, 'demo may import wire'],
  [
    'web/src/a.tsx',
    `import { serve } from '../../src/server/serve.ts';`,
    'web may import run, wire, wire/native, client, react',
  ],
  ['src/react/a.tsx', `import { ask } from '../wire/sse.ts';`, 'react may import run, client'],
  ['src/react/a.tsx', `import { readFile } from 'node:fs';`, 'a browser does not have'],
  ['src/run/a.ts', `const now = Date.now();`, 'uses Date.now:'],
  ['src/run/a.ts', `const now = Date['now']();`, 'uses Date.now:'],
  ['src/run/a.ts', `const now = new Date();`, 'uses new Date():'],
  ['src/run/a.ts', `const now = Date();`, 'uses Date():'],
  ['src/wire/a.ts', `Math.random();`, 'uses Math.random:'],
  ['src/projections/a.ts', `const wait = setTimeout;`, 'uses setTimeout:'],
  ['src/engine/a.ts', `globalThis.setInterval(f, 1);`, 'uses globalThis.setInterval:'],
  ['src/engine/a.ts', `const clock = { setTimeout };`, 'uses setTimeout:'],
  ['src/engine/a.ts', `import { setTimeout as wait } from 'node:timers/promises';`, 'no timers'],
  ['src/flows/a.ts', `AbortSignal.timeout(5);`, 'uses AbortSignal.timeout:'],
  ['src/projections/a.ts', `crypto.randomUUID();`, 'uses crypto.randomUUID:'],
  ['src/run/runTree.ts', ``, 'kebab-case'],
  ['src/run/types.ts', ``, 'says «types»'],
  ['src/run/string-utils.ts', ``, 'says «utils»'],
  ['test/helpers/a.ts', ``, 'says «helpers»'],
  ['src/run/index.ts', ``, 'is an index'],
];
test.for(planted)('refused: %s with %s', ([path, text, why]) => {
  expect(violations({ path, text }, packages).join('\n')).toContain(why);
});

test('a file that cannot be read is not passed over', () => {
  expect(() => violations({ path: 'src/run/a.ts', text: 'import {' }, packages)).toThrow(SyntaxError);
});
