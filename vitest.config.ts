import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { isImpatient } from './test/mutants/impatient.ts';
import { mutantPlugin } from './test/mutants/plugin.ts';
import { mutantPool } from './test/mutants/pool.ts';

const plugins = [mutantPlugin()];
const setupFiles = ['test/same-seed.ts', 'test/patient.ts'];

/** How long a test waits for a state that does not come; of mutants that is what is expected. Milliseconds. */
const wait = isImpatient ? 5_000 : 60_000;

/**
 * Threads and processes of the tests run TypeScript as it stands. Each would strip its types again, with WebAssembly that
 * takes a quarter of a second to begin, and that has crashed V8 once in thousands of threads that came and went.
 */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'vitrine-compile-cache'), PATIENCE: String(wait) };

/** Only what hangs takes this long, on however busy a machine. Milliseconds. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: wait } } };

/** Files that find nothing of each other share a process; where mutants are judged, each finds everything as it is at first. */
const shared = isImpatient ? { isolate: true, pool: mutantPool(true) } : { isolate: false };
const own = isImpatient ? { pool: mutantPool(false) } : {};

/** Tests that wait for processes, threads and disks: too slow for `npm run check`, part of `npm test`. */
const edges = [
  'src/stores/{sqlite*,folder/*,sqlite/*}.test.ts',
  'src/tools/{code,killable}/*.test.ts',
  'src/tools/mcp/{mcp,call,http,stdio}.test.ts',
  'src/{cli,program,server}/**/*.test.ts',
  'src/gateways/*/{a2a,chain}.test.ts',
  'demo/**/*.test.ts',
];

/** Of these, the ones that look at their own process: its environment, its folder, its memory, its threads. */
const alone = [
  'src/cli/**/*.test.ts',
  'src/tools/{code,killable}/*.test.ts',
  'src/tools/mcp/stdio.test.ts',
  'src/server/routes/large-files.test.ts',
];

/** Folders with no clock, no timer and no state of their own: their tests find nothing of each other in the same process. */
const pure = [
  'src/{run,wire,schema,graph,catalog,policies,guards,projections}/**/*.test.ts',
  'src/{engine,flows,front,worker}/**/*.test.ts',
];

export default defineConfig({
  test: {
    fsModuleCache: true,
    // Four tenths of the time a scenario waits: for a disk, a timer, or a peer that is slow on purpose.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        plugins,
        test: {
          name: 'unit',
          ...shared,
          env,
          setupFiles,
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...configDefaults.exclude, ...edges, ...pure],
          ...patience,
        },
      },
      // To begin a process for each file, and to read the same modules again, took half of their time.
      { plugins, test: { name: 'pure', ...shared, env, setupFiles, include: pure, ...patience } },
      {
        plugins,
        test: {
          name: 'edges',
          ...shared,
          unstubEnvs: true,
          env,
          setupFiles,
          include: edges,
          exclude: [...configDefaults.exclude, ...alone],
          ...patience,
        },
      },
      { plugins, test: { name: 'alone', ...own, env, setupFiles, include: alone, ...patience } },
      {
        plugins,
        test: {
          name: 'scenarios',
          ...shared,
          unstubEnvs: true,
          env,
          setupFiles,
          include: ['test/scenarios/**/*.test.ts'],
          globalSetup: 'test/fetch-packages.ts',
          ...patience,
        },
      },
      { test: { name: 'mutants', env, ...patience, include: ['test/mutants/**/*.test.ts'] } },
    ],
  },
});
