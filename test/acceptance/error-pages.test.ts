import {
  createClient,
  defineFormat,
  memoryStore,
  type PageFailure,
  PagewrightError,
} from 'pagewright';
import { type FixtureServer, type SitePage, serve } from 'pagewright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, pageOf, seeded } from '../support/memory-web.ts';
import { receiver } from '../core/jobs/webhooks/receiver.ts';

/** 200 pages below the start; every third fails, with one of five statuses, and links to what nothing else does. */
const statuses = [404, 403, 410, 500, 400] as const;
function site(random: () => number): (url: string) => SitePage {
  return (url) => {
    const { pathname } = new URL(url, 'http://site.test');
    if (!/^\/(\d*)$/.test(pathname)) return { status: 404, body: 'none' };
    const n = Number(pathname.slice(1));
    const delay = Math.floor(random() * 15);
    if (n > 0 && n % 10 < 3) {
      const status = statuses[n % statuses.length]!;
      return { status, delay, body: pageOf(`Trouble ${n}`, [`/${1000 + n}`]) };
    }
    const links = Array.from({ length: 4 }, (_, index) => `/${4 * n + index + 1}`);
    return { delay, body: pageOf(`Page ${n}`, n < 80 ? links : []) };
  };
}

async function serveSite(pages: (url: string) => SitePage): Promise<FixtureServer> {
  const server = await serve(({ url }) => pages(url));
  onTestFinished(() => server.close());
  return server;
}

const pathOf = (url: string): string => new URL(url).pathname;
const network = { allow: ['127.0.0.1'] };
const quick = { retries: 0, engine: 'http', proxy: 'basic' } as const;

describe('error pages of a crawl', () => {
  it('fill no limit: the same 50 good documents at concurrency 1, 8 and 16', async () => {
    const server = await serveSite(site(seeded(7)));
    const runs = [];
    for (const maxConcurrency of [1, 8, 16]) {
      await using client = createClient({ network });
      const options = { limit: 50, maxConcurrency, sitemap: 'skip' as const, scrapeOptions: quick };
      const job = client.crawl(server.url('/'), options);
      const { data, errors, failed, completed, status, creditsUsed } = await job;
      expect({ completed, status, creditsUsed }).toEqual({
        completed: 50,
        status: 'completed',
        creditsUsed: 50,
      });
      expect(failed).toBe(errors.length);
      expect(failed).toBeGreaterThan(10);
      for (const failure of errors) {
        const n = Number(pathOf(failure.url).slice(1));
        const statusCode = statuses[n % statuses.length];
        expect(failure).toMatchObject({ code: 'HTTP_STATUS', statusCode });
        expect(failure.error).toContain(failure.url);
        expect(failure.document?.markdown).toContain(`# Trouble ${n}`);
        expect(failure.document?.metadata).toMatchObject({ statusCode, creditsUsed: 0 });
        // Its links are not followed.
        expect(job.explain(server.url(`/${1000 + n}`))).toBeUndefined();
      }
      runs.push({
        pages: data.map(({ metadata }) => pathOf(metadata.url)),
        failures: errors.map((failure) => pathOf(failure.url)),
      });
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  it("are documents with errorPages: 'keep'", async () => {
    const server = await serveSite(site(() => 0));
    await using client = createClient({ network });
    const { data, errors } = await client.crawl(server.url('/'), {
      limit: 50,
      sitemap: 'skip',
      errorPages: 'keep',
      scrapeOptions: quick,
    });
    expect(errors).toEqual([]);
    const bad = data.filter(({ metadata }) => metadata.statusCode >= 400);
    expect(bad.length).toBeGreaterThan(5);
    expect(bad.map(({ metadata }) => pathOf(metadata.url))).toContain('/1');
  });

  it('have no document where the answer had no body, and none is asked of a model', async () => {
    let asked = 0;
    const web = memoryWeb({
      'http://site.test/': pageOf('Start', ['/empty', '/told']),
      'http://site.test/empty': { status: 403, body: '' },
      'http://site.test/told': { status: 404, body: pageOf('Gone') },
    });
    await using client = createClient({
      engines: [web],
      model: () => {
        asked += 1;
        return '{"title":"x"}';
      },
    });
    const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
    const { errors } = await client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: { ...quick, formats: ['markdown', { type: 'json', prompt: 'title', schema }] },
    });
    expect(errors.map(({ url, code, statusCode }) => [pathOf(url), code, statusCode])).toEqual([
      ['/empty', 'HTTP_STATUS', 403],
      ['/told', 'HTTP_STATUS', 404],
    ]);
    expect(errors.map(({ document }) => document === undefined)).toEqual([true, false]);
    expect(errors[1]?.document).not.toHaveProperty('json');
    expect(asked).toBe(1);
  });

  it('fail the crawl when the start page is one, also where patterns leave it out', async () => {
    const web = memoryWeb({
      'http://site.test/': { status: 503, body: pageOf('Down', ['/a']) },
      'http://site.test/a': pageOf('A'),
      'http://site.test/sitemap.xml': {
        type: 'application/xml',
        body: '<urlset><url><loc>http://site.test/a</loc></url></urlset>',
      },
    });
    await using client = createClient({ engines: [web] });
    for (const includePaths of [[], ['^/a']]) {
      const job = client.crawl('http://site.test/', { includePaths, scrapeOptions: quick });
      const failure: unknown = await job.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(PagewrightError);
      expect(failure).toMatchObject({
        code: 'HTTP_STATUS',
        statusCode: 503,
        url: 'http://site.test/',
      });
      expect(job.progress).toMatchObject({ status: 'failed', failed: 1, success: false });
      await expect(async () => {
        for await (const _ of job) expect.unreachable();
      }).rejects.toBe(failure);
    }
  });

  it('fail by their status also where their bodies cannot be received, in a batch too', async () => {
    const large = (code: number): SitePage => ({ status: code, body: 'x'.repeat(3000) });
    await using server = await serve({
      '/': pageOf('Start', ['/large', '/damaged', '/whole']),
      '/large': large(500),
      '/damaged': {
        status: 404,
        headers: { 'content-encoding': 'br', 'content-type': 'text/html' },
        body: Buffer.from('1b0f00f8a5ff', 'hex'),
      },
      '/whole': large(200),
    });
    await using client = createClient({ network, limits: { bodyBytes: 2000 } });
    const options = { sitemap: 'skip', scrapeOptions: quick } as const;
    const { errors } = await client.crawl(server.url('/'), options);
    const plain = (failures: readonly PageFailure[]): unknown[] =>
      failures.map(({ url, code, statusCode }) => [pathOf(url), code, statusCode]);
    expect(plain(errors)).toEqual([
      ['/large', 'HTTP_STATUS', 500],
      ['/damaged', 'HTTP_STATUS', 404],
      ['/whole', 'BODY_TOO_LARGE', 200],
    ]);
    expect(errors[0]?.error).toMatch(
      /answered 500 Internal Server Error\. The body of .* is larger/,
    );
    const urls = ['/large', '/damaged', '/whole'].map((path) => server.url(path));
    expect(plain((await client.batchScrape(urls, quick)).errors)).toEqual(plain(errors));
    await expect(client.crawl(server.url('/large'), options)).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      statusCode: 500,
      url: server.url('/large'),
      cause: expect.objectContaining({ code: 'BODY_TOO_LARGE' }) as unknown,
    });
  });

  it('are skipped, not failed, where they end up outside of the crawl', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('Start', ['/away', '/login']),
      'http://site.test/away': { location: 'http://other.test/gone' },
      'http://site.test/login': { location: '/auth/form' },
      'http://site.test/auth/form': { status: 403, body: pageOf('Log in') },
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      excludePaths: ['^/auth/'],
      scrapeOptions: quick,
    });
    const { completed, failed } = await job;
    expect({ completed, failed }).toEqual({ completed: 1, failed: 0 });
    expect(job.explain('http://site.test/away')).toMatchObject({ reason: 'EXTERNAL' });
    expect(job.explain('http://site.test/login')).toMatchObject({ reason: 'EXCLUDE' });
  });

  it('are told to hooks and listeners, and a hook may give a document in their place', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('Start', ['/a', '/b', '/c']),
      'http://site.test/a': { status: 404, body: pageOf('No A') },
      'http://site.test/b': { status: 404, body: pageOf('No B') },
      'http://site.test/c': { status: 404, body: pageOf('No C') },
    });
    await using client = createClient({ engines: [web] });
    const seen: unknown[] = [];
    const told: PageFailure[] = [];
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: quick,
      hooks: {
        onDocument: ({ url }) => void seen.push(['document', pathOf(url)]),
        onError: ({ url, error }) => {
          seen.push([(error as PagewrightError).statusCode, pathOf(url)]);
          return pathOf(url) === '/b' ? { markdown: 'instead' } : undefined;
        },
        beforeFormats: ({ page, skip }) =>
          page.url.endsWith('/c') ? skip('not wanted') : undefined,
      },
    });
    job.on('pageFailed', (failure) => told.push(failure));
    const { data, failed } = await job;
    expect(seen).toEqual([
      ['document', '/'],
      [404, '/a'],
      [404, '/b'],
    ]);
    expect(told.map(({ url, statusCode }) => [pathOf(url), statusCode])).toEqual([['/a', 404]]);
    expect(told[0]?.document?.markdown).toContain('# No A');
    expect(failed).toBe(1);
    expect(data[1]).toMatchObject({ markdown: 'instead', metadata: { statusCode: 404 } });
    expect(job.explain('http://site.test/c')).toMatchObject({
      state: 'skipped',
      reason: 'EXCLUDE',
    });
  });

  it('are failed pages to a webhook', async () => {
    const web = memoryWeb({
      'http://site.test/': pageOf('Start', ['/a']),
      'http://site.test/a': { status: 410, body: pageOf('Gone') },
    });
    await using hook = await receiver();
    await using client = createClient({ engines: [web], network });
    const job = client.crawl('http://site.test/', {
      sitemap: 'skip',
      scrapeOptions: quick,
      webhook: hook.url,
    });
    await job.delivered();
    const pages = hook.bodies().filter(({ type }) => type === 'crawl.page');
    expect(pages.map(({ success, code }) => [success, code])).toEqual([
      [true, undefined],
      [false, 'HTTP_STATUS'],
    ]);
    expect(pages[1]?.data).toEqual([
      {
        metadata: expect.objectContaining({ sourceURL: 'http://site.test/a', statusCode: 410 }),
      },
    ]);
  });

  it('keep at most 10 MB of their documents, and none with keepDocuments: false', async () => {
    const large = `${'word '.repeat(400_000)}`;
    const links = Array.from({ length: 12 }, (_, n) => `/${n}`);
    const web = memoryWeb((url) => {
      const { pathname } = new URL(url);
      if (pathname === '/') return pageOf('Start', links);
      return { status: 404, body: `<main><h1>No ${pathname}</h1><p>${large}</p></main>` };
    });
    await using client = createClient({ engines: [web], cache: false });
    const options = { sitemap: 'skip', scrapeOptions: quick } as const;
    const { errors } = await client.crawl('http://site.test/', options);
    const kept = errors.filter(({ document }) => document !== undefined);
    expect(errors).toHaveLength(12);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(12);

    const job = client.crawl('http://site.test/', { ...options, keepDocuments: false });
    let told = 0;
    job.on('pageFailed', ({ document }) => (told += document === undefined ? 0 : 1));
    for await (const _ of job) continue;
    expect(told).toBe(12);
    expect(job.errors().every(({ document }) => document === undefined)).toBe(true);
  });

  it('are the same after the job was resumed', async () => {
    const storage = memoryStore();
    const pages = site(() => 0);
    const options = {
      limit: 30,
      sitemap: 'skip',
      maxConcurrency: 2,
      scrapeOptions: quick,
    } as const;
    const web = (): ReturnType<typeof memoryWeb> =>
      memoryWeb((url) => {
        const { status, body } = pages(url) as { status?: number; body: string };
        return { status: status ?? 200, body };
      });
    await using whole = createClient({ engines: [web()] });
    const expected = await whole.crawl('http://site.test/', options);

    const first = createClient({ engines: [web()], storage });
    const job = first.crawl('http://site.test/', options);
    let count = 0;
    for await (const _ of job) if (++count === 10) break;
    await first.close();
    await using second = createClient({ engines: [web()], storage });
    const result = await second.jobs.resume(job.id, { fromStart: true });
    const plain = ({ url, code, statusCode, document }: PageFailure): unknown => ({
      url,
      code,
      statusCode,
      markdown: document?.markdown,
    });
    expect(result.errors.map(plain)).toEqual(expected.errors.map(plain));
    expect(result.data.map(({ metadata }) => metadata.url)).toEqual(
      expected.data.map(({ metadata }) => metadata.url),
    );
  });
});

describe('error pages of a batch', () => {
  const pages = {
    'http://site.test/good': pageOf('Good'),
    'http://site.test/gone': { status: 404, body: pageOf('Gone') },
    'http://site.test/down': { status: 500, body: '' },
  };
  const urls = Object.keys(pages);

  it('fail with their status and document', async () => {
    await using client = createClient({ engines: [memoryWeb(pages)] });
    const { data, errors, creditsUsed, warning } = await client.batchScrape(urls, quick);
    expect(data.map(({ metadata }) => pathOf(metadata.url))).toEqual(['/good']);
    expect(errors.map(({ code, statusCode }) => [code, statusCode])).toEqual([
      ['HTTP_STATUS', 404],
      ['HTTP_STATUS', 500],
    ]);
    expect(errors[0]?.document?.markdown).toContain('# Gone');
    expect(errors[1]?.document).toBeUndefined();
    expect({ creditsUsed, warning }).toEqual({ creditsUsed: 1, warning: undefined });
  });

  it("are documents with errorPages: 'keep'", async () => {
    await using client = createClient({ engines: [memoryWeb(pages)] });
    const { data, errors } = await client.batchScrape(urls, { ...quick, errorPages: 'keep' });
    expect(data.map(({ metadata }) => metadata.statusCode)).toEqual([200, 404, 500]);
    expect(errors).toEqual([]);
  });

  it('fail by their status also where they cannot be read', async () => {
    const broken = defineFormat({
      name: 'broken',
      needs: 'page',
      run: ({ url }) => {
        if (url.endsWith('/gone')) throw new Error('not this one');
        return 1;
      },
    });
    await using client = createClient({ engines: [memoryWeb(pages)], formats: [broken] });
    const options = { ...quick, formats: [broken] };
    const { errors } = await client.batchScrape(urls.slice(0, 2), options);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'HTTP_STATUS', statusCode: 404 });
    expect(errors[0]?.document).toBeUndefined();
  });

  it('are kept by a storage, with their documents, and are the same when the batch is resumed', async () => {
    const storage = memoryStore();
    const first = createClient({ engines: [memoryWeb(pages)], storage });
    const job = first.batchScrape(['http://site.test/gone', ...urls], {
      ...quick,
      maxConcurrency: 1,
    });
    for await (const _ of job) break;
    await first.close();
    const web = memoryWeb(pages);
    await using second = createClient({ engines: [web], storage });
    const { errors } = await second.jobs.resume(job.id);
    expect(errors.map(({ statusCode }) => statusCode)).toEqual([404, 500]);
    expect(errors[0]?.document?.markdown).toContain('# Gone');
    expect(web.log).not.toContain('http://site.test/gone');
  });

  it('say why there is nothing when all pages fail, or there are none', async () => {
    const warned: string[] = [];
    await using client = createClient({
      engines: [memoryWeb(pages)],
      logger: { warn: (_, message) => void warned.push(message) },
    });
    const all = await client.batchScrape(urls.slice(1), quick);
    expect(all.warning).toBe('No page was kept: 2 failed (1 HTTP_STATUS 404, 1 HTTP_STATUS 500).');
    expect((await client.batchScrape([], quick)).warning).toContain('the list of URLs is empty');
    expect((await client.batchScrape(['::', 'http://'], quick)).warning).toContain(
      'none of the 2 URLs is valid, :: for one',
    );
    expect(warned).toHaveLength(3);
  });

  it('say why there is nothing when a hook left all pages out', async () => {
    const warned: string[] = [];
    await using client = createClient({
      engines: [memoryWeb(pages)],
      logger: { warn: (_, message) => void warned.push(message) },
      hooks: { beforeFormats: ({ skip }) => skip('not today') },
    });
    const { status, warning } = await client.batchScrape(urls.slice(0, 2), quick);
    expect({ status, warning }).toEqual({
      status: 'completed',
      warning: 'No page was kept: 2 left out (hooks.beforeFormats: not today).',
    });
    expect(warned).toEqual([warning]);
  });
});
