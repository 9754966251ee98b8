/** What users import: the values of both entry points as built, and their types as reported. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Values only; the types are in docs/public-api.md. */
const exported: Readonly<Record<string, readonly string[]>> = {
  pagewright: [
    'ActionError',
    'ExtractError',
    'MissingDependencyError',
    'PagewrightError',
    'ValidationError',
    'aiSdkModel',
    'batchScrape',
    'crawl',
    'createClient',
    'createProxy',
    'defineAction',
    'defineConfig',
    'defineFormat',
    'diffMarkdown',
    'extract',
    'fileStore',
    'map',
    'memoryStore',
    'openAiModel',
    'parse',
    'plan',
    'previewCrawl',
    'scrape',
    'search',
    'turndownMarkdown',
    'verifyWebhook',
  ],
  'pagewright/ai': ['createWebTools', 'markPageText'],
  'pagewright/crawlee': ['fromCrawlee', 'memoryRequestQueue', 'toCrawlee'],
  'pagewright/export': [
    'parseLlmsTxt',
    'readJsonl',
    'readLlmsTxt',
    'readMarkdownFolder',
    'readWarc',
    'writeCsv',
    'writeHar',
    'writeJson',
    'writeJsonl',
    'writeLlmsTxt',
    'writeMarkdownFolder',
    'writeParquet',
    'writeReport',
    'writeWarc',
  ],
  'pagewright/firecrawl': [
    'Firecrawl',
    'FirecrawlApp',
    'FirecrawlClient',
    'JobTimeoutError',
    'SdkError',
    'Watcher',
    'default',
  ],
  'pagewright/fleet': ['fleet', 'startWorker'],
  'pagewright/ocr': ['tesseractOcr'],
  'pagewright/opentelemetry': ['instrumentPagewright'],
  'pagewright/langchain': ['PagewrightLoader'],
  'pagewright/llamaindex': ['PagewrightReader'],
  'pagewright/search': ['braveSearch', 'exa', 'searxng', 'tavily'],
  'pagewright/storage': ['keyvStore', 'redisStore', 's3Store', 'sqliteStore', 'unstorageStore'],
  'pagewright/testing': [
    'challenge',
    'drip',
    'emptyBody',
    'endless',
    'endlessHeaders',
    'engineConformance',
    'fakeClock',
    'fixturesEngine',
    'flaky',
    'formatConformance',
    'garbage',
    'gzipBomb',
    'hang',
    'huge',
    'latency',
    'linkedSite',
    'modelTurn',
    'networkEngineConformance',
    'openRecording',
    'openReplay',
    'openSite',
    'raw',
    'recordModel',
    'redirectLoop',
    'redirectTo',
    'replayModel',
    'requestQueueConformance',
    'reset',
    'scriptedModel',
    'seededRandom',
    'serve',
    'slowHeaders',
    'status',
    'storeConformance',
    'truncated',
    'wrongCharset',
  ],
};

describe('the built package, imported by its name', () => {
  test.each(Object.entries(exported))('%s exports these values', async (name, names) => {
    const printed = await node(
      '--input-type=module',
      '--eval',
      `console.log(JSON.stringify(Object.keys(await import('${name}')).sort()))`,
    );
    expect(JSON.parse(printed)).toEqual(names);
  });

  test('CommonJS gets the same values through require', async () => {
    const program = `const names = (entry) => [entry, Object.keys(require(entry)).sort()];
      console.log(JSON.stringify(Object.fromEntries(${JSON.stringify(Object.keys(exported))}.map(names))));`;
    const printed = await node('--input-type=commonjs', '--eval', program);
    expect(JSON.parse(printed)).toEqual(exported);
  });

  test('the main entry has at most 131 types', () => {
    const report = readFileSync(join(root, 'docs/public-api.md'), 'utf8');
    const [, main = ''] = report.split(/^## /m);
    const values = exported['pagewright'] ?? [];
    const names = [...main.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
    expect(names.filter((name) => !values.includes(name)).length).toBeLessThanOrEqual(131);
  });

  test('docs/public-api.md is what the built types say', async () => {
    expect(await node('docs/api-report.mjs', '--check')).toMatch(/up to date/);
  });
});

/** Runs Node in the project, where `pagewright` is the built package itself: `npm run build` first. */
async function node(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return stdout;
}
