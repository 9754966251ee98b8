/** Defaults of a client, and clients that extend another one. */
import {
  type Client,
  type ClientOptions,
  createClient,
  defineFormat,
  type Hooks,
  memoryStore,
  type ValidationError,
} from 'pagewright';
import { serve } from 'pagewright/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryWeb, pageOf } from '../support/memory-web.ts';

const url = 'http://site.test/';
const webOf = (): ReturnType<typeof memoryWeb> =>
  memoryWeb({
    [url]: pageOf('start', ['/a', '/b']),
    [`${url}a`]: pageOf('a'),
    [`${url}b`]: pageOf('b'),
  });

/** Closes the client with the test. */
function closing<Some extends Pick<Client, 'close'>>(client: Some): Some {
  onTestFinished(() => client.close());
  return client;
}

const schema = {
  type: 'object',
  properties: { name: { type: 'string', 'x-selector': 'body' } },
} as const;

const base = { browser: false, cache: false } as const;

describe('defaults', () => {
  test('of pages hold for scrape, parse, crawls, plans and batches, unless a call says otherwise', async () => {
    const client = closing(
      createClient({
        ...base,
        engines: [webOf()],
        defaults: { scrape: { formats: ['links'] }, crawl: { sitemap: 'skip', limit: 2 } },
      }),
    );
    const fields = (page: object | undefined): string[] =>
      Object.keys(page ?? {}).filter((name) => ['links', 'markdown'].includes(name));
    const page = await client.scrape(url);
    expect(page.links).toEqual([`${url}a`, `${url}b`]);
    expect(fields(page)).toEqual(['links']);
    expect(fields(await client.parse('<p>x'))).toEqual(['links']);
    expect(fields(await client.scrape(url, { formats: ['markdown'] }))).toEqual(['markdown']);
    expect(fields(await client.scrape(url, { formats: undefined }))).toEqual(['links']);
    const crawled = await client.crawl(url);
    expect(crawled.data.map(fields)).toEqual([['links'], ['links']]);
    const otherwise = await client.crawl(url, {
      limit: 3,
      scrapeOptions: { onlyMainContent: false },
    });
    expect(otherwise.data.map(fields)).toEqual([['links'], ['links'], ['links']]);
    const byUrl = await client.crawl(url, { scrapeOptions: () => ({ formats: ['markdown'] }) });
    expect(byUrl.data.map(fields)).toEqual([['markdown'], ['markdown']]);
    const some = client.crawl(url, { scrapeOptions: () => ({ onlyMainContent: false }) });
    expect((await some).data.map(fields)).toEqual([['links'], ['links']]);
    expect((await client.plan(url)).pages).toHaveLength(2);
    const batch = await client.batchScrape([url]);
    expect(batch.data.map(fields)).toEqual([['links']]);
    expect(batch.data[0]?.links).toEqual(page.links);
  });

  test('of batches, maps and extractions', async () => {
    const client = closing(
      createClient({
        ...base,
        engines: [webOf()],
        defaults: {
          batchScrape: { errorPages: 'keep' },
          map: { limit: 1, sitemap: 'skip' },
          extract: { limit: 1, unverified: 'null' },
        },
      }),
    );
    const batch = await client.batchScrape([`${url}missing`]);
    expect(batch).toMatchObject({ completed: 1, failed: 0 });
    expect((await client.map(url)).links).toHaveLength(1);
    expect((await client.map(url, { limit: 2 })).links).toHaveLength(2);
    const { pages } = await client.extract({
      urls: [`${url}*`],
      schema,
      ignoreSitemap: true,
    });
    expect(pages).toHaveLength(1);
  });

  test('of requests reach what each verb asks for; secrets only where the caller can know it', async () => {
    await using server = await serve({ '/': pageOf('start', ['/a']), '/a': pageOf('a') });
    const client = closing(
      createClient({
        ...base,
        network: { allow: ['127.0.0.1'] },
        defaults: {
          scrape: {
            headers: { authorization: 'Bearer secret', 'accept-language': 'de' },
            waitFor: 0,
            retries: 0,
          },
          crawl: { sitemap: 'skip' },
        },
      }),
    );
    /** Values of a header that the pages were asked with. */
    const sent = (name: string): unknown[] => {
      const pages = server.log.filter(({ url: path }) => path === '/' || path === '/a');
      const values = new Set(pages.map(({ headers }) => headers[name]));
      server.clearLog();
      return [...values];
    };
    const calls: readonly (() => PromiseLike<unknown>)[] = [
      () => client.scrape(server.origin),
      () => client.crawl(server.origin),
      () => client.batchScrape([server.origin]),
      () => client.map(server.origin),
      () => client.extract({ urls: [server.origin], schema }),
    ];
    for (const call of calls) {
      await call();
      expect(sent('authorization')).toEqual(['Bearer secret']);
    }
    await client.crawl(server.origin, { scrapeOptions: () => ({ timeout: 5000 }) });
    expect(sent('accept-language')).toEqual(['de']);
    await client.crawl(server.origin, { scrapeOptions: () => ({ timeout: 5000 }) });
    expect(sent('authorization')).toEqual([undefined]);
    const given = client.extend({ defaults: { scrape: { engine: 'browser', waitFor: 10 } } });
    expect((await closing(given).parse('<h1>Held')).markdown).toContain('Held');
    expect((await given.scrape({ html: '<h1>Held' })).markdown).toContain('Held');
  });

  test('that keep nothing hold for content and extractions, and need an object in a crawl', async () => {
    const storage = memoryStore();
    const defaults = { scrape: { zeroDataRetention: true } };
    const client = closing(createClient({ ...base, engines: [webOf()], storage, defaults }));
    const formats = ['markdown', 'changeTracking'] as const;
    await client.parse('<h1>Held', { url: 'https://a.test/', formats });
    await client.extract({ urls: [url], schema });
    const keys: string[] = [];
    for await (const key of storage.list('')) keys.push(key);
    expect(keys).toEqual([]);
    expect(() => client.crawl(url, { scrapeOptions: () => ({}) })).toThrow(
      'pass an object instead of a function',
    );
  });

  test('with cookies have a history, which changes() finds by them', async () => {
    const cookies = [{ name: 'a', value: 'b', domain: new URL(url).hostname }];
    const client = closing(
      createClient({
        ...base,
        engines: [webOf()],
        storage: memoryStore(),
        defaults: { scrape: { cookies } },
      }),
    );
    await client.scrape(url, { formats: ['markdown', 'changeTracking'] });
    expect(await client.changes(url)).toHaveLength(1);
    const other = closing(client.extend({ defaults: { scrape: { cookies: [] } } }));
    expect(await other.changes(url)).toHaveLength(0);
    expect(await other.changes(url, { scrapeOptions: { cookies } })).toHaveLength(1);
  });

  const wrong: readonly (readonly [
    ClientOptions['defaults'],
    readonly (string | number)[],
    RegExp,
  ])[] = [
    [
      { scrape: { fomats: [] } as object },
      ['defaults', 'scrape', 'fomats'],
      /did you mean "formats"/,
    ],
    [{ scrape: { formats: ['markdwon'] } }, ['defaults', 'scrape', 'formats', 0], /markdown/],
    [{ scrape: { timeout: 0 } }, ['defaults', 'scrape', 'timeout'], />=1/],
    [
      { scrape: { signal: AbortSignal.abort() } as object },
      ['defaults', 'scrape', 'signal'],
      /each call/,
    ],
    [{ crawl: { limit: 0 } }, ['defaults', 'crawl', 'limit'], /1/],
    [
      { crawl: { scrapeOptions: {} } as object },
      ['defaults', 'crawl', 'scrapeOptions'],
      /defaults\.scrape/,
    ],
    [{ crawl: { hooks: {} } as object }, ['defaults', 'crawl', 'hooks'], /createClient\(\{ hooks/],
    [
      { batchScrape: { formats: [] } as object },
      ['defaults', 'batchScrape', 'formats'],
      /defaults\.scrape/,
    ],
    [{ map: { limit: -1 } }, ['defaults', 'map', 'limit'], /1/],
    [{ extract: { schema: {} } as object }, ['defaults', 'extract', 'schema'], /each call/],
    [{ extract: { mode: 'llm' as 'auto' } }, ['defaults', 'extract', 'mode'], /mode/],
    [{ crawls: {} } as object, ['defaults', 'crawls'], /did you mean "defaults\.crawl"/],
  ];

  test.each(wrong)('%o are refused when the client is made', (defaults, path, message) => {
    const open = (): unknown => createClient({ ...base, defaults });
    expect(open).toThrow(message);
    expect(open).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [expect.objectContaining({ path })],
      }) as ValidationError,
    );
  });

  test('a resumed job keeps those that it was started with', async () => {
    const storage = memoryStore();
    const first = closing(
      createClient({
        ...base,
        storage,
        engines: [webOf()],
        defaults: { scrape: { formats: ['links'] } },
      }),
    );
    const job = first.batchScrape([url, `${url}a`, `${url}b`], { maxConcurrency: 1 });
    job.on('page', () => first.close());
    await job.catch(() => undefined);
    expect(job.progress.pending).toBeGreaterThan(0);
    const second = closing(
      createClient({
        ...base,
        storage,
        engines: [webOf()],
        defaults: { scrape: { formats: ['html'] } },
      }),
    );
    const { data } = await second.jobs.resume<['links']>(job.id);
    expect(data.map((page) => Object.keys(page).includes('links'))).toEqual([true, true, true]);
  });
});

describe('client.extend()', () => {
  test('takes over parts, merges defaults by option and appends hooks', async () => {
    const web = webOf();
    const storage = memoryStore();
    const calls: string[] = [];
    const hooks = (name: string): Hooks => ({ beforeRequest: () => void calls.push(name) });
    const words = defineFormat({ name: 'words', needs: 'content', run: () => 5 });
    const client = closing(
      createClient({
        ...base,
        engines: [web],
        storage,
        formats: [words],
        hooks: hooks('first'),
        defaults: {
          scrape: { formats: ['words'], onlyMainContent: false },
          crawl: { sitemap: 'skip' },
        },
      }),
    );
    const further = closing(
      client
        .extend({ hooks: hooks('second'), defaults: { crawl: { limit: 1 } } })
        .extend({ hooks: hooks('third') }),
    );
    const job = further.crawl(url);
    const { data } = await job;
    expect(data.map(({ words: count }) => count)).toEqual([5]);
    expect(calls).toEqual(['first', 'second', 'third']);
    expect(web.log.filter((asked) => asked === url)).toHaveLength(1);
    expect((await client.jobs.list()).map(({ id }) => id)).toEqual([job.id]);
    calls.length = 0;
    expect((await client.scrape(url)).words).toBe(5);
    expect(calls).toEqual(['first']);
    const other = closing(further.extend({ defaults: { scrape: { formats: ['links'] } } }));
    expect(Object.keys(await other.scrape(url))).toEqual(
      expect.arrayContaining(['links', 'metadata']),
    );
    expect((await other.scrape(url)).links).toHaveLength(2);
  });

  test('closing one leaves the other as it is', async () => {
    const first = closing(createClient({ ...base, engines: [webOf()] }));
    const second = closing(first.extend({ userAgent: 'second' }));
    await first.close();
    await expect(first.scrape(url)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await second.scrape(url)).markdown).toContain('start');
    const third = closing(second.extend({}));
    await second.close();
    expect((await third.scrape(url)).markdown).toContain('start');
  });

  test('refuses what createClient refuses', () => {
    const client = closing(createClient(base));
    expect(() => client.extend({ defaults: { scrape: { timeout: 0 } } })).toThrow(
      /defaults\.scrape/,
    );
    expect(() => client.extend({ storag: memoryStore() } as object)).toThrow(
      /did you mean "storage"/,
    );
  });
});
