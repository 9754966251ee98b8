import {
  type BatchJob,
  type BatchOptions,
  createClient,
  PagewrightError,
  ValidationError,
} from 'pagewright';
import { hang, serve, status } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf } from '../support/memory-web.ts';
import { receiver, signature } from '../core/jobs/webhooks/receiver.ts';

const urlsTo = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `http://site.test/${n}`);

/** Any page of site.test, after a time that is different at each run. */
const web = (): ReturnType<typeof memoryWeb> =>
  memoryWeb((url) => {
    const { hostname, pathname } = new URL(url);
    if (pathname.startsWith('/broken')) return { fails: true };
    if (pathname.startsWith('/none')) return undefined;
    return {
      body: pageOf(`${hostname}${pathname}`, [`${pathname}-next`]),
      delay: Math.floor(Math.random() * 20),
    };
  });

const pathsOf = (data: readonly { readonly metadata: { readonly url: string } }[]): string[] =>
  data.map(({ metadata }) => new URL(metadata.url).pathname);

describe('batchScrape', () => {
  it('gives the documents in the order of the URLs, whatever the timing', async () => {
    await using client = createClient({ engines: [web()], cache: false });
    const urls = urlsTo(60);
    for (const maxConcurrency of [1, 7, 50]) {
      const job = client.batchScrape(urls, { maxConcurrency, formats: ['markdown', 'links'] });
      const result = await job;
      expect(result.data.map(({ metadata }) => metadata.sourceURL)).toEqual(urls);
      expect(result.data[3]?.links).toEqual(['http://site.test/3-next']);
      expect(result.data[3]?.markdown).toContain('site.test/3');
      expect(result).toMatchObject({
        status: 'completed',
        completed: 60,
        total: 60,
        creditsUsed: 60,
      });
      expect(result.usage.requests).toBe(60);
    }
  });

  it('asks for the URLs as they are: no robots.txt, no links, nothing twice', async () => {
    const engine = web();
    await using client = createClient({ engines: [engine] });
    await client.batchScrape(['http://site.test/a', 'http://site.test/b', 'http://site.test/a']);
    expect(engine.log.sort()).toEqual(['http://site.test/a', 'http://site.test/b']);
  });

  it('takes URLs that are given twice as one document, and says so', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape([
      'site.test/a',
      'http://site.test/a#part',
      new URL('http://site.test/b'),
      'http://site.test/b',
      'http://site.test/b/',
    ]);
    const result = await job;
    expect(pathsOf(result.data)).toEqual(['/a', '/b', '/b/']);
    expect(job.skipped()).toEqual([
      { url: 'http://site.test/a#part', reason: 'DUPLICATE_URL', rule: 'http://site.test/a' },
      { url: 'http://site.test/b', reason: 'DUPLICATE_URL', rule: 'http://site.test/b' },
    ]);
    expect(result).toMatchObject({
      discovered: 5,
      completed: 3,
      skipped: 2,
      failed: 0,
      pending: 0,
    });
    expect(job.explain('site.test/a')).toMatchObject({ state: 'completed' });
    expect(job.explain('http://site.test/a#part')).toMatchObject({ reason: 'DUPLICATE_URL' });
  });

  it('lists what is no URL, or refuses it at once', async () => {
    const engine = web();
    await using client = createClient({ engines: [engine] });
    const urls = ['http://site.test/a', 'http://', '', 'ftp://site.test/x', '/relative'];
    const job = client.batchScrape(urls);
    expect(job.invalidURLs).toEqual(['http://', '', 'ftp://site.test/x', '/relative']);
    expect(pathsOf((await job).data)).toEqual(['/a']);
    const strict = { ignoreInvalidURLs: false };
    engine.log.length = 0;
    expect(() => client.batchScrape(urls, strict)).toThrow(ValidationError);
    try {
      client.batchScrape(urls, strict);
    } catch (error) {
      expect((error as ValidationError).issues.map(({ path }) => path)).toEqual(
        [1, 2, 3, 4].map((index) => ['urls', index]),
      );
    }
    expect(engine.log).toEqual([]);
  });

  it.each<[unknown, unknown, string]>([
    ['http://site.test/', {}, 'urls'],
    [[5], {}, 'urls[0]'],
    [[], { formats: ['markdwon'] }, 'did you mean "markdown"?'],
    [[], { maxConcurency: 3 }, 'maxConcurency'],
    [[], { maxConcurrency: 0 }, 'maxConcurrency'],
    [[], { budget: { seconds: -1 } }, 'budget.seconds'],
    [[], { webhook: 'nowhere' }, 'webhook'],
  ])('refuses %o with %o at once', async (urls, options, message) => {
    await using client = createClient({ engines: [web()] });
    const start = (): unknown => client.batchScrape(urls as string[], options as BatchOptions);
    expect(start).toThrow(ValidationError);
    expect(start).toThrow(message);
  });

  it('keeps going when pages fail: failures are data, even when all pages fail', async () => {
    await using client = createClient({ engines: [web()] });
    const options = { retries: 0 };
    const job = client.batchScrape(
      ['http://site.test/broken/1', 'http://site.test/a', 'http://site.test/none'],
      options,
    );
    const result = await job;
    expect(result.data.map(({ metadata }) => metadata.statusCode)).toEqual([200]);
    expect(result.errors).toMatchObject([
      { url: 'http://site.test/broken/1', code: 'CONNECTION_RESET' },
      { url: 'http://site.test/none', code: 'HTTP_STATUS', statusCode: 404 },
    ]);
    const failed = await client.batchScrape(['http://site.test/broken/1'], options);
    expect(failed).toMatchObject({ status: 'completed', failed: 1, data: [] });
    expect(await client.batchScrape([])).toMatchObject({ status: 'completed', discovered: 0 });
  });

  it('sends the user name and password of a URL with its page only', async () => {
    const seen: (string | undefined)[] = [];
    const engine = web();
    const spying = {
      ...engine,
      fetch: (request: Parameters<typeof engine.fetch>[0]) => {
        seen.push(request.headers.authorization);
        return engine.fetch(request);
      },
    };
    await using client = createClient({ engines: [spying] });
    const { data } = await client.batchScrape(
      ['http://ann:secret@site.test/a', 'http://site.test/b'],
      { maxConcurrency: 1 },
    );
    expect(seen).toEqual([`Basic ${Buffer.from('ann:secret').toString('base64')}`, undefined]);
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it('leaves a host alone that asks for a pause, while pages of other hosts go on', async () => {
    const paths = urlsTo(6).map((url) => new URL(url).pathname);
    const pages = Object.fromEntries(paths.map((path) => [path, pageOf(path)]));
    const times: number[] = [];
    await using busy = await serve(pages, {
      behaviours: {
        '/0': async (exchange) => {
          times.push(Date.now());
          if (times.length === 1) await status({ code: 429, retryAfter: 2 })(exchange);
          else exchange.send(await exchange.page());
        },
      },
    });
    await using idle = await serve(pages);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const urls = [`${busy.origin}/0`, ...paths.map((path) => idle.origin + path)];
    const job = client.batchScrape(urls, { maxConcurrency: 2, proxy: 'basic' });
    while (idle.log.length < 6) await new Promise((resolve) => setTimeout(resolve, 10));
    const othersAt = Date.now();
    const { data } = await job;
    expect(data.map(({ metadata }) => metadata.url)).toEqual(urls);
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(1990);
    expect(othersAt).toBeLessThan(second);
  });
});

describe('job.add', () => {
  it('appends while the batch runs, behind what there is', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape(urlsTo(3));
    job.add(['http://site.test/x', 'nonsense:']);
    job.add(['http://site.test/1', 'http://site.test/y']);
    expect(pathsOf((await job).data)).toEqual(['/0', '/1', '/2', '/x', '/y']);
    expect(job.invalidURLs).toEqual(['nonsense:']);
    expect(job.skipped()).toMatchObject([{ url: 'http://site.test/1', reason: 'DUPLICATE_URL' }]);
  });

  it('starts what is added although another page hangs', async () => {
    await using server = await serve(
      { '/slow': '', '/a': pageOf('a') },
      { behaviours: { '/slow': hang() } },
    );
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const job = client.batchScrape([`${server.origin}/slow`]);
    const settled = (async () => {
      while (server.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      job.add([`${server.origin}/a`]);
      while (server.log.length === 1) await new Promise((resolve) => setTimeout(resolve, 10));
    })();
    await settled;
    job.cancel();
    expect((await job).status).toBe('cancelled');
  });

  it('lets a loop over the job add what it finds, down to the last page', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape(['http://site.test/0'], { formats: ['links'] });
    const seen: string[] = [];
    for await (const page of job) {
      seen.push(new URL(page.metadata.url).pathname);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (seen.length < 5) job.add(page.links);
    }
    expect(seen).toEqual([
      '/0',
      '/0-next',
      '/0-next-next',
      '/0-next-next-next',
      '/0-next-next-next-next',
    ]);
    expect(job.progress.status).toBe('completed');
  });

  it('lets a listener add what it finds', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape(['http://site.test/0'], { formats: ['links'] });
    job.on('page', ({ links }) => {
      if (job.progress.completed < 4) job.add(links);
    });
    expect((await job).completed).toBe(4);
  });

  it('throws when the batch has ended', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape(urlsTo(1));
    await job;
    expect(() => job.add(urlsTo(2))).toThrow(PagewrightError);
    expect(() => job.add(urlsTo(2))).toThrow(/has ended/);
    const strict = client.batchScrape(urlsTo(1), { ignoreInvalidURLs: false });
    expect(() => strict.add(['http://site.test/ok', ''])).toThrow(ValidationError);
    expect((await strict).discovered).toBe(1);
  });
});

describe('a batch is a job', () => {
  it('can be iterated, asked for its status, found by its id and cancelled', async () => {
    await using client = createClient({ engines: [web()] });
    const job = client.batchScrape(urlsTo(20));
    const crawl = client.crawl('http://site.test/c', { limit: 2, sitemap: 'skip' });
    expect(await client.jobs.list()).toMatchObject([
      { id: job.id, verb: 'batchScrape', isRunning: true },
      { id: crawl.id, verb: 'crawl', url: 'http://site.test/c' },
    ]);
    const found = client.jobs.get(job.id);
    expect('add' in found).toBe(true);
    const pages: string[] = [];
    for await (const page of job) pages.push(page.metadata.sourceURL);
    expect(pages).toEqual(urlsTo(20));
    expect((await job.status({ skip: 18 })).data).toHaveLength(2);
    const long = client.batchScrape(urlsTo(500), { maxConcurrency: 2 });
    for await (const _ of long) break;
    await long.settled();
    expect(long.progress).toMatchObject({ status: 'cancelled' });
    expect(long.progress.completed).toBeLessThan(100);
    await crawl;
  });

  it('waits for a slow reader', async () => {
    const engine = web();
    await using client = createClient({ engines: [engine] });
    const job = client.batchScrape(urlsTo(300), { maxConcurrency: 4 });
    const reader = job[Symbol.asyncIterator]();
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(engine.log.length).toBeLessThan(60);
    await reader.return();
  });

  it('ends with its budget', async () => {
    await using server = await serve(
      { '/a': pageOf('a'), '/slow': '', '/b': pageOf('b') },
      { behaviours: { '/slow': hang() } },
    );
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const timed = client.batchScrape(
      ['/a', '/slow', '/b'].map((path) => server.origin + path),
      { budget: { seconds: 1.5 } },
    );
    const result = await timed;
    expect(pathsOf(result.data)).toEqual(['/a', '/b']);
    expect(timed.skipped()).toEqual([
      { url: `${server.origin}/slow`, reason: 'BUDGET', rule: 'budget.seconds: 1.5' },
    ]);
    expect(result).toMatchObject({ status: 'completed', failed: 0, pending: 0 });
    expect(result.warning).toContain('budget.seconds: 1.5');

    await using other = createClient({ engines: [web()] });
    const counted = other.batchScrape(urlsTo(40), { budget: { credits: 5 }, maxConcurrency: 16 });
    expect(pathsOf((await counted).data)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(counted.progress).toMatchObject({ skipped: 35, pending: 0 });
  });

  it('asks the hooks of the client', async () => {
    await using client = createClient({
      engines: [web()],
      hooks: {
        beforeRequest: ({ url, skip }) => {
          if (url.endsWith('/1')) skip('not this one');
        },
        onDocument: ({ document }) => ({ ...document, mine: true }),
        onError: ({ url }) => (url.endsWith('/broken/2') ? { instead: true } : undefined),
      },
    });
    const job = client.batchScrape(
      [
        'http://site.test/0',
        'http://site.test/1',
        'http://site.test/broken/2',
        'http://site.test/broken/3',
      ],
      { retries: 0 },
    );
    const { data } = await job;
    expect(data).toMatchObject([{ mine: true }, { instead: true }]);
    expect(job.skipped()).toMatchObject([
      { url: 'http://site.test/1', reason: 'EXCLUDE', rule: 'hooks.beforeRequest: not this one' },
    ]);
    expect(job.errors()).toMatchObject([{ url: 'http://site.test/broken/3' }]);
  });

  it('tells its webhook, in order', async () => {
    const secret = 'tell nobody';
    await using there = await receiver();
    await using client = createClient({ engines: [web()], network: { allow: ['127.0.0.1'] } });
    const job = client.batchScrape(urlsTo(3), { webhook: { url: there.url, secret } });
    await job.delivered();
    const bodies = there.bodies();
    for (const { body, headers } of there.server.log) {
      expect(headers['x-pagewright-signature']).toBe(signature(body, secret));
    }
    expect(bodies.map(({ type }) => type)).toEqual([
      'batch_scrape.started',
      'batch_scrape.page',
      'batch_scrape.page',
      'batch_scrape.page',
      'batch_scrape.completed',
    ]);
    expect(bodies.flatMap(({ data }) => data)).toMatchObject(
      urlsTo(3).map((sourceURL) => ({ metadata: { sourceURL } })),
    );
  });

  it('stores nothing with zeroDataRetention', async () => {
    const keys: string[] = [];
    const { memoryStore } = await import('pagewright');
    const storage = memoryStore();
    await using client = createClient({ engines: [web()], storage });
    const job: BatchJob<unknown> = client.batchScrape(urlsTo(2), { zeroDataRetention: true });
    expect((await job).data).toHaveLength(2);
    for await (const key of storage.list('')) keys.push(key);
    expect(keys).toEqual([]);
  });
});
