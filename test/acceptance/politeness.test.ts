/** Politeness, measured at the servers. Two ports of one address are two hosts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client.ts';
import type { Hooks } from '../../src/core/model/hooks.ts';
import {
  type Behaviour,
  type FixtureServer,
  redirectTo,
  serve,
} from '../../src/entries/testing/index.ts';
import { failure } from '../support/failure.ts';
import { rareTest } from '../support/deep.ts';

const pageOf = (title: string, links: readonly string[] = []): string =>
  `<!DOCTYPE html><title>${title}</title><main><h1>${title}</h1><p>What ${title} has to say.</p>` +
  links.map((href) => `<a href="${href}">${href}</a>`).join(' ') +
  '</main>';

/** `/` links to `/p1` … `/p<count>`, and to further URLs before them. */
const siteOf = (
  name: string,
  count: number,
  firstLinks: readonly string[] = [],
): Record<string, string> => {
  const paths = Array.from({ length: count }, (_, index) => `/p${index + 1}`);
  return {
    '/': pageOf(name, [...firstLinks, ...paths]),
    ...Object.fromEntries(paths.map((path) => [path, pageOf(`${name} ${path}`)])),
  };
};

const localClient = (): Client => createClient({ network: { allow: ['127.0.0.1'] }, cache: false });

const urlsOf = (server: FixtureServer, count: number): string[] =>
  Array.from({ length: count }, (_, index) => server.url(`/p${index + 1}`));

const startsAt = (server: FixtureServer): number[] => server.log.map(({ time }) => time);

/**
 * How much too early a request came, in ms, seen from any one before it. A single late arrival (the
 * server shares this process) shortens one gap, but not the way from the first request to the last.
 */
const tooEarly = (times: readonly number[], delay: number): number =>
  Math.max(
    ...times.flatMap((time, index) =>
      times.slice(0, index).map((before, at) => (index - at) * delay - (time - before)),
    ),
  );

/** The way of a request to the server is not always equally long. */
const jitter = 250;

/** Counts the requests that are open at the same time. */
const counted = (
  answer: Behaviour,
): { readonly behaviour: Behaviour; open: number; peak: number } => {
  const count = {
    open: 0,
    peak: 0,
    behaviour: (async (exchange) => {
      count.peak = Math.max(count.peak, (count.open += 1));
      exchange.signal.addEventListener('abort', () => (count.open -= 1), { once: true });
      await answer(exchange);
    }) satisfies Behaviour,
  };
  return count;
};

const after =
  (ms: number): Behaviour =>
  async ({ page, send, signal }) => {
    await sleep(ms, undefined, { signal });
    send(await page());
  };

const plain = { ignoreRobotsTxt: true, sitemap: 'skip' } as const;

describe('delay', () => {
  it('is kept between request starts to each host, and hosts do not wait for each other', async () => {
    await using other = await serve(siteOf('other', 5));
    await using site = await serve(siteOf('site', 5, urlsOf(other, 5)));
    await using client = localClient();
    const options = { ...plain, delay: 0.3, allowSubdomains: true, maxConcurrency: 2 };
    const { completed } = await client.crawl(site.origin, options);
    expect(completed).toBe(11);
    const [here, there] = [startsAt(site), startsAt(other)];
    expect(tooEarly(here, 300)).toBeLessThan(jitter);
    expect(tooEarly(there, 300)).toBeLessThan(jitter);
    // Side by side: neither host's pages are a block before or after the other's.
    expect(here[1]).toBeLessThan(there[1] ?? 0);
    expect(there[3]).toBeLessThan(here.at(-1) ?? 0);
  });

  it('is kept between robots.txt, sitemaps and pages too', async () => {
    const sitemap = (urls: string): string => `<?xml version="1.0"?>${urls}`;
    const pages = {
      ...siteOf('site', 3),
      '/robots.txt': 'User-agent: *\nAllow: /\nSitemap: {{origin}}/index.xml\n',
      '/index.xml': sitemap(
        '<sitemapindex><sitemap><loc>{{origin}}/a.xml</loc></sitemap></sitemapindex>',
      ),
      '/a.xml': sitemap('<urlset><url><loc>{{origin}}/p2</loc></url></urlset>'),
    };
    await using site = await serve(pages);
    await using client = localClient();
    const { completed } = await client.crawl(site.origin, { delay: 0.2 });
    expect(completed).toBe(4);
    expect(site.log.length).toBeGreaterThanOrEqual(7);
    expect(tooEarly(startsAt(site), 200)).toBeLessThan(jitter);
  });

  rareTest('is shared by two jobs of one client on one host', async () => {
    await using site = await serve(siteOf('site', 4));
    await using client = localClient();
    const options = { ...plain, delay: 0.2 };
    const jobs = [client.crawl(site.origin, options), client.crawl(site.origin, options)];
    for (const job of jobs) expect((await job).completed).toBe(5);
    expect(site.log).toHaveLength(10);
    expect(tooEarly(startsAt(site), 200)).toBeLessThan(jitter);
  });

  rareTest('is kept by redirects too, whose time it is not', async () => {
    const pages = { ...siteOf('site', 2), '/moved': pageOf('moved') };
    const moves = { '/p1': redirectTo({ location: '/moved' }) };
    await using site = await serve(pages, { behaviours: moves });
    await using client = localClient();
    const options = { ...plain, delay: 1.2, scrapeOptions: { timeout: 1000, retries: 0 } };
    const { completed, failed } = await client.crawl(site.origin, options);
    expect({ completed, failed }).toEqual({ completed: 3, failed: 0 });
    expect(site.log.map(({ url }) => url).sort()).toEqual(['/', '/moved', '/p1', '/p2']);
    expect(tooEarly(startsAt(site), 1200)).toBeLessThan(jitter);
  });

  it('ends at once with the job that waits for it', async () => {
    await using site = await serve(siteOf('site', 5));
    await using client = localClient();
    const job = client.crawl(site.origin, { ...plain, delay: 30 });
    job.on('page', () => job.cancel());
    const started = performance.now();
    expect((await job).status).toBe('cancelled');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(site.log).toHaveLength(1);
  });

  it('counts from what is sent: hooks before it take no part of it, nor do pages that one vetoes', async () => {
    await using site = await serve(siteOf('site', 7));
    await using client = localClient();
    const hooks: Hooks = {
      beforeRequest: async ({ url, skip }) => {
        if (url.endsWith('/p1')) await sleep(300);
        else if (/p[2-5]$/.test(url)) skip('not wanted');
      },
    };
    const { completed } = await client.crawl(site.origin, { ...plain, delay: 0.5, hooks });
    expect(completed).toBe(4);
    const times = startsAt(site);
    expect(tooEarly(times, 500)).toBeLessThan(jitter);
    // Four vetoes would be two seconds more.
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeLessThan(2000);
  });
});

describe('Crawl-delay', () => {
  it('is kept at the host whose robots.txt has it, while all pages of another host come', async () => {
    const robots = { '/robots.txt': 'User-agent: *\nCrawl-delay: 0.8\n' };
    await using slow = await serve({ ...siteOf('slow', 12), ...robots });
    await using site = await serve(siteOf('site', 30, urlsOf(slow, 4)));
    await using client = localClient();
    const { completed } = await client.crawl(site.origin, {
      sitemap: 'skip',
      allowSubdomains: true,
      maxConcurrency: 2,
    });
    expect(completed).toBe(35);
    const pages = startsAt(slow);
    expect(pages).toHaveLength(5);
    expect(tooEarly(pages, 800)).toBeLessThan(jitter);
    expect(Math.max(...startsAt(site))).toBeLessThan(pages.at(-1) ?? 0);
  });
});

describe('a host that does not answer', () => {
  it('keeps no slot from others while its robots.txt is waited for, nor while it is closed', async () => {
    let asked = 0;
    const busy: Behaviour = async (exchange) => {
      if ((asked += 1) > 2) return exchange.send(await exchange.page());
      exchange.response.writeHead(429, { 'retry-after': '2' }).end('Later.');
    };
    await using closed = await serve(siteOf('closed', 6), {
      behaviours: { '/robots.txt': after(1500), '/p*': busy },
    });
    await using site = await serve(siteOf('site', 30, urlsOf(closed, 6)));
    await using client = localClient();
    const { completed, data } = await client.crawl(site.origin, {
      sitemap: 'skip',
      allowSubdomains: true,
      maxConcurrency: 2,
      scrapeOptions: { proxy: 'basic' },
    });
    expect(completed).toBe(37);
    expect(data.every(({ metadata }) => metadata.statusCode === 200)).toBe(true);
    const refused = closed.log.filter(({ url }) => url !== '/robots.txt');
    const [first = 0] = refused.map(({ time }) => time);
    // What was under way together was refused together; after it nothing comes for two seconds.
    const next = refused.map(({ time }) => time).filter((time) => time > first + 500);
    expect(Math.min(...next)).toBeGreaterThanOrEqual(first + 2000);
    expect(Math.max(...startsAt(site))).toBeLessThan(Math.min(...next));
  });
});

describe('a rate limit', () => {
  /** Answers three requests a second; more than that with 429 and Retry-After. */
  const threeASecond = (): { readonly behaviour: Behaviour; refused: number } => {
    const starts: number[] = [];
    const state = {
      refused: 0,
      behaviour: (async ({ page, send, response }) => {
        const now = performance.now();
        while (starts[0] !== undefined && starts[0] <= now - 1000) starts.shift();
        if (starts.length < 3) {
          starts.push(now);
          send(await page());
          return;
        }
        state.refused += 1;
        response.writeHead(429, { 'content-type': 'text/html', 'retry-after': '1' });
        response.end('<h1>Too many requests</h1>');
      }) satisfies Behaviour,
    };
    return state;
  };
  /** What the limit allows is 5 s for 13 pages. */
  const mostSeconds = 8;

  it.each(['crawl', 'batch'])(
    'is waited out by a %s, without stealth and a browser',
    async (verb) => {
      const limit = threeASecond();
      await using site = await serve(siteOf('site', 12), { behaviours: { '*': limit.behaviour } });
      await using client = localClient();
      const started = performance.now();
      const { data, failed, creditsUsed } =
        verb === 'crawl'
          ? await client.crawl(site.origin, plain)
          : await client.batchScrape([site.url('/'), ...urlsOf(site, 12)]);
      expect(performance.now() - started).toBeLessThan(mostSeconds * 1000);
      expect({ failed, creditsUsed }).toEqual({ failed: 0, creditsUsed: 13 });
      expect(data).toHaveLength(13);
      for (const { metadata } of data) {
        expect(metadata).toMatchObject({ statusCode: 200, engine: 'http', proxyUsed: 'basic' });
      }
      expect(limit.refused).toBeGreaterThan(0);
    },
  );

  it('is no part of the own time of a page, and of its retries', async () => {
    let asked = 0;
    const busy: Behaviour = async (exchange) => {
      if ((asked += 1) > 3) return exchange.send(await exchange.page());
      exchange.response.writeHead(503, { 'retry-after': '0.5' }).end('Later.');
    };
    await using site = await serve(siteOf('site', 1), { behaviours: { '/p1': busy } });
    await using client = localClient();
    const page = { timeout: 1000, retries: 1 };
    const { data, failed } = await client.batchScrape([site.url('/p1')], page);
    expect(failed).toBe(0);
    expect(data).toMatchObject([{ metadata: { statusCode: 200, engine: 'http' } }]);
    expect(asked).toBe(4);
  });

  rareTest('that no page gets past ends each of them after ten more requests', async () => {
    const busy: Behaviour = ({ response }) => {
      response.writeHead(429, { 'retry-after': '0.02' }).end();
    };
    await using site = await serve(siteOf('site', 1), { behaviours: { '/p1': busy } });
    await using client = localClient();
    const job = client.batchScrape([site.url('/p1'), site.url('/')]);
    const { completed, failed } = await job;
    expect({ completed, failed }).toEqual({ completed: 1, failed: 1 });
    expect(job.errors()).toMatchObject([{ code: 'HTTP_STATUS', statusCode: 429 }]);
    expect(site.log.filter(({ url }) => url === '/p1')).toHaveLength(11);
  });

  it('of another call is HOST_BUSY at once for a scrape that has not so much time', async () => {
    const busy: Behaviour = ({ response }) => {
      response.writeHead(429, { 'retry-after': '120' }).end('Later.');
    };
    await using site = await serve(siteOf('site', 1), { behaviours: { '/p1': busy } });
    await using client = localClient();
    const first = await client.scrape(site.url('/p1'));
    expect(first.metadata).toMatchObject({ statusCode: 429, engine: 'http', proxyUsed: 'basic' });
    expect(first.warning).toContain('asks clients to wait 120 s');
    const started = performance.now();
    const error = await failure(client.scrape(site.url('/')));
    expect(performance.now() - started).toBeLessThan(2000);
    expect(error).toMatchObject({ code: 'HOST_BUSY', url: site.url('/'), retryable: true });
    expect(error.retryAfter).toBeGreaterThan(110_000);
    expect(error.retryAfter).toBeLessThanOrEqual(120_000);
    expect(site.log).toHaveLength(1);
  });

  it('without a body is HOST_BUSY with its status', async () => {
    const busy: Behaviour = ({ response }) => {
      response.writeHead(503, { 'retry-after': '120' }).end();
    };
    await using site = await serve(siteOf('site', 1), { behaviours: { '/p1': busy } });
    await using client = localClient();
    const error = await failure(client.scrape(site.url('/p1')));
    expect(error).toMatchObject({ code: 'HOST_BUSY', statusCode: 503, retryAfter: 120_000 });
    expect(site.log).toHaveLength(1);
  });
});

describe('maxConcurrencyPerHost', () => {
  it('is the most that a host has open, robots.txt and sitemaps included', async () => {
    const here = counted(after(60));
    const there = counted(after(60));
    await using other = await serve(siteOf('other', 10), {
      behaviours: { '*': there.behaviour },
    });
    await using site = await serve(siteOf('site', 10, urlsOf(other, 10)), {
      behaviours: { '*': here.behaviour },
    });
    await using client = localClient();
    const { completed } = await client.crawl(site.origin, {
      allowSubdomains: true,
      maxConcurrency: 8,
      maxConcurrencyPerHost: 2,
    });
    expect(completed).toBe(21);
    expect(here.peak).toBe(2);
    expect(there.peak).toBe(2);
  });

  it('is maxConcurrency when it is not given', async () => {
    const count = counted(after(80));
    await using site = await serve(siteOf('site', 20), { behaviours: { '*': count.behaviour } });
    await using client = localClient();
    await client.crawl(site.origin, { ...plain, maxConcurrency: 5 });
    expect(count.peak).toBe(5);
  });
});

describe('a host that bears little', () => {
  /** Refuses what is above `capacity()` requests at a time; answers the others after `ms`. */
  const limited = (
    capacity: () => number,
    ms = 20,
  ): { readonly behaviour: Behaviour; refused: number; open: number; peaks: number[] } => {
    const state = {
      open: 0,
      refused: 0,
      /** Open requests at each one. */
      peaks: [] as number[],
      behaviour: (async ({ page, send, response, signal }) => {
        state.open += 1;
        state.peaks.push(state.open);
        signal.addEventListener('abort', () => (state.open -= 1), { once: true });
        if (state.open <= capacity()) {
          await sleep(ms, undefined, { signal });
          send(await page());
        } else {
          state.refused += 1;
          response.writeHead(503, { 'content-type': 'text/plain' }).end('Too much.');
        }
      }) satisfies Behaviour,
    };
    return state;
  };

  it('is asked by fewer at a time, so that all pages come and few are refused', async () => {
    const host = limited(() => 2);
    await using site = await serve(siteOf('site', 150), { behaviours: { '*': host.behaviour } });
    await using client = localClient();
    const { completed, failed, data } = await client.crawl(site.origin, {
      ...plain,
      maxConcurrency: 12,
      scrapeOptions: { retries: 3 },
    });
    expect({ completed, failed }).toEqual({ completed: 151, failed: 0 });
    const good = data.filter(({ metadata }) => metadata.statusCode === 200);
    expect(good).toHaveLength(151);
    expect(host.refused / site.log.length).toBeLessThan(0.2);
  });

  rareTest('is asked by as many as before when the trouble is over', async () => {
    let answers = 0;
    const host = limited(() => ((answers += 1) < 40 ? 2 : 100), 100);
    await using site = await serve(siteOf('site', 180), { behaviours: { '*': host.behaviour } });
    await using client = localClient();
    const { completed } = await client.crawl(site.origin, {
      ...plain,
      maxConcurrency: 6,
      scrapeOptions: { retries: 3 },
    });
    expect(completed).toBe(181);
    expect(Math.max(...host.peaks.slice(-80))).toBe(6);
  });

  it('has no influence on other hosts', async () => {
    const host = limited(() => 1);
    const count = counted(after(30));
    await using weak = await serve(siteOf('weak', 8), { behaviours: { '*': host.behaviour } });
    await using site = await serve(siteOf('site', 60, urlsOf(weak, 8)), {
      behaviours: { '/p*': count.behaviour },
    });
    await using client = localClient();
    const { completed } = await client.crawl(site.origin, {
      ...plain,
      allowSubdomains: true,
      maxConcurrency: 6,
      scrapeOptions: { retries: 5 },
    });
    expect(completed).toBe(69);
    expect(count.peak).toBe(6);
  });
});

describe('the order of documents', () => {
  rareTest('is that of the pages, however hosts and their delays mix', async () => {
    await using other = await serve(siteOf('other', 10), {
      behaviours: { '/p*': after(50) },
    });
    await using site = await serve(siteOf('site', 10, urlsOf(other, 10)));
    const run = async (options: object): Promise<string[]> => {
      await using client = localClient();
      const { data } = await client.crawl(site.origin, {
        ...plain,
        allowSubdomains: true,
        ...options,
      });
      return data.map(({ metadata }) => metadata.url);
    };
    const expected = await run({ maxConcurrency: 1 });
    expect(expected).toHaveLength(21);
    expect(await run({ maxConcurrency: 8, delay: 0.05 })).toEqual(expected);
    expect(await run({ maxConcurrency: 8, maxConcurrencyPerHost: 1 })).toEqual(expected);
    expect(await run({ maxConcurrency: 3, limit: 12 })).toEqual(expected.slice(0, 12));
  });
});
