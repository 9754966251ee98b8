/** Sites of which nothing is worth keeping: jobs end with a reason after a bounded number of requests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { BatchOptions, CrawlOptions, CrawlResult, SkippedUrl } from '../../src/index.ts';
import { createClient, memoryStore } from '../../src/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Routes, type Scenario, type Scene, type Web } from './scenario.ts';

/** Pages that the start page, or the sitemap, promises. */
const promised = 400;
const numbers = Array.from({ length: promised }, (_, index) => index);
const links = (prefix = '/p/'): string =>
  numbers.map((n) => `<a href="${prefix}${n}">${n}</a>`).join(' ');
const start = { '/': `<p>The start page has a text of its own.</p>${links()}` };

/** A page of another text for each URL, but for what `more` puts into its head. */
const pageAt =
  (more: (n: number) => string, text: (n: number) => string): Routes[string] =>
  ({ url, response }) => {
    const n = Number(url.split('/').at(-1));
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>A page</title>${more(n)}<p>${text(n)}</p>`);
    return undefined;
  };

const redirect =
  (to: (url: string) => string): Routes[string] =>
  ({ url, response }) =>
    void response.writeHead(302, { location: to(url) }).end();

const answer =
  (status: number): Routes[string] =>
  ({ url, response }) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(`<p>No ${url}</p>`);

/** What is counted: pages, and what their redirects lead to. */
function pageRequests({ site, other }: Web): number {
  const isFile = /robots\.txt|sitemap|\.xml$/;
  return [...site.log, ...other.log].filter(({ url }) => !isFile.test(url)).length;
}

interface Told {
  readonly status: string;
  readonly requests: number;
  readonly kept: number;
  /** Of the budget, of a URL that was left. */
  readonly rule: string | undefined;
  /** The warning names that rule. */
  readonly isTold: boolean;
  /** Every URL is accounted for. */
  readonly isWhole: boolean;
}

async function crawled(scene: Scene, options: CrawlOptions): Promise<Told> {
  const job = scene.client.crawl(scene.site.url('/'), {
    ...options,
    scrapeOptions: { retries: 0, maxAge: 0, proxy: 'basic', ...options.scrapeOptions },
  });
  const result = await job;
  return { requests: pageRequests(scene), ...told(result, job.skipped()) };
}

function told(
  result: CrawlResult<unknown>,
  skipped: readonly SkippedUrl[],
): Omit<Told, 'requests'> {
  const rule = skipped.find(({ reason }) => reason === 'BUDGET')?.rule;
  const { status, completed, failed, pending, discovered, warning = '' } = result;
  return {
    status,
    kept: completed,
    rule,
    isTold: rule !== undefined && warning.includes(`(${rule}): ${completed} became documents`),
    isWhole: completed + failed + pending + result.skipped === discovered,
  };
}

/** Requests for pages that a crawl may make, where the number is not what is tested: far below the 400. */
const few = { budget: { requests: 20 } };

/** A crawl of `limit: 5`, which by default makes a hundred requests for pages. */
function bounded(
  name: string,
  site: Scenario['site'],
  expected: Partial<Told> = {},
  options: CrawlOptions = {},
): Scenario {
  const rule = `budget.requests: ${options.budget?.requests ?? 100}`;
  const value: Told = {
    status: 'completed',
    requests: options.budget?.requests ?? 100,
    kept: 1,
    rule,
    isTold: true,
    isWhole: true,
    ...expected,
  };
  return {
    name,
    site: (web) => ({ ...start, ...(typeof site === 'function' ? site(web) : site) }),
    // One after the other: pages in flight beside the last one are fetched on top.
    act: (scene) => crawled(scene, { limit: 5, sitemap: 'skip', maxConcurrency: 1, ...options }),
    expect: { value },
  };
}

const same = pageAt(
  () => '',
  () => 'They all say the same. '.repeat(30),
);

/** What becomes of a site at one speed: its documents, and what was left and why. */
async function outcomeAt(
  scene: Scene,
  options: CrawlOptions,
  maxConcurrency: number,
): Promise<string> {
  const job = scene.client.crawl(scene.site.url('/'), {
    sitemap: 'skip',
    maxConcurrency,
    ...options,
    scrapeOptions: { retries: 0, maxAge: 0 },
  });
  const { data } = await job;
  const left = job.skipped().map(({ url, reason, rule }) => `${url} ${reason} ${rule}`);
  const failed = job.errors().map(({ url, code }) => `${url} ${code}`);
  return JSON.stringify([data.map(({ metadata }) => metadata.url), left, failed]);
}

/** The same documents, skips and failures at any speed. */
function sameAtAnySpeed(name: string, site: Routes, options: CrawlOptions): Scenario {
  return {
    name,
    site: { ...start, ...site },
    act: async (scene) => {
      const outcomes = [];
      for (const speed of [1, 3, 16]) outcomes.push(await outcomeAt(scene, options, speed));
      return new Set(outcomes).size;
    },
    expect: { value: 1 },
  };
}

/** A page in three is a document, the others are errors, duplicates and redirects. */
const mixed: Routes[string] = async (exchange) => {
  const n = Number(exchange.url.split('/').at(-1));
  await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
  const answers = [
    pageAt(
      () => '',
      () => `Text ${n} of its own`,
    ),
    answer(404),
    same,
    redirect(() => '/p/0'),
    redirect(() => `/other/${n}`),
  ];
  const chosen = answers[n % answers.length];
  return typeof chosen === 'function' ? chosen(exchange) : undefined;
};

function batched(
  name: string,
  site: Routes,
  options: BatchOptions,
  expected: Partial<Told>,
): Scenario {
  return {
    name,
    site,
    act: async (scene) => {
      const urls = numbers.map((n) => scene.site.url(`/p/${n}`));
      const job = scene.client.batchScrape(urls, { ...options, retries: 0, maxAge: 0 });
      const result = await job;
      return { requests: pageRequests(scene), ...told(result, job.skipped()) };
    },
    expect: {
      value: {
        status: 'completed',
        rule: 'budget.requests: 30',
        isTold: true,
        isWhole: true,
        ...expected,
      },
    },
  };
}

/** A server on all of 127.0.0.0/8: as many hosts as there are numbers. */
async function manyHosts(scene: Scene, robots: string): Promise<{ port: number; log: string[] }> {
  const log: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    log.push(`${headers.host}${url}`);
    const isFile = url === '/robots.txt';
    response.writeHead(200, { 'content-type': isFile ? 'text/plain' : 'text/html' });
    response.end(isFile ? robots : '<p>The same on every host.</p>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '0.0.0.0', resolve));
  scene.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, log };
}

runScenarios([
  bounded('400 pages with one text', { '/p/*': same }, { kept: 2 }),
  rare(
    bounded(
      '400 pages with nearly one text',
      {
        '/p/*': pageAt(
          () => '',
          (n) => `${'All of this text is the same on every page of it. '.repeat(30)}Visitor ${n}`,
        ),
      },
      { kept: 2 },
      { deduplicateContent: 'near' },
    ),
  ),
  rare(
    bounded(
      '400 pages that name one page as their own',
      {
        '/p/*': pageAt(
          () => '<link rel="canonical" href="/p/0">',
          (n) => `Text ${n}`,
        ),
      },
      { kept: 2 },
    ),
  ),
  ...[404, 403, 410, 500].map((status) =>
    bounded(`400 pages that answer ${status}`, { '/p/*': answer(status) }, {}, few),
  ),
  bounded(
    '400 pages that redirect to the start page',
    { '/p/*': redirect(() => '/') },
    {
      // The redirect of the last one does not fit any more.
      requests: 21,
    },
    few,
  ),
  bounded(
    '400 pages that redirect to one other',
    {
      '/p/*': redirect(() => '/one'),
      '/one': '<p>The one.</p>',
    },
    { kept: 2, requests: 21 },
    few,
  ),
  bounded(
    '400 pages that redirect out of the site',
    ({ other }) => ({
      '/p/*': redirect(() => other.url('/')),
    }),
    { requests: 21 },
    few,
  ),
  bounded(
    '400 pages that redirect eight times',
    {
      '/p/*': redirect((url) => {
        const [path = '', hop = '0'] = url.split('?');
        return Number(hop) < 8 ? `${path}?${Number(hop) + 1}` : '/';
      }),
    },
    { requests: 101 },
  ),
  bounded(
    '400 pages that redirect in a loop',
    { '/p/*': redirect((url) => url) },
    { requests: 51 },
  ),
  bounded(
    '400 pages that redirect without end',
    {
      '/p/*': redirect((url) => `${url}x`),
      // Eleven each; the last page is asked for while the one before it is settled.
    },
    { requests: 111 },
  ),
  bounded('400 pages that lead to a private address', {
    '/p/*': redirect(() => 'http://10.0.0.1/'),
  }),
  bounded(
    '400 connections that are broken off',
    {
      '/p/*': ({ response }) => void response.destroy(),
      // A kept connection that breaks off is no answer: the page is asked for on a new one.
    },
    { requests: 5 },
    { budget: { requests: 4 } },
  ),
  bounded(
    '400 pages of a server that is overloaded',
    { '/p/*': answer(503) },
    { requests: 4 },
    {
      budget: { requests: 4 },
    },
  ),
  bounded(
    '400 files that nothing reads',
    {
      '/p/*': ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        response.end(Buffer.from('MZ\0\u0001\0\0', 'latin1'));
      },
    },
    {},
    few,
  ),
  bounded(
    '400 pages that are too large',
    {
      '/p/*': ({ response }) => void response.end('x'.repeat(20_000)),
    },
    {},
    { ...few, scrapeOptions: { limits: { bodyBytes: 15_000 } } },
  ),
  bounded(
    '400 pages that a hook gives up',
    { '/p/*': same },
    {},
    {
      ...few,
      hooks: {
        beforeFormats: ({ url }) => {
          if (url.includes('/p/')) throw new Error('not wanted');
        },
      },
    },
  ),
  bounded(
    'a sitemap of 400 pages with one text',
    ({ site }) => ({
      '/': '<p>Only the sitemap leads on.</p>',
      '/p/*': same,
      '/sitemap.xml': {
        headers: { 'content-type': 'application/xml' },
        body: `<urlset>${numbers.map((n) => `<url><loc>${site.url(`/p/${n}`)}</loc></url>`).join('')}</urlset>`,
      },
    }),
    { kept: 2 },
    { ...few, sitemap: 'include' },
  ),
  bounded(
    'a larger budget of requests',
    { '/p/*': same },
    { kept: 2, requests: 150 },
    {
      budget: { requests: 150 },
    },
  ),
  bounded(
    'a smaller budget of requests',
    { '/p/*': same },
    { kept: 2, requests: 7 },
    {
      budget: { requests: 7 },
    },
  ),
  bounded('one request', { '/p/*': same }, { kept: 1, requests: 1 }, { budget: { requests: 1 } }),
  bounded(
    'a larger limit',
    { '/p/*': answer(404) },
    { requests: 120, rule: 'budget.requests: 120' },
    { limit: 12 },
  ),
  {
    name: 'a site with enough good pages fills its limit, and nothing is said of requests',
    site: {
      ...start,
      '/p/*': async (exchange) => {
        const n = Number(exchange.url.split('/').at(-1));
        const good = pageAt(
          () => '',
          () => `Text ${n}`,
        );
        const chosen = n % 10 === 9 ? good : answer(404);
        return typeof chosen === 'function' ? chosen(exchange) : undefined;
      },
    },
    act: async ({ client, site }) => {
      const { completed, warning } = await client.crawl(site.url('/'), {
        limit: 5,
        sitemap: 'skip',
        scrapeOptions: { retries: 0 },
      });
      return { completed, warning };
    },
    expect: { value: { completed: 5, warning: undefined } },
  },
  {
    name: 'pages that a hook leaves out before they are asked for do not count',
    site: { ...start, '/p/*': same },
    act: async (scene) => {
      const hooks = {
        beforeRequest: ({ url, skip }: { url: string; skip(reason?: string): void }) => {
          if (/\/p\/\d{1,2}$|\/p\/[12]\d\d$/.test(url)) skip('not wanted');
        },
      };
      const { requests, rule } = await crawled(scene, { limit: 5, sitemap: 'skip', hooks });
      return { requests, rule };
    },
    expect: { value: { requests: 100, rule: 'budget.requests: 100' } },
  },
  {
    name: 'an index of 400 sitemaps without a page of the site is read as far as the budget goes',
    site: ({ site }) => ({
      '/': '<p>Only the sitemap leads on.</p>',
      '/sitemap.xml': {
        headers: { 'content-type': 'application/xml' },
        body: `<sitemapindex>${numbers
          .map((n) => `<sitemap><loc>${site.url(`/sitemap-${n}.xml`)}</loc></sitemap>`)
          .join('')}</sitemapindex>`,
      },
      '/sitemap-*': ({ url, response }) => {
        response.writeHead(200, { 'content-type': 'application/xml' });
        response.end(`<urlset><url><loc>http://elsewhere.test${url}</loc></url></urlset>`);
      },
    }),
    act: async ({ client, site }) => {
      const { warning = '' } = await client.crawl(site.url('/'), { limit: 5 });
      const read = site.log.filter(({ url }) => url.includes('sitemap')).length;
      return { read, isTold: warning.includes('budget.requests is 100') };
    },
    expect: { value: { read: 100, isTold: true } },
  },
  {
    name: 'hosts that close themselves by robots.txt count, each of which is asked',
    act: async (scene) => {
      const { port, log } = await manyHosts(scene, 'User-agent: *\nDisallow: /\n');
      const hosts = Array.from({ length: 240 }, (_, n) => `http://127.0.1.${n + 1}:${port}/`);
      await using server = createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(hosts.map((url) => `<a href="${url}">a</a>`).join(''));
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const job = scene.client.crawl(
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        { limit: 5, sitemap: 'skip', allowExternalLinks: true },
      );
      await job;
      server.closeAllConnections();
      return { asked: log.length, left: job.skippedByReason().BUDGET };
    },
    expect: { value: { asked: 99, left: 141 } },
  },
  sameAtAnySpeed(
    'the cut is the same at any speed',
    { '/p/*': mixed },
    { limit: 200, budget: { requests: 50 } },
  ),
  rare(
    sameAtAnySpeed(
      'the cut is the same at any speed, at a smaller one',
      { '/p/*': mixed, '/other/*': same },
      { limit: 200, budget: { requests: 23 } },
    ),
  ),
  rare(
    sameAtAnySpeed(
      'the cut is the same at any speed beside other budgets',
      { '/p/*': mixed },
      { limit: 200, budget: { requests: 60, credits: 30 } },
    ),
  ),
  batched(
    'a batch ends after its requests',
    { '/p/*': answer(404) },
    { budget: { requests: 30 } },
    { requests: 30, kept: 0 },
  ),
  batched(
    'a batch counts redirects',
    { '/p/*': redirect(() => '/one'), '/one': '<p>One.</p>' },
    { maxConcurrency: 1, budget: { requests: 30 } },
    { requests: 32, kept: 15 },
  ),
  {
    name: 'an extraction ends after its requests, and says which pages it left',
    site: { '/p/*': answer(404), '/p/0': '<h1>Nought</h1>' },
    act: async (scene) => {
      const urls = numbers.map((n) => scene.site.url(`/p/${n}`));
      const { data, skipped, errors } = await scene.client.extract({
        urls,
        schema: { type: 'object', properties: { title: { type: 'string', 'x-selector': 'h1' } } },
        budget: { requests: 20 },
      });
      const rules = [...new Set(skipped.map(({ rule }) => rule))];
      return { data, rules, errors: errors.length, requests: pageRequests(scene) };
    },
    expect: {
      value: {
        data: { title: 'Nought' },
        rules: ['budget.requests: 20'],
        errors: 19,
        requests: 20,
      },
    },
  },
  {
    name: 'a plan ends where its crawl does',
    site: { ...start, '/p/*': same },
    act: async (scene) => {
      const plan = await scene.client.plan(scene.site.url('/'), { limit: 5, sitemap: 'skip' });
      const left = plan.explain(scene.site.url('/p/399'));
      return { requests: pageRequests(scene), pages: plan.pages.length, left };
    },
    expect: {
      value: {
        requests: 100,
        pages: 2,
        left: expect.objectContaining({
          reason: 'BUDGET',
          rule: 'budget.requests: 100',
        }) as unknown,
      },
    },
  },
  {
    name: 'a resumed crawl counts what earlier processes asked for',
    site: { ...start, '/p/*': answer(404) },
    act: async (scene) => {
      const storage = memoryStore();
      const network = { allow: ['127.0.0.0/8'] };
      const logger = { warn: () => undefined };
      const first = createClient({ storage, network, logger, cache: false });
      const job = first.crawl(scene.site.url('/'), {
        limit: 5,
        sitemap: 'skip',
        maxConcurrency: 1,
        scrapeOptions: { retries: 0 },
      });
      let failures = 0;
      await new Promise<void>((resolve) => {
        job.on('pageFailed', () => void (++failures === 40 && resolve()));
      });
      await first.close();
      const before = pageRequests(scene);
      await using second = createClient({ storage, network, logger, cache: false });
      const resumed = second.jobs.resume(job.id);
      const { status } = await resumed;
      const all = pageRequests(scene);
      return {
        status,
        wasBegun: before >= 40 && before < 60,
        // What the first had under way is asked for again.
        isBounded: all >= 100 && all <= 102,
        left: resumed.skippedByReason().BUDGET,
      };
    },
    expect: { value: { status: 'completed', wasBegun: true, isBounded: true, left: 301 } },
  },
]);
