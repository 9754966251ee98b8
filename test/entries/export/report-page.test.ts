/** The page of a report in Chromium, opened from disk. Starting the browser takes seconds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlJob, JobProgress, PlainDocument, SkippedUrl } from 'pagewright';
import { type ReportedJob, writeReport } from 'pagewright/export';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { page as documentOf } from './documents.ts';
import {
  hostileTitles,
  quietClient,
  readReport,
  reportedCrawl,
  serveReportedSite,
} from './reported-site.ts';

let browser: Browser;
let folder: string;
/** The report of a crawl of the fixture site, and what the job said. */
let file: string;
let progress: JobProgress;
let skips: SkippedUrl[];
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pagewright-report-'));
  file = join(folder, 'report.html');
  await using site = await serveReportedSite();
  ({ origin } = site);
  await using client = quietClient();
  const job: CrawlJob<PlainDocument> = client.crawl(origin, reportedCrawl);
  await writeReport(job, file);
  progress = job.progress;
  skips = job.skipped();
  browser = await launchChromium();
}, 60_000);
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the report; `problems` are errors and everything that the page wrote on its console. */
async function open(
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] } & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) problems.push(`request of ${request.url()}`);
  });
  await page.goto(`file://${path}`);
  await page.waitForSelector('html[data-ready]');
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

const urlsIn = (page: Page): Promise<string[]> =>
  page.locator('tbody .open').evaluateAll((all) => all.map((one) => (one as HTMLElement).title));
const found = (page: Page): Promise<string | null> => page.locator('.found').textContent();

describe('the page of a report', () => {
  test('shows the numbers of the job, and nothing goes wrong', async () => {
    await using opened = await open(file);
    const { page, problems } = opened;
    const tile = (name: string) =>
      page.locator('.tile', { hasText: name }).locator('dd').first().textContent();
    expect(await tile('Pages')).toBe(String(progress.completed));
    expect(await tile('Failed')).toBe(String(progress.failed));
    expect(await tile('Skipped')).toBe(String(progress.skipped));
    expect(await tile('Requests')).toBe(String(progress.usage.requests));
    expect(await found(page)).toBe('12 of 12 URLs');
    expect(await page.locator('table').getAttribute('aria-rowcount')).toBe('13');
    const tree = await page.locator('.tree').textContent();
    expect(tree).toContain('docs22 pages11 skipped');
    expect(tree).toContain('elsewhere.test');
    expect(problems).toEqual([]);
  });

  test('finds, filters and sorts', async () => {
    await using opened = await open(file);
    const { page, problems } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('pilots harbour');
    await expect.poll(() => found(page)).toBe('1 of 12 URLs');
    expect(await urlsIn(page)).toEqual(['/docs/pilots']);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: /^Skipped/ }).click();
    expect(await urlsIn(page)).toHaveLength(skips.length);
    await page.getByLabel('Reason or code').selectOption('DUPLICATE_CONTENT');
    expect(await urlsIn(page)).toEqual(['/docs/tides-again']);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByRole('button', { name: /^HTTP_STATUS 404/ }).click();
    expect(await urlsIn(page)).toEqual(['/gone']);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByRole('button', { name: 'Show the URLs below docs in the table' }).click();
    expect((await urlsIn(page)).sort()).toEqual([
      '/docs/pilots',
      '/docs/tides',
      '/docs/tides-again',
    ]);
    await page.getByRole('button', { name: 'Page', exact: true }).click();
    expect(await urlsIn(page)).toEqual(['/docs/pilots', '/docs/tides', '/docs/tides-again']);
    await page.getByRole('button', { name: 'Page', exact: true }).click();
    expect((await urlsIn(page))[0]).toBe('/docs/tides-again');
    expect(problems).toEqual([]);
  });

  test('tells everything about a URL, by the keyboard too', async () => {
    await using opened = await open(file);
    const { page, problems } = opened;
    await page.locator('tbody .open').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('Harbour guide');
    expect(await dialog.locator('a').first().getAttribute('rel')).toBe('noopener noreferrer');
    await dialog.getByRole('button', { name: 'Show the URLs found on this page' }).click();
    await expect.poll(() => found(page)).toBe('11 of 12 URLs');
    await page.locator('tbody .open', { hasText: '/docs/tides' }).first().click();
    expect(await dialog.textContent()).toContain(`1 duplicate${origin}/docs/tides-again`);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    await page.locator('tbody .open', { hasText: '/gone' }).first().click();
    expect(await dialog.textContent()).toMatch(/Kept HTMLjobs\//);
    expect(problems).toEqual([]);
  });

  test('shows hostile titles as text, and links to the web only', async () => {
    const bad = join(folder, 'bad.html');
    const documents = Object.values(hostileTitles).map((title, index) =>
      documentOf(`https://bad.test/${index}?<b>"'&`, { warning: title }, { title, engine: title }),
    );
    const rule = '<svg onload="window.hurt=3">';
    await writeReport(
      jobOf(documents, [
        { url: 'javascript:window.hurt=4', reason: 'PROTOCOL', rule, parent: 'data:text/html,x' },
      ]),
      bad,
      { title: hostileTitles.script },
    );
    await using opened = await open(bad);
    const { page, problems } = opened;
    expect(await page.title()).toContain(hostileTitles.script);
    const names = await page.locator('tbody .name').allTextContents();
    expect(names).toEqual([
      hostileTitles.script,
      hostileTitles.image,
      'one two three',
      'abc gpj.exe',
      rule,
    ]);
    for (const row of await page.locator('tbody .open').all()) {
      await row.click();
      const links = await page
        .locator('dialog a')
        .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
      for (const href of links) expect(href).toMatch(/^https:\/\/bad\.test\//);
      await page.keyboard.press('Escape');
    }
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await page.locator('img, svg[onload]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('runs no script but its own', async () => {
    await using opened = await open(file);
    const { page, problems } = opened;
    const isRefused = await page.evaluate(() => {
      const script = document.createElement('script');
      try {
        script.text = 'window.hurt=1';
        document.body.append(script);
      } catch {
        return true;
      }
      return !('hurt' in window);
    });
    expect(isRefused).toBe(true);
    expect(problems.join()).toContain('TrustedScript');
  });

  test.each([
    ['light', 'rgb(246, 247, 249)', 'rgb(16, 20, 24)'],
    ['dark', 'rgb(16, 20, 24)', 'rgb(246, 247, 249)'],
  ] as const)('is %s where the reader wants it, and the other by a switch', async (...args) => {
    const [colorScheme, first, second] = args;
    await using opened = await open(file, { colorScheme });
    const { page } = opened;
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await paper()).toBe(first);
    await page.getByRole('button', { name: 'Switch theme' }).click();
    expect(await paper()).toBe(second);
  });

  test('fits on a telephone, and on paper', async () => {
    await using opened = await open(file, { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    expect(await overflow()).toBe(0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await urlsIn(page)).toHaveLength(12);
    expect(await page.locator('.filters').isVisible()).toBe(false);
  });

  test('of 10,000 pages and 20,000 skipped URLs is small, and holds the rows in view only', async () => {
    const big = join(folder, 'big.html');
    const url = (index: number): string => `https://big.test/docs/part-${index % 40}/page-${index}`;
    const documents = Array.from({ length: 10_000 }, (_, index) => documentOf(url(index)));
    const left = Array.from({ length: 20_000 }, (_, index): SkippedUrl => ({
      url: `https://big.test/more/${index}`,
      reason: 'LIMIT',
      rule: 'limit: 10000',
      parent: url(index % 10_000),
    }));
    await writeReport(jobOf(documents, left), big);
    expect((await readReport(big)).rows.state).toHaveLength(30_000);
    await using opened = await open(big);
    const { page, problems } = opened;
    expect(await found(page)).toBe('30,000 of 30,000 URLs');
    expect(await page.locator('tbody tr').count()).toBeLessThan(100);
    await page.locator('.table-box').evaluate((box) => (box.scrollTop = box.scrollHeight));
    await expect.poll(async () => (await urlsIn(page)).at(-1)).toBe('/more/19999');
    expect(await page.locator('tbody tr').count()).toBeLessThan(100);
    expect(problems).toEqual([]);
  });
});

/** A job that has ended, by what it would say. */
function jobOf(documents: readonly PlainDocument[], left: readonly SkippedUrl[]): ReportedJob {
  const { length: completed } = documents;
  return {
    id: 'made',
    input: undefined,
    progress: { ...progress, completed, failed: 0, skipped: left.length, pending: 0 },
    errors: () => [],
    skipped: ({ skip = 0, limit = Infinity } = {}) => left.slice(skip, skip + limit),
    skippedByReason: () => ({ LIMIT: left.length }),
    *timings(): ReturnType<CrawlJob<PlainDocument>['timings']> {
      for (const [index, { metadata }] of documents.entries()) {
        const fetchedAt = new Date(index * 10).toISOString();
        yield { url: metadata.url, fetchedAt, durationMs: index % 900, bytes: index };
      }
    },
    explain: (one) => ({ state: 'completed', url: String(one) }),
    status: () => Promise.resolve({ ...progress, data: [] }),
    settled: () => Promise.resolve(),
    on: () => () => undefined,
    async *[Symbol.asyncIterator]() {
      yield* documents;
    },
  };
}
