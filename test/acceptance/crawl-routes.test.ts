/** Routes of a crawl, and data of the caller's that goes with a URL: in documents, hooks, failures, webhooks and stores. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type CrawlOptions,
  fileStore,
  type Hooks,
  memoryStore,
  plan,
} from 'pagewright';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linkedSite, serve, type FixtureServer } from '../../src/entries/testing/index.ts';
import { receiver } from '../core/jobs/webhooks/receiver.ts';
import { onePage, pdfOf, shown } from '../support/pdf-file.ts';

const listPage = (links: readonly string[]): string =>
  `<title>List</title><main><h1>All lamps</h1><p>The lamps of this shop, one beside the other.</p>${links
    .map((href) => `<p><a href="${href}">a lamp at ${href}</a></p>`)
    .join('')}</main>`;

const productPage = (name: string): string =>
  `<title>${name}</title><meta name="label" content="of the page"><meta name="data" content="of the page">
  <main><h1>${name}</h1><p>A lamp of ${name}. <a href="/hidden-${name}">more</a></p></main>
  <script type="application/ld+json">{"@type":"Product","name":"${name}","offers":{"price":"12.50","priceCurrency":"EUR"}}</script>`;

const shop = (): Promise<FixtureServer> =>
  serve({
    '/': listPage(['/p/brass', '/p/glass', '/manual.pdf', '/gone', '/moved']),
    '/p/brass': productPage('brass'),
    '/p/glass': productPage('glass'),
    '/hidden-brass': listPage([]),
    '/moved': { status: 302, headers: { location: '/p/steel' } },
    '/p/steel': productPage('steel'),
    '/manual.pdf': {
      body: pdfOf(
        onePage(shown('Screw in the bulb.'), ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>']),
      ),
      headers: { 'content-type': 'application/pdf' },
    },
  });

const open = (options: ClientOptions = {}): Client =>
  createClient({ network: { allow: ['127.0.0.1'] }, cache: false, ...options });

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number' } },
} as const;

const routes = [
  { match: /^\/$/, label: 'list', scrapeOptions: { formats: ['links'] } },
  {
    match: '^/p/',
    label: 'product',
    follow: false,
    scrapeOptions: { formats: [{ type: 'json', schema }] },
  },
  { match: [(url) => url.pathname.endsWith('.pdf'), '^/never'], label: 'manual' },
] as const satisfies CrawlOptions['routes'];

const tracked = ['markdown', 'changeTracking'] as const;

/** A list and products, which are as they were. */
const unchangedSite = (): Promise<FixtureServer> =>
  serve((request) => ({
    body: request.url === '/' ? listPage(['/p/brass']) : productPage('brass'),
    headers: { etag: '"1"', 'content-type': 'text/html' },
    status: request.headers['if-none-match'] === '"1"' ? 304 : 200,
  }));

const path = (url: string): string => new URL(url).pathname;

describe('routes', () => {
  it('read each page with the options of the first route that fits, and label it', async () => {
    await using site = await shop();
    await using client = open();
    const job = client.crawl(site.url('/'), { routes, sitemap: 'skip' });
    const { data, errors } = await job;
    const found = Object.fromEntries(
      data.map(({ metadata: { url: _, sourceURL, label }, warning: __, ...fields }) => [
        path(sourceURL),
        [label, ...Object.keys(fields)],
      ]),
    );
    expect(found).toEqual({
      '/': ['list', 'links'],
      '/p/brass': ['product', 'json'],
      '/p/glass': ['product', 'json'],
      // A redirect changes no route.
      '/moved': [undefined, 'markdown'],
      '/manual.pdf': ['manual', 'markdown'],
    });
    const [, brass] = data;
    expect(brass?.json).toMatchObject({ name: 'brass', price: 12.5 });
    expect(brass?.metadata).not.toHaveProperty('data');
    expect(data.find(({ metadata }) => metadata.label === 'manual')?.markdown).toContain('bulb');
    // The links of products are not followed, and a page without a route has no label of its own.
    expect(site.log.map(({ url }) => url)).not.toContain('/hidden-brass');
    expect(errors.map(({ url, label }) => [path(url), label])).toContainEqual(['/gone', undefined]);
  });

  it('give hooks, events and failures the label', async () => {
    await using site = await shop();
    const met = new Map<string, unknown[]>();
    const note =
      (name: string) =>
      ({ url, label }: { readonly url: string; readonly label?: string | undefined }): void => {
        met.set(name, [...(met.get(name) ?? []), [path(url), label]]);
      };
    const hooks: Hooks = {
      beforeRequest: note('beforeRequest'),
      beforeFormats: note('beforeFormats'),
      onDocument: note('onDocument'),
      onError: note('onError'),
      onSkipped: note('onSkipped'),
      transformLink: note('transformLink'),
    };
    await using client = open();
    const job = client.crawl(site.url('/'), {
      routes: [
        { match: '^/gone', label: 'lost' },
        { match: '^/manual', label: 'left out' },
        { match: '^/$', label: 'list' },
      ],
      excludePaths: ['pdf$', '^/p/', '^/moved'],
      sitemap: 'skip',
      hooks,
    });
    const events: unknown[] = [];
    job.on('pageFailed', ({ label }) => events.push(label));
    await job;
    expect(Object.fromEntries(met)).toMatchObject({
      beforeRequest: [
        ['/', 'list'],
        ['/gone', 'lost'],
      ],
      onDocument: [['/', 'list']],
      onError: [['/gone', 'lost']],
    });
    expect(met.get('beforeFormats')).toContainEqual(['/', 'list']);
    expect(met.get('onSkipped')).toContainEqual(['/manual.pdf', 'left out']);
    // Of the page with the link.
    expect(met.get('transformLink')).toContainEqual(['/gone', 'list']);
    expect(events).toEqual(['lost']);
    expect(job.explain(site.url('/gone'))).toMatchObject({ state: 'failed', label: 'lost' });
  });

  it('tests whole URLs with regexOnFullURL, and says what looks like a glob', async () => {
    await using site = await shop();
    await using client = open();
    const { data, warning } = await client.crawl(site.url('/'), {
      routes: [
        { match: '/q/*/', label: 'glob' },
        { match: '127\\.0\\.0\\.1:\\d+/p/', label: 'whole' },
      ],
      regexOnFullURL: true,
      sitemap: 'skip',
    });
    expect(data.map(({ metadata }) => metadata.label)).toContain('whole');
    expect(warning).toMatch(/routes\[0\]\.match: "\/q\/\*\/" is read as a regular expression/);
  });

  it('are in a plan', async () => {
    await using site = await shop();
    await using client = open();
    const { pages } = await client.plan(site.url('/'), { routes, sitemap: 'skip' });
    expect(pages.map(({ url, label }) => [path(url), label])).toContainEqual([
      '/p/brass',
      'product',
    ]);
  });

  it('lay their options over those of the crawl and of the client, each as a whole', async () => {
    await using site = await shop();
    await using client = open({ defaults: { scrape: { excludeTags: ['h1'] } } });
    const { data } = await client.crawl(site.url('/p/brass'), {
      scrapeOptions: { formats: ['markdown', 'links'], onlyMainContent: false },
      routes: [{ match: '^/p/', scrapeOptions: { formats: ['markdown'], timeout: undefined } }],
      limit: 1,
    });
    expect(data[0]?.links).toBeUndefined();
    expect(data[0]?.markdown).not.toContain('# brass');
  });

  it('sends the secrets of a route to the origin of the start only', async () => {
    await using other = await serve({ '/p/': productPage('other') });
    await using site = await serve({
      '/': listPage(['/p/own', other.url('/p/')]),
      '/p/own': 'own',
    });
    await using client = open();
    const headers = { authorization: 'Bearer mine' };
    await client.crawl(site.url('/'), {
      allowExternalLinks: true,
      sitemap: 'skip',
      routes: [{ match: '^/p/', scrapeOptions: { headers } }],
    });
    const sent = (server: FixtureServer, url: string): unknown =>
      server.log.find((one) => one.url === url)?.headers.authorization;
    expect(sent(site, '/')).toBeUndefined();
    expect(sent(site, '/p/own')).toBe('Bearer mine');
    expect(sent(other, '/p/')).toBeUndefined();
  });

  it('fail a page whose pattern throws, and no other', async () => {
    await using site = await shop();
    await using client = open();
    const match = ({ pathname }: URL): boolean => {
      if (pathname === '/p/brass') throw new Error('out of order');
      return false;
    };
    const { errors, completed } = await client.crawl(site.url('/'), {
      routes: [{ match }],
      sitemap: 'skip',
    });
    expect(completed).toBe(4);
    expect(errors).toContainEqual(
      expect.objectContaining({
        code: 'HOOK_FAILED',
        url: site.url('/p/brass'),
        error: `routes[0].match threw for ${site.url('/p/brass')}: out of order`,
      }),
    );
  });

  it('says why a crawl ends at a start page whose links are not followed', async () => {
    await using site = await shop();
    await using client = open({ logger: { warn: () => undefined } });
    const { warning } = await client.crawl(site.url('/'), {
      routes: [{ match: '.', follow: false }],
    });
    expect(warning).toContain('the route of this page has follow: false');
  });

  it.each([
    [{ routes: [{ match: '(' }] }, /routes\[0\]\.match: .*Unterminated group/],
    [{ routes: [{ match: ['^/a', '*.html'] }] }, /routes\[0\]\.match\[1\]: "\*\.html" is a glob/],
    [{ routes: [{ match: [] }] }, /routes\[0\]\.match: expected array to have >=1 items/],
    [{ routes: [{ label: 'x' }] }, /routes\[0\]\.match: expected/],
    [
      { routes: [{ match: 'a' }, { match: 'b', lable: 'x' }] },
      /routes\[1\]\.lable.*routes\[1\]\.label/,
    ],
    [{ routes: [{ match: 'a', label: '' }] }, /routes\[0\]\.label: /],
    [
      { routes: [{ match: 'a' }, { match: 'b', scrapeOptions: { formats: ['markdwn'] } }] },
      /routes\[1\]\.scrapeOptions.*markdwn/,
    ],
    [
      { routes: [{ match: 'b', scrapeOptions: { signal: AbortSignal.timeout(1) } }] },
      /routes\[0\]\.scrapeOptions\.signal: pass signal to crawl/,
    ],
    [
      { routes: [{ match: 'b', scrapeOptions: { zeroDataRetention: true } }] },
      /routes\[0\]\.scrapeOptions: zeroDataRetention applies to the whole crawl/,
    ],
    [
      { scrapeOptions: () => ({}), routes: [{ match: 'b', scrapeOptions: {} }] },
      /routes\[0\]\.scrapeOptions: scrapeOptions is a function/,
    ],
    [
      {
        scrapeOptions: { redact: ['email'] },
        routes: [{ match: 'b', scrapeOptions: { formats: ['screenshot'] } }],
      },
      /routes\[0\]\.scrapeOptions.*redact/,
    ],
  ])('are checked at once: %o', async (options, message) => {
    await using client = open();
    expect(() => client.crawl('http://127.0.0.1:9/', options as never)).toThrow(message);
    expect(() => client.crawl('http://127.0.0.1:9/', options as never)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
    );
  });

  it('name the path of an issue', async () => {
    await using client = open();
    try {
      client.crawl('http://127.0.0.1:9/', {
        routes: [{ match: 'a', scrapeOptions: { timeout: -1 } }],
      });
      expect.fail('it was taken');
    } catch (error) {
      expect(error).toMatchObject({
        issues: [{ path: ['routes', 0, 'scrapeOptions', 'timeout'] }],
      });
    }
  });

  it('may go with a function of the URL where they have no options', async () => {
    await using site = await shop();
    await using client = open();
    const { data } = await client.crawl(site.url('/'), {
      limit: 1,
      scrapeOptions: () => ({ formats: ['html'] }),
      routes: [{ match: '^/$', label: 'list' }],
    });
    expect(data).toMatchObject([{ metadata: { label: 'list' } }]);
    expect(data[0]).toHaveProperty('html');
  });

  it('are those of the start when a crawl is resumed', async () => {
    await using site = await serve(linkedSite({ pages: 12 }).site);
    const storage = memoryStore();
    const given: CrawlOptions = {
      maxConcurrency: 1,
      sitemap: 'skip',
      routes: [
        { match: /^\/$/, label: 'start' },
        {
          match: '.',
          label: 'other',
          scrapeOptions: { formats: ['links'], headers: { authorization: 'Bearer hidden' } },
        },
      ],
    };
    const id = await leftBehind(open({ storage }), { url: site.url('/'), data: { run: 7 } }, given);
    for await (const key of storage.list('')) {
      const value = Buffer.from((await storage.get(key)) ?? []).toString('latin1');
      expect(value).not.toContain('hidden');
    }
    await using client = open({ storage });
    await expect(client.jobs.resume(id)).rejects.toThrow(
      /routes: .*a secret.* in routes\.1\.scrapeOptions\.headers\.authorization.*pass it again/,
    );
    const [first] = given.routes ?? [];
    await expect(client.jobs.resume(id, { routes: [first!] })).rejects.toThrow(
      'routes: differs from what the job was started with',
    );
    const { data } = await client.jobs.resume(id, { routes: given.routes! });
    expect(data).toHaveLength(12);
    expect(data.map(({ metadata }) => metadata.label)).toEqual([
      'start',
      ...Array.from({ length: 11 }, () => 'other'),
    ]);
    expect(data.map(({ metadata }) => metadata.data)).toEqual(
      Array.from({ length: 12 }, () => ({ run: 7 })),
    );
  });

  it('that differ make a recrawl download everything, and equal ones nothing', async () => {
    await using site = await serve((request) => ({
      body: productPage(request.url),
      headers: { etag: '"1"', 'content-type': 'text/html' },
      status: request.headers['if-none-match'] === '"1"' ? 304 : 200,
    }));
    await using client = open({ storage: memoryStore() });
    const crawl = (since: string | undefined, label: string, data?: object) =>
      client.crawl(
        { url: site.url('/'), data },
        { since, limit: 1, sitemap: 'skip', routes: [{ match: '.', label }] },
      );
    const first = await crawl(undefined, 'one', { run: 1 });
    const second = await crawl(first.id, 'one');
    expect(second.changes?.same).toHaveLength(1);
    expect(second.data[0]?.metadata).toMatchObject({ label: 'one' });
    expect(second.data[0]?.metadata).not.toHaveProperty('data');
    const third = await crawl(second.id, 'two');
    expect(third.warning).toMatch(/fetched again|everything/i);
    expect(third.data[0]?.metadata).toMatchObject({ label: 'two' });
  });

  it('are for other pages with another regexOnFullURL, so a recrawl reuses nothing', async () => {
    await using site = await unchangedSite();
    await using client = open({ storage: memoryStore() });
    const crawl = (regexOnFullURL: boolean, since?: string) =>
      client.crawl(site.url('/p/'), {
        since,
        regexOnFullURL,
        limit: 1,
        sitemap: 'skip',
        routes: [{ match: '^/p/', scrapeOptions: { formats: ['html'] } }],
      });
    const first = await crawl(false);
    expect(first.data[0]).toHaveProperty('html');
    const second = await crawl(true, first.id);
    expect(second.data[0]).not.toHaveProperty('html');
    expect(second.data[0]).toHaveProperty('markdown');
  });

  it.each([
    ['a route', { routes: [{ match: '^/p/', scrapeOptions: { formats: tracked } }] }],
    [
      'pages that have none',
      {
        routes: [{ match: '^/$', scrapeOptions: { formats: ['links'] } }],
        scrapeOptions: { formats: tracked },
      },
    ],
  ] as const)('with change tracking of %s read each page at a recrawl', async (_, options) => {
    await using site = await unchangedSite();
    await using client = open({ storage: memoryStore() });
    const crawl = (since?: string) =>
      client.crawl(site.url('/'), { ...options, since, limit: 2, sitemap: 'skip' });
    const statusOf = ({ data }: Awaited<ReturnType<typeof crawl>>): unknown =>
      data.at(-1)?.changeTracking?.changeStatus;
    const first = await crawl();
    const second = await crawl(first.id);
    expect([first, second].map(statusOf)).toEqual(['new', 'same']);
    expect(second.warning).toContain('the format changeTracking looks at each page');
  });
});

/** A crawl or batch that its client left after three documents. */
async function leftBehind(
  client: Client,
  start: Parameters<Client['batchScrape']>[0][number],
  options: CrawlOptions,
): Promise<string> {
  const job = client.crawl(start, options);
  let seen = 0;
  for await (const _ of job) if ((seen += 1) === 3) break;
  await client.close();
  return job.id;
}

describe('data', () => {
  it('of a URL goes to its documents, failures, hooks, events and webhooks', async () => {
    await using site = await shop();
    await using there = await receiver();
    await using client = open();
    const seen: unknown[] = [];
    const job = client.batchScrape(
      [
        { url: site.url('/p/brass'), data: { sku: 17, tags: ['a'] } },
        site.url('/p/glass'),
        { url: new URL(site.url('/gone')), data: null },
      ],
      { webhook: there.url },
    );
    job.on('page', ({ metadata }) => seen.push(metadata.data));
    job.on('pageFailed', ({ data }) => seen.push(data));
    const { data, errors } = await job;
    await job.delivered();
    expect(data.map(({ metadata }) => metadata.data)).toEqual([
      { sku: 17, tags: ['a'] },
      undefined,
    ]);
    expect(errors).toMatchObject([{ url: site.url('/gone'), data: null }]);
    expect(errors[0]?.document?.metadata.data).toBeNull();
    expect(seen).toEqual([{ sku: 17, tags: ['a'] }, undefined, null]);
    const pages = there.bodies().filter(({ type }) => type === 'batch_scrape.page');
    expect(pages.map((body) => (body.data[0] as (typeof data)[number]).metadata.data)).toEqual([
      { sku: 17, tags: ['a'] },
      undefined,
      null,
    ]);
  });

  it('of a batch is a copy for each hook and document', async () => {
    await using site = await shop();
    const given = { list: [1] };
    const met: unknown[] = [];
    await using client = open({
      hooks: {
        beforeRequest: ({ data }) => void (data as typeof given).list.push(2),
        onError: ({ data }) => {
          met.push(data);
          return { markdown: 'instead' };
        },
      },
    });
    const job = client.batchScrape([
      { url: site.url('/p/brass'), data: given },
      { url: site.url('/gone'), data: given },
    ]);
    given.list.push(3);
    const { data } = await job;
    expect(data.map(({ metadata }) => metadata.data)).toEqual([{ list: [1] }, { list: [1] }]);
    expect(met).toEqual([{ list: [1] }]);
  });

  it('of a start URL goes to every page of the crawl', async () => {
    await using site = await shop();
    await using client = open();
    const { data, errors } = await client.crawl(
      { url: site.url('/'), data: 'customer 5' },
      { sitemap: 'skip' },
    );
    expect(data.map(({ metadata }) => metadata.data)).toEqual(data.map(() => 'customer 5'));
    expect(errors.map((one) => one.data)).toEqual(errors.map(() => 'customer 5'));
    expect([data.length, errors.length]).toEqual([6, 3]);
  });

  it('of a URL that is given twice is the first, and a warning says so', async () => {
    await using site = await shop();
    await using client = open();
    const url = site.url('/p/brass');
    const job = client.batchScrape([
      { url, data: 1 },
      { url, data: 1 },
      { url: `${url}#again`, data: 2 },
      url,
    ]);
    const { data, warning } = await job;
    expect(data.map(({ metadata }) => metadata.data)).toEqual([1]);
    expect(warning).toContain(`given again with other data: 2, such as ${url}.`);
    expect(job.skipped()).toHaveLength(3);
  });

  it('survives the process, also for URLs with a password and URLs that were added', async () => {
    await using site = await serve(linkedSite({ pages: 8 }).site);
    const storage = memoryStore();
    const secret = 'a secret of at least 32 characters';
    const withPassword = site.url('/').replace('://', '://me:hidden@');
    const left = open({ storage, secret });
    const pages = Object.keys(linkedSite({ pages: 8 }).site).slice(1, 7);
    const job = left.batchScrape(
      [
        { url: withPassword, data: { n: 0 } },
        ...pages.slice(0, 5).map((one, index) => ({ url: site.url(one), data: { n: index + 1 } })),
      ],
      { maxConcurrency: 1, headers: {} },
    );
    job.add([{ url: site.url(pages[5]!), data: { n: 6 } }]);
    let seen = 0;
    for await (const _ of job) if ((seen += 1) === 2) break;
    await left.close();
    for await (const key of storage.list('')) {
      const value = Buffer.from((await storage.get(key)) ?? []).toString('latin1');
      expect(value).not.toContain('hidden');
    }
    await using client = open({ storage, secret });
    const { data } = await client.jobs.resume(job.id);
    expect(data.map(({ metadata }) => metadata.data)).toEqual(
      Array.from({ length: 7 }, (_, n) => ({ n })),
    );
    expect(site.log.filter(({ url }) => url === '/')[0]?.headers.authorization).toMatch(/^Basic /);
  });

  it('is stored nowhere with zeroDataRetention', async () => {
    await using site = await shop();
    const folder = mkdtempSync(join(tmpdir(), 'routes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await using client = open({ storage: fileStore(folder), cache: {} });
    const data = 'Jane Doe, 17 Oak Street';
    const url = site.url('/p/brass');
    await client.batchScrape([{ url, data }], { zeroDataRetention: true });
    await client.crawl({ url, data }, { limit: 1, scrapeOptions: { zeroDataRetention: true } });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile())) {
      const text = readFileSync(join(file.parentPath, file.name), 'latin1');
      expect(text).not.toContain('Jane');
    }
  });

  it.each([
    [{ data: () => 1 }, /\.data: expected a value that JSON can hold, got/],
    [{ data: 1n }, /\.data: JSON cannot hold it: .*BigInt/],
    [{ data: 'x'.repeat(9999) }, /\.data: it has 10001 characters as JSON, and may have 10000/],
    [{ dat: 1 }, /\.dat"; did you mean ".*url.*\.data"/],
    [{ url: 1 }, /\.url: expected a URL, got 1/],
  ])('is refused where it cannot be kept: %o', async (given, message) => {
    await using client = open();
    const entry = { url: 'http://127.0.0.1:9/', ...given };
    expect(() => client.batchScrape(['http://127.0.0.1:9/', entry as never])).toThrow(message);
    expect(() => client.crawl(entry as never)).toThrow(message);
    expect(() => client.crawl(entry as never)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
    );
  });

  it('of an entry that is no URL does not matter', async () => {
    await using client = open();
    const job = client.batchScrape([{ url: 'no url', data: 1 }]);
    await job;
    expect(job.invalidURLs).toEqual(['no url']);
    await expect(plan({ url: 'no url', data: 1 })).rejects.toMatchObject({ code: 'INVALID_URL' });
  });
});
