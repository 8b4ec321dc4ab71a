import { defineConfig } from 'vitest/config';
import { mutantPlugin } from './test/mutants/plugin.ts';

const plugins = [mutantPlugin()];

export default defineConfig({
  test: {
    // A mutant's code must never be kept for the next run.
    fsModuleCache: process.env['MUTANT'] === undefined,
    projects: [
      { plugins, test: { name: 'unit', include: ['src/**/*.test.ts', 'test/architecture.test.ts'] } },
      {
        plugins,
        test: { name: 'scenarios', include: ['test/scenarios/**/*.test.ts'], testTimeout: 120_000 },
      },
      { test: { name: 'mutants', include: ['test/mutants/**/*.test.ts'] } },
    ],
  },
});
