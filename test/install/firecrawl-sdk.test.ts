/**
 * `pagewright/firecrawl` beside the SDK whose place it takes: the SDK's types, the examples of its README and its
 * end-to-end tests, on sites from disk. The SDK comes from the npm registry, and nothing that it needs.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SdkError } from 'pagewright/firecrawl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { requireBuild } from '../entries/cli/run-pagewright.ts';
import { FixtureFirecrawl } from '../entries/firecrawl/open-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pagewright-firecrawl-'));
const sdk = join(folder, 'node_modules/@mendable/firecrawl-js');
const run = promisify(execFile);

beforeAll(async () => {
  requireBuild();
  mkdirSync(sdk, { recursive: true });
  const words = ['pack', '@mendable/firecrawl-js@4.42.0', '--silent', '--ignore-scripts'];
  const { stdout } = await run('npm', words, { cwd: folder });
  await run('tar', ['-xzf', stdout.trim(), '-C', sdk, '--strip-components=1'], { cwd: folder });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('its types: parameters of the SDK are parameters here, results here are results of the SDK', async () => {
  for (const [name, place] of [
    ['zod', join(root, 'node_modules/zod')],
    ['@types/node', join(root, 'node_modules/@types/node')],
    ['pagewright', root],
  ] as const) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(place, join(folder, 'node_modules', name), 'dir');
  }
  const check = readFileSync(new URL('firecrawl-sdk-types.mts.txt', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'check.mts'), check);
  const wrong = check.replace('timeout: theirs.timeout,', 'timeout: String(theirs.timeout),');
  expect(wrong).not.toBe(check);
  writeFileSync(join(folder, 'wrong.mts'), wrong);
  const compile = async (file: string): Promise<string> => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options =
      '--noEmit --strict --target es2023 --module nodenext --skipLibCheck --types node';
    const words = [tsc, ...options.split(' '), '--preserveSymlinks', file];
    return run(process.execPath, words, { cwd: folder }).then(
      () => 'fits',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  };
  expect(await compile('check.mts')).toBe('fits');
  expect(await compile('wrong.mts')).toMatch(/wrong\.mts.*'string' is not assignable/);
}, 120_000);

describe('its README', () => {
  /** The end of blocks that need the service, by words of the block. */
  const refusals = new Map([
    ['app.v1.', /v1 is not available here/],
    ["formats: ['video']", /The format video is not available here/],
    ["formats: ['menu']", /The format menu is not available here/],
    ['developerSearch', /developerSearch\(\) is not available here/],
    ['research.searchPapers', /research\.searchPapers\(\) is not available here/],
    ['app.interact', /interact\(\) is not available here|actions/],
    ['domainTools: true', /domainTools is not available here/],
    ['capability: "podcasts', /alexandria is not available here/],
  ]);

  test('each example runs, or says what is not available', async () => {
    const readme = readFileSync(join(sdk, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```(?:js|ts)\n([^]*?)^```/gm)].map(
      ([, code = '']) => code,
    );
    expect(blocks).toHaveLength(23);
    const app = new FixtureFirecrawl();
    const { id } = await app.startCrawl('https://example.com', { limit: 1 });
    const met = new Set<string>();
    for (const block of blocks) {
      const words = [...refusals.keys()].find((key) => block.includes(key));
      const ended = execute(block, { app, id });
      if (words === undefined) {
        await ended;
        continue;
      }
      met.add(words);
      const error: unknown = await ended.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SdkError);
      expect((error as SdkError).message).toMatch(refusals.get(words) ?? '');
    }
    expect(met.size).toBe(refusals.size);
  });

  /** Runs a block. Its import is the class over sites from disk. */
  async function execute(block: string, names: Readonly<Record<string, unknown>>): Promise<void> {
    const given = {
      Firecrawl: FixtureFirecrawl,
      firecrawl: names['app'],
      console: { log: () => undefined, error: () => undefined },
      z,
      ...names,
    };
    const code = block.replaceAll(/^import .*$/gm, '');
    const AsyncFunction = Object.getPrototypeOf(execute).constructor as FunctionConstructor;
    const program = new AsyncFunction(...Object.keys(given), `{ ${code} }`);
    await (program(...Object.values(given)) as Promise<void>);
  }
});

describe('its end-to-end tests', () => {
  const docs = 'https://docs.firecrawl.dev';
  const site = 'https://firecrawl.dev';
  const client = new FixtureFirecrawl({ apiKey: 'fc-KEY', apiUrl: 'https://api.firecrawl.dev' });
  const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  const states = ['scraping', 'completed', 'failed', 'cancelled'];

  test('scrape', async () => {
    const all = await client.scrape(docs, {
      formats: [
        'markdown',
        'html',
        'rawHtml',
        'links',
        { type: 'json', prompt: 'Read', schema: title },
      ],
      parsers: ['pdf'],
      headers: { 'User-Agent': 'firecrawl-tests' },
      includeTags: ['main'],
      excludeTags: ['nav'],
      onlyMainContent: true,
      timeout: 30_000,
      location: { country: 'us', languages: ['en'] },
      mobile: false,
      skipTlsVerification: false,
      removeBase64Images: true,
      blockAds: true,
      proxy: 'auto',
      storeInCache: true,
      maxAge: 60_000,
    });
    expect(
      [all.markdown, all.html, all.rawHtml, all.links?.length, all.metadata].every(Boolean),
    ).toBe(true);
    expect(all.json).toEqual({ title: 'Turn websites into data' });
    await expect(client.scrape('')).rejects.toThrow('URL cannot be empty');
    await expect(client.scrape('   ')).rejects.toThrow('URL cannot be empty');
  });

  test('crawl', async () => {
    const start = await client.startCrawl(docs, { limit: 3 });
    const status = await client.getCrawlStatus(start.id);
    expect(states).toContain(status.status);
    expect(status.id).toBe(start.id);
    expect(await client.cancelCrawl(start.id)).toBe(true);
    await expect(client.getCrawlErrors('invalid-job-id-12345')).rejects.toThrow();
    const job = await client.crawl(docs, { limit: 3, maxDiscoveryDepth: 2 });
    expect(job).toMatchObject({ status: 'completed', data: { length: 3 } });
    const errors = await client.getCrawlErrors(job.id);
    expect(errors).toEqual({ errors: [], robotsBlocked: [] });
    const everything = await client.startCrawl(docs, {
      includePaths: ['/blog/*', '/docs/*'],
      excludePaths: ['/admin/*'],
      maxDiscoveryDepth: 3,
      sitemap: 'skip',
      ignoreQueryParameters: true,
      limit: 5,
      crawlEntireDomain: true,
      allowExternalLinks: false,
      allowSubdomains: true,
      delay: 1,
      maxConcurrency: 2,
      webhook: 'https://example.com/hook',
      scrapeOptions: {
        formats: ['markdown', 'html'],
        headers: { 'User-Agent': 'Test Bot' },
        includeTags: ['h1', 'h2'],
        excludeTags: ['nav'],
        onlyMainContent: false,
        timeout: 15_000,
        skipTlsVerification: true,
        removeBase64Images: false,
      },
      zeroDataRetention: false,
    });
    expect(await client.cancelCrawl(everything.id)).toBe(true);
  });

  test('batch', async () => {
    const job = await client.batchScrape([docs, site], {
      options: {
        formats: [
          'markdown',
          { type: 'json', prompt: 'Extract page title', schema: title },
          { type: 'changeTracking', modes: ['git-diff'] },
        ],
        onlyMainContent: true,
        mobile: false,
      },
      ignoreInvalidURLs: true,
      maxConcurrency: 2,
      zeroDataRetention: false,
      pollInterval: 1,
      timeout: 180,
    });
    expect(job).toMatchObject({ status: 'completed', completed: 2, total: 2, data: { length: 2 } });
    expect(job.data[0]?.changeTracking).toMatchObject({ changeStatus: 'new' });
  });

  test('map', async () => {
    for (const sitemap of ['only', 'skip', 'include'] as const) {
      const options = {
        search: 'post',
        includeSubdomains: true,
        limit: 10,
        sitemap,
        timeout: 15_000,
      };
      const { links } = await client.map(docs, options);
      expect(links.every(({ url }) => url.startsWith('http'))).toBe(true);
      expect(links.length > 0).toBe(sitemap !== 'only');
    }
  });

  test('search', async () => {
    const results = await client.search('firecrawl', { sources: ['web', 'news'], limit: 3 });
    expect(results.web?.length).toBeLessThanOrEqual(3);
    expect(results.news?.length).toBeLessThanOrEqual(3);
    expect(results.images).toBeUndefined();
    const scraped = await client.search('python', {
      limit: 1,
      scrapeOptions: { formats: ['markdown', 'summary'] },
    });
    expect(scraped.web?.[0]).toHaveProperty('markdown');
  });

  test('extract', async () => {
    const { id = '' } = await client.startExtract({
      urls: [docs],
      prompt: 'The title',
      schema: title,
    });
    await expect.poll(async () => (await client.getExtractStatus(id)).status).toBe('completed');
    expect((await client.getExtractStatus(id)).data).toEqual({ title: 'Turn websites into data' });
  });
});
