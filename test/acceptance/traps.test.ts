import { createClient } from 'pagewright';
import { linkedSite } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { goodSites } from '../support/good-sites.ts';
import { memoryWeb, pageOf, seeded } from '../support/memory-web.ts';
import { type TrapSite, trapSites } from '../support/trap-sites.ts';

const limit = 200;
const bound = limit * 0.05;

async function crawlSite(site: TrapSite, maxConcurrency = 8) {
  const web = memoryWeb((url) => site.page(new URL(url)));
  await using client = createClient({ engines: [web] });
  const job = client.crawl(site.start, {
    limit,
    maxConcurrency,
    sitemap: 'skip',
    scrapeOptions: { formats: [] },
  });
  const { data, ...status } = await job;
  const urls = data.map((page) => new URL(page.metadata.url));
  const traps = job.skipped().filter(({ reason }) => reason === 'TRAP');
  const fetched = web.log.filter((url) => !url.endsWith('/robots.txt')).map((url) => new URL(url));
  return { urls, fetched, traps, status };
}

describe('a crawl of a site with a trap takes 5 % of its limit from there, and all real pages', () => {
  it.each(Object.entries(trapSites))('%s', async (_, make) => {
    const site = make();
    const { urls, fetched, traps, status } = await crawlSite(site);
    const reached = new Set(urls.map(site.pathOf));
    expect(site.real.filter((path) => !reached.has(path))).toEqual([]);
    const kept = urls.filter((url) => site.isTrap(url)).length;
    expect(urls.length - site.real.length - 1 - site.others).toBeLessThanOrEqual(bound);
    expect(kept).toBeLessThanOrEqual(bound);
    // Pages that are under way when a trap is recognised; what a page says is known when it is there.
    const needed = site.rule.source.includes('404') ? traps.length : 12;
    expect(fetched.length - urls.length).toBeLessThanOrEqual(needed);
    expect(traps.length).toBeGreaterThan(0);
    for (const { rule, parent } of traps) {
      expect(rule).toMatch(site.rule);
      expect(parent).toBeDefined();
    }
    expect(status.discovered).toBe(status.completed + status.failed + status.skipped);
    expect(status.warning).toContain(traps[0]?.rule);
    expect(status.warning).toContain(`${traps.length} URL`);
  });

  it.each([
    'months in the path',
    'a session id in the query, one for a link',
    'tags that are added up',
    'facets whose keys are repeated, in any order',
  ])('takes the same pages at any concurrency: %s', async (name) => {
    const make = trapSites[name];
    if (make === undefined) throw new Error(name);
    const runs: string[][] = [];
    for (const concurrency of [1, 4, 16]) {
      const { urls } = await crawlSite(make(), concurrency);
      runs.push(urls.map(make().pathOf));
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });
});

describe('a crawl of a site without a trap', () => {
  const sentences = (path: string): string => {
    const chance = seeded(
      [...path].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7),
    );
    const word = (): string =>
      Array.from({ length: 5 }, () => String.fromCharCode(97 + Math.floor(chance() * 26))).join('');
    return Array.from({ length: 30 }, word).join(' ');
  };

  it.each(Object.entries(goodSites))('takes every page of %s', async (_, graph) => {
    const wanted = new Set([...graph.keys()]);
    const web = memoryWeb((url) => {
      const { pathname, search } = new URL(url);
      const links = graph.get(pathname + search) ?? [];
      const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('');
      return `<title>${pathname}</title><main><p>${sentences(pathname + search)}</p><ul>${list}</ul></main>`;
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', {
      limit: 1500,
      sitemap: 'skip',
      scrapeOptions: { formats: [] },
    });
    const { data, ...status } = await job;
    for (const page of data) wanted.delete(page.metadata.sourceURL.replace('http://site.test', ''));
    expect([...wanted]).toEqual([]);
    expect(job.skipped().filter(({ reason }) => reason !== 'DUPLICATE_URL')).toEqual([]);
    expect(status.warning).toBeUndefined();
    expect(status.pending).toBe(0);
  });

  it('takes days that say something, though nothing but their month leads to them', async () => {
    const days = Array.from({ length: 12 }, (_, month) =>
      Array.from({ length: 28 }, (_, day) => `/strip/2023/${month + 1}/${day + 1}`),
    );
    const web = memoryWeb((url) => {
      const { pathname } = new URL(url);
      const [, month, day] = /^\/strip\/2023(?:\/(\d+))?(?:\/(\d+))?$/.exec(pathname) ?? [];
      const links =
        pathname === '/'
          ? ['/strip/2023']
          : day !== undefined
            ? []
            : month === undefined
              ? days.map((_, n) => `/strip/2023/${n + 1}`)
              : (days[Number(month) - 1] ?? []);
      return pageOf(pathname, links).replace('<ul>', `<p>${sentences(pathname)}</p><ul>`);
    });
    const crawl = async (maxConcurrency: number): Promise<string[]> => {
      await using client = createClient({ engines: [web] });
      const options = { limit: 400, maxConcurrency, sitemap: 'skip' } as const;
      const { data } = await client.crawl('http://site.test/', {
        ...options,
        scrapeOptions: { formats: [] },
      });
      return data.map((page) => new URL(page.metadata.url).pathname);
    };
    const found = await crawl(8);
    expect(days.flat().filter((day) => !found.includes(day))).toEqual([]);
    expect(await crawl(1)).toEqual(found);
    expect(await crawl(16)).toEqual(found);
  });

  it('refuses none of 500 pages', async () => {
    const { site, paths } = linkedSite({ pages: 500, links: 8, sections: 12, seed: 'no trap' });
    const web = memoryWeb((url) => {
      const page = site[new URL(url).pathname];
      return typeof page === 'string' ? page : undefined;
    });
    await using client = createClient({ engines: [web] });
    const job = client.crawl('http://site.test/', { limit: 500, scrapeOptions: { formats: [] } });
    const { data } = await job;
    expect(data.map((page) => new URL(page.metadata.url).pathname).sort()).toEqual(
      [...paths].sort(),
    );
    expect(job.skipped().filter(({ reason }) => reason === 'TRAP')).toEqual([]);
  });
});
