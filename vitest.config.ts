import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^pagewright\/testing$/, replacement: source('testing/index.ts') },
      { find: /^pagewright\/export$/, replacement: source('export/index.ts') },
      { find: /^pagewright\/crawlee$/, replacement: source('crawlee.ts') },
      { find: /^pagewright$/, replacement: source('index.ts') },
      // A thread cannot load TypeScript: it runs what was built.
      {
        find: /^\.\/thread-file\.ts$/,
        replacement: fileURLToPath(new URL('./test/support/built-thread-file.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // One less than the cores would leave most of a small machine idle: half of the tests wait for something.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Deadlines are met on a machine that others use too; what needs its second try is told.
    retry: process.env['CI'] === undefined ? 0 : 1,
  },
});

export default config;
