import { createClient, type CrawlOptions, defineFormat, ValidationError } from 'pagewright';
import { hang, latency, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb } from '../support/memory-web.ts';
import { isDeep, rareTest } from '../support/deep.ts';

const journal = 'fixtures/sites/journal';
const local = { network: { allow: ['127.0.0.1'] } };

const menu =
  '<ul><li><a href="/">Home</a></li><li><a href="/p/1">First</a></li><li><a href="/p/2">Second</a></li></ul>';
const promotion = '<div><h3>Lectures</h3><p>Six evenings, six instruments, one stove.</p></div>';

/** Page `n` of a site where each leads to its five next ones, with text of its own. */
function page(n: number, extra = ''): string {
  const links = [1, 2, 3, 4, 5].map((step) => `<a href="/p/${n * 5 + step}">${n}-${step}</a>`);
  return (
    `<!doctype html><title>Page ${n}</title>${menu}<h1>Page ${n}</h1>` +
    `<p>Page ${n} says what it says in words of its own, and says it once.</p>${promotion}` +
    `<p>The end of page ${n} is this.</p>${extra}<p>${links.join(' ')}</p>`
  );
}

const pathsTo = (count: number): string[] => [
  '/',
  ...Array.from({ length: count - 1 }, (_, n) => `/p/${n + 1}`),
];

const numberOf = (path: string): number => Number(/\/p\/(\d+)$/.exec(path)?.[1] ?? 0);

/** What does not depend on chance. */
function plain(document: { metadata: { scrapeId: string } }): string {
  return JSON.stringify({ ...document, metadata: { ...document.metadata, scrapeId: '' } });
}

describe('crawl() with removeRepeatedBlocks', () => {
  const crawlJournal = async (options: CrawlOptions): Promise<Map<string, string>> => {
    await using server = await serve(journal);
    await using client = createClient(local);
    const { data } = await client.crawl(server.origin, options);
    return new Map(
      data.map(({ markdown = '', metadata }) => [new URL(metadata.url).pathname, markdown]),
    );
  };

  /** The site's name, menu, promotion, notice, sidebar and footer, as they are on a note. */
  const repeated =
    /^\[Journal of|\[Instruments\]|winter lectures|Six evenings|Reserve a seat|three neighbours|Lately|hand press|Share this|\[Bees and[^]*\[How a kettle[^]*$|^- \[Weighing a cloud/;

  it.each([true, false])(
    'leaves out what stands on most pages (onlyMainContent: %s)',
    async (onlyMainContent) => {
      const scrapeOptions = { onlyMainContent };
      const before = await crawlJournal({ scrapeOptions });
      const after = await crawlJournal({ scrapeOptions, removeRepeatedBlocks: true });
      expect(before.size).toBe(24);
      expect([...after.keys()]).toEqual([...before.keys()]);
      const blocks = [before, after].map((pages) =>
        pages
          .get('/notes/rust-and-rain.html')
          ?.replaceAll(/127[^/)]*/g, 'host')
          .split('\n\n'),
      );
      expect(blocks[0]).toContain('### Come to the winter lectures');
      expect(blocks[1]).toEqual(blocks[0]?.filter((block) => !repeated.test(block)));
      expect(blocks[1]?.length).toBeGreaterThan(4);
      expect(after.get('/')).toContain('[A clock of candles]');
      expect(after.get('/about.html')).toContain('argument about the height');
      expect([...after.values()].join()).not.toMatch(/winter lectures|three neighbours|Lately/);
    },
  );

  it('shows the links of what is left, and follows all of them', async () => {
    await using server = await serve(journal);
    await using client = createClient(local);
    const { data } = await client.crawl(server.origin, {
      removeRepeatedBlocks: true,
      scrapeOptions: { formats: ['links', 'html', 'rawHtml'], onlyMainContent: false },
    });
    expect(data).toHaveLength(24);
    const note = data.find(({ metadata }) => metadata.url.endsWith('/rust-and-rain.html'));
    expect(note?.links).toEqual([]);
    expect(note?.html).not.toContain('winter lectures');
    expect(note?.rawHtml).toContain('winter lectures');
  });

  it('is an option of crawl() and of nothing else', async () => {
    await using client = createClient(local);
    const misplaced: object = { removeRepeatedBlocks: true };
    await expect(client.scrape('http://site.test/', misplaced)).rejects.toThrow(
      /removeRepeatedBlocks"; it is an option of crawl\(\) itself/,
    );
    expect(() => client.crawl('http://site.test/', { scrapeOptions: misplaced })).toThrow(
      ValidationError,
    );
    const wrong = { removeRepeatedBlocks: 'yes' } as unknown as CrawlOptions;
    expect(() => client.crawl('http://site.test/', wrong)).toThrow(/removeRepeatedBlocks/);
  });
});

describe('the documents of a crawl with removeRepeatedBlocks', () => {
  rareTest(
    'are the same byte for byte whatever the latencies and the concurrency',
    async () => {
      const pages: Record<string, string> = {};
      for (const path of pathsTo(64)) pages[path] = page(numberOf(path));
      // One of them is read on a thread, one cannot be found, one says nothing of its own.
      pages['/p/3'] = page(3, `<div>${'<b>x</b>, '.repeat(6000)}</div>`);
      delete pages['/p/20'];
      pages['/p/21'] = menu + promotion;
      const runs: string[][] = [];
      const runsOf = isDeep('the same blocks ten times')
        ? [1, 4, 8, 4, 8, 4, 8, 4, 8, 8]
        : [1, 4, 8];
      for (const [run, maxConcurrency] of runsOf.entries()) {
        await using server = await serve(pages, {
          behaviours: { '/p/*': latency({ max: run === 0 ? 5 : 80, seed: run }) },
        });
        await using client = createClient(local);
        const { data } = await client.crawl(server.origin, {
          maxConcurrency,
          removeRepeatedBlocks: true,
          excludePaths: ['/p/(6[4-9]|[7-9]\\d|\\d{3})'],
          scrapeOptions: { formats: ['markdown', 'links'], onlyMainContent: false },
        });
        runs.push(data.map((document) => plain(document).replaceAll(server.origin, 'origin')));
      }
      expect(runs[0]).toHaveLength(63);
      expect(runs[0]?.filter((text) => text.includes('Lectures'))).toHaveLength(1);
      for (const run of runs) expect(run).toEqual(runs[0]);
    },
    60_000,
  );

  it.each([20, 75])(
    'are the same %i when formats fail, with the pages behind those that fail',
    async (limit) => {
      const picky = defineFormat({
        name: 'picky',
        needs: 'content',
        run: ({ url }) => {
          if (numberOf(new URL(url).pathname) % 7 === 3) throw new Error('not this one');
          return url;
        },
      });
      const runs: unknown[] = [];
      for (const maxConcurrency of [1, 3, 16]) {
        const web = memoryWeb((url) => {
          const n = numberOf(new URL(url).pathname);
          const links = `<p><a href="/p/${2 * n + 1}">a</a> <a href="/p/${2 * n + 2}">b</a></p>`;
          return n > 120 || !/^\/(p\/\d+)?$/.test(new URL(url).pathname)
            ? undefined
            : {
                body: `<p>Page ${n} is number ${n}.</p>${promotion}${links}`,
                delay: (n * 7) % 5,
              };
        });
        await using client = createClient({ engines: [web] });
        const job = client.crawl('http://site.test/', {
          maxConcurrency,
          limit,
          removeRepeatedBlocks: true,
          scrapeOptions: { formats: [picky] },
        });
        const { data, completed, failed } = await job;
        expect(completed).toBe(limit);
        expect(failed).toBeGreaterThan(2);
        runs.push([
          data.map(plain),
          job.errors().map(({ url, error }) => [url, error]),
          job.skipped().map(({ url, reason }) => `${url} ${reason}`),
        ]);
      }
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    },
  );

  it('come in the order that they have without it, from several hosts', async () => {
    const hosts = ['a.test', 'b.test', 'c.test'];
    const web = memoryWeb((url) => {
      const { hostname, pathname } = new URL(url);
      const n = numberOf(pathname);
      const others = hosts.map((host) => `<a href="http://${host}/p/${n + 1}">${host} ${n}</a>`);
      if (n > 20 || !/^\/(p\/\d+)?$/.test(pathname)) return undefined;
      return {
        body: `<p>${hostname} says number ${n}.</p>${promotion}<p>${others.join(' ')}</p>`,
        delay: n % 3,
      };
    });
    const run = async (removeRepeatedBlocks: boolean): Promise<[string, string][]> => {
      await using client = createClient({ engines: [web] });
      const { data } = await client.crawl('http://a.test/', {
        removeRepeatedBlocks,
        allowExternalLinks: true,
        scrapeOptions: { onlyMainContent: false },
      });
      return data.map(({ metadata, markdown }) => [metadata.url, markdown]);
    };
    const [without, removed] = [await run(false), await run(true)];
    expect(removed.map(([url]) => url)).toEqual(without.map(([url]) => url));
    expect(without.filter(([, markdown]) => markdown.includes('Lectures'))).toHaveLength(61);
    expect(removed.filter(([, markdown]) => markdown.includes('Lectures'))).toEqual([]);
    expect(new Set(removed.map(([url]) => new URL(url).host))).toEqual(new Set(hosts));
  });
});

describe('a job with removeRepeatedBlocks', () => {
  const site = (delay = 1): ReturnType<typeof memoryWeb> =>
    memoryWeb((url) => {
      const { pathname } = new URL(url);
      return /^\/(p\/\d+)?$/.test(pathname)
        ? { body: page(numberOf(pathname)), delay, fails: numberOf(pathname) % 10 === 9 }
        : undefined;
    });
  const options = {
    removeRepeatedBlocks: true,
    scrapeOptions: { retries: 0, onlyMainContent: false },
  };

  it.each([1, 2, 31, 32, 33, 60])('keeps exactly %i documents', async (limit) => {
    const web = site();
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', { ...options, limit });
    const totals: boolean[] = [];
    const check = (): void => {
      const { discovered, completed, failed, skipped, pending } = job.progress;
      totals.push(discovered === completed + failed + skipped + pending);
    };
    job.on('page', check);
    job.on('pageFailed', check);
    job.on('skipped', check);
    const result = await job;
    check();
    expect(result.data).toHaveLength(limit);
    expect(result).toMatchObject({ status: 'completed', completed: limit, pending: 0 });
    expect(totals).not.toContain(false);
    const promoted = result.data.filter(({ markdown }) => markdown.includes('Lectures'));
    expect(promoted).toHaveLength(limit < 3 ? limit : 0);
    const requests = web.log.filter((url) => !/robots|sitemap/.test(url));
    expect(requests).toHaveLength(limit + result.failed);
  });

  it('goes on at the pace of a slow loop', async () => {
    await using client = createClient({ engines: [site()] });
    const seen: string[] = [];
    const job = client.crawl('http://site.test/', { ...options, limit: 90 });
    for await (const { metadata } of job) {
      seen.push(metadata.url);
      if (seen.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(seen).toHaveLength(90);
  });

  it('gives what was delivered when it is cancelled, and the rest is pending', async () => {
    await using client = createClient({ engines: [site()] });
    const job = client.crawl('http://site.test/', options);
    job.on('page', () => {
      if (job.progress.completed === 20) job.cancel();
    });
    const { status, data, ...counts } = await job;
    expect(status).toBe('cancelled');
    expect(data).toHaveLength(20);
    expect(counts.pending).toBeGreaterThan(0);
    expect(counts.discovered).toBe(
      counts.completed + counts.failed + counts.skipped + counts.pending,
    );
  });

  it('is cancelled while pages are held', async () => {
    await using server = await serve(
      Object.fromEntries(pathsTo(20).map((path) => [path, page(numberOf(path))])),
      { behaviours: { '/p/19': hang() } },
    );
    await using client = createClient(local);
    const job = client.crawl(server.origin, { ...options, sitemap: 'skip' });
    while (!server.log.some(({ url }) => url === '/p/19')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    job.cancel();
    const result = await job;
    expect(result).toMatchObject({ status: 'cancelled', completed: 0 });
    expect(result.pending).toBeGreaterThan(0);
  });

  it('fails when the start page cannot be read as it was asked for', async () => {
    await using client = createClient({ engines: [memoryWeb({ 'http://site.test/': page(0) })] });
    const broken = defineFormat({
      name: 'broken',
      needs: 'content',
      run: () => {
        throw new Error('never');
      },
    });
    const job = client.crawl('http://site.test/', {
      removeRepeatedBlocks: true,
      limit: 1,
      scrapeOptions: { formats: [broken] },
    });
    await expect(job).rejects.toMatchObject({ code: 'HOOK_FAILED', url: 'http://site.test/' });
  });
});
