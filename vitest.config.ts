import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^pagewright\/testing$/, replacement: source('testing/index.ts') },
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
  },
});

export default config;
