import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { leftOut } from './test/support/left-out.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const root = fileURLToPath(new URL('./', import.meta.url));
const source = (path: string): string => `${root}src/${path}`;

/**
 * Runs compiled modules in place of the sources: Node loads one in a tenth of the time. `npm test` asks for
 * it, after its build.
 */
const built: NonNullable<ViteUserConfig['plugins']>[number] = {
  name: 'built',
  enforce: 'pre',
  async resolveId(id, importer, options) {
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    if (found?.id.startsWith(source('')) !== true) return found;
    return found.id.replace(source(''), `${root}build/`).replace(/\.ts$/, '.js');
  },
};

/**
 * Test files that need a process of their own. All others share one, and with it the modules, which
 * take longer to load than most files take to run. The first reason that holds is enough; one that
 * belongs here and is not fails in `test/support/shared-process.ts`, which says why.
 */
const alone = [
  // They start processes: Chromium, redis, Node, or what only root may.
  'test/acceptance/{crawl,packed,replay,scrape}.test.ts',
  'test/acceptance/browser*.test.ts',
  'test/browser/{act,actions,branding,chromium}/**',
  'test/entries/agents/ai/**',
  'test/entries/cli/**',
  'test/core/jobs/matrix/**',
  'test/durability/**',
  'test/examples/**',
  'test/entries/export/report-page.test.ts',
  'test/entries/fleet/**',
  'test/{core,entries}/storage/**',
  'test/core/fetch/fetch-page.test.ts',
  'test/core/fetch/rendering/mixed-pages.test.ts',
  'test/public-api.test.ts',
  'test/install/**',
  // They weigh the process, look at its events, or give it other streams, variables or globals
  // (pdf.js adds what an older Node lacks).
  'test/acceptance/cache.test.ts',
  'test/content/clean/main-content-adapters.test.ts',
  'test/core/fetch/rendering/rendering-signal.test.ts',
  'test/core/frontier/queue/crawlee.test.ts',
  'test/core/http/http-{bodies,zstd}.test.ts',
  'test/core/http/{stealth*,sent-bodies,proxies/environment-proxy}.test.ts',
  'test/core/hooks/challenges.test.ts',
  'test/hostile/**',
  'test/entries/agents/loaders/**',
  'test/content/parsers/parse-snapshot.test.ts',
  'test/documents/pdf/**',
  'test/core/page/**',
  'test/core/telemetry/**',
  'test/entries/opentelemetry/**',
];
const tests = 'test/**/*.test.ts';

/**
 * Test files that compare times of a clock, or that fail where a page reacts seconds late. They run last, one at
 * a time, each in a process of its own.
 * One that compares CPU times (`test/support/cpu-time.ts`), or bounds a hang by seconds, is not here.
 */
const timed = [
  'test/acceptance/{browser-,}aborts.test.ts',
  'test/acceptance/browser-repeat.test.ts',
  'test/acceptance/politeness.test.ts',
  'test/browser/actions/{run-actions,scroll-to-end}.test.ts',
  'test/browser/chromium/{blocking/dismiss-consent,durability,settle/page-activity}.test.ts',
  'test/core/http/http-{bodies,time}.test.ts',
  'test/core/fetch/fetch-file.test.ts',
  'test/core/jobs/durable/lease.test.ts',
  'test/entries/testing/behaviours.test.ts',
];

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^pagewright\/storage$/, replacement: source('entries/storage/index.ts') },
      { find: /^pagewright\/search$/, replacement: source('entries/search/index.ts') },
      { find: /^pagewright\/ocr$/, replacement: source('documents/ocr/index.ts') },
      { find: /^pagewright\/testing$/, replacement: source('entries/testing/index.ts') },
      { find: /^pagewright\/fleet$/, replacement: source('entries/fleet/index.ts') },
      { find: /^pagewright\/firecrawl$/, replacement: source('entries/firecrawl/index.ts') },
      { find: /^pagewright\/export$/, replacement: source('entries/export/index.ts') },
      { find: /^pagewright\/ai$/, replacement: source('entries/agents/ai/index.ts') },
      {
        find: /^pagewright\/(langchain|llamaindex)$/,
        replacement: source('entries/agents/loaders/$1.ts'),
      },
      { find: /^pagewright\/crawlee$/, replacement: source('entries/crawlee.ts') },
      {
        find: /^pagewright\/opentelemetry$/,
        replacement: source('entries/opentelemetry/index.ts'),
      },
      { find: /^pagewright$/, replacement: source('index.ts') },
      // A worker cannot load TypeScript: it runs what was built.
      {
        find: /^\.\/worker-file\.ts$/,
        replacement: fileURLToPath(new URL('./test/support/built-worker-file.ts', import.meta.url)),
      },
    ],
  },
  plugins: process.env['PAGEWRIGHT_TEST_BUILT'] === undefined ? [] : [built],
  test: {
    server: { deps: { external: [/\/(?:build|dist)\/.*\.js$/] } },
    // A hang ends there. On a machine that others use too, children alone may take 30 s to start.
    testTimeout: process.env['CI'] === undefined ? 30_000 : 90_000,
    pool: 'forks',
    runner: `${root}test/support/ring-runner.ts`,
    // Three even on two cores: a third of the time, a test waits for something.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Deadlines are met on a machine that others use too; what needs its second try is told.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: alone.map(testsOf), exclude: [...timed, ...leftOut.files] },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: [tests],
          exclude: [...alone, ...timed, ...leftOut.files],
          isolate: false,
          setupFiles: ['test/support/shared-process.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: timed,
          exclude: [...leftOut.files],
          maxWorkers: 1,
          sequence: { sequencer: LongestFirst, groupOrder: 1 },
        },
      },
    ],
  },
});

/** The test files of a folder, or the file. */
function testsOf(pattern: string): string {
  return pattern.replace(/\*\*$/, '**/*.test.ts');
}

export default config;
