import { type BatchOptions, createClient, PagewrightError, ValidationError } from 'pagewright';
import { hang, serve, status } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf } from '../support/memory-web.ts';

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
});
