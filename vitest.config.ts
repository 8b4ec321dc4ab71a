import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'test/architecture.test.ts'] } },
      { test: { name: 'scenarios', include: ['test/scenarios/**/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
});
