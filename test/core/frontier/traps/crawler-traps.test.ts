import { describe, expect, it } from 'vitest';
import { CalendarTraps } from '../../../../src/core/frontier/traps/calendar-traps.ts';
import { FacetTraps } from '../../../../src/core/frontier/traps/facet-traps.ts';
import { CrawlerTraps } from '../../../../src/core/frontier/traps/crawler-traps.ts';
import { goodSites, type LinkGraph } from '../../../support/good-sites.ts';

const now = Date.UTC(2024, 5, 1);
const at = (path: string): URL => new URL(path, 'http://site.test/');

const unread = { missing: undefined, contentHash: undefined, wordPairs: undefined };
const nothing = { ...unread, missing: 'not found' };

/** Breadth first, as a crawl goes, with the smallest bound that there is. */
function crawl(graph: LinkGraph): { pages: number; refused: string[] } {
  const traps = new CrawlerTraps({ limit: 1, now });
  traps.admit(at('/'));
  const queue = ['/'];
  const known = new Set(queue);
  const refused = new Set<string>();
  const waiting: { readonly path: string; readonly series: string }[] = [];
  const release = (): void => {
    for (const series of traps.takeEarned()) {
      for (const one of waiting.filter((other) => other.series === series)) {
        if (!refused.has(one.path) || !traps.spend(series)) continue;
        refused.delete(one.path);
        queue.push(one.path);
      }
    }
  };
  for (const path of queue) {
    const page = at(path);
    const links = graph.get(path) ?? [];
    traps.settle(page, unread);
    release();
    traps.readPage(
      page,
      links.map((link) => at(link).href),
    );
    for (const link of links) {
      if (known.has(link)) continue;
      known.add(link);
      const refusal = traps.refuse(at(link), page);
      if (refusal === undefined) queue.push(link);
      else refused.add(link);
      if (refusal?.series !== undefined) waiting.push({ path: link, series: refusal.series });
    }
    release();
  }
  return { pages: queue.length, refused: [...refused] };
}

describe('what is no trap', () => {
  it.each(Object.entries(goodSites))('%s', (_, graph) => {
    expect(crawl(graph).refused).toEqual([]);
  });

  it('is tried on more than 1,000 addresses of 15 kinds of sites and more', () => {
    const sizes = Object.values(goodSites).map((graph) => crawl(graph).pages);
    expect(sizes.length).toBeGreaterThan(15);
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(1000);
  });
});

describe('the bound', () => {
  it.each([
    [1, 5],
    [100, 5],
    [200, 10],
    [10_000, 500],
  ])('of a limit of %i is %i pages', (limit, bound) => {
    expect(new CrawlerTraps({ limit, now }).bound).toBe(bound);
  });

  it('is for each kind, all traps of it together', () => {
    const traps = new CrawlerTraps({ limit: 1, now });
    const joined = (paths: readonly string[]): number => {
      let parent = at('/');
      let count = 0;
      for (const path of paths) {
        traps.readPage(parent, [at(path).href]);
        const refusal = traps.refuse(at(path), parent);
        if (refusal === undefined) {
          parent = at(path);
          count += 1;
        } else {
          expect(refusal.reason).toBe('TRAP');
        }
      }
      return count;
    };
    const months = Array.from({ length: 12 }, (_, n) => String(n + 1).padStart(2, '0'));
    expect(joined(months.map((month) => `/events/2023/${month}`))).toBe(5);
    expect(joined(months.map((month) => `/diary/2023-${month}`))).toBe(2);
    expect(joined(months.map((_, n) => `/${'about/'.repeat(n + 1)}`))).toBe(5);
  });

  it('lets a page join that is over it for another kind only', () => {
    const traps = new CrawlerTraps({ limit: 1, now });
    for (let n = 0; n < 20; n++) traps.settle(at(`/gone-${n}`), nothing);
    expect(traps.settle(at('/gone'), nothing)).toMatchObject({
      refusal: { reason: 'TRAP', rule: 'soft 404: not found' },
      follow: false,
    });
    expect(traps.refuse(at('/about/about/about/'), at('/'))).toBeUndefined();
  });
});

describe('a calendar', () => {
  it('that leads to years that are far ahead is a trap even where it leads to new pages', () => {
    const calendar = new CalendarTraps(now);
    calendar.suspect(at('/events/2027-01'), at('/'));
    calendar.admitted(at('/events/2027-01'));
    calendar.readPage(at('/events/2027-01'), [at('/events/2027-02').href, at('/new-one').href]);
    expect(calendar.suspect(at('/events/2027-02'), at('/events/2027-01'))).toMatchObject({
      isTrap: true,
    });
  });
});

describe('facets', () => {
  it('are a trap in the same order of combinations, whatever comes in between', () => {
    const facets = new FacetTraps();
    const ask = (query: string): unknown =>
      facets.suspect(at(`/shop?${query}`), at('/shop'))?.isTrap;
    for (const single of ['a=1', 'b=1', 'c=1', 'a=2']) expect(ask(single)).toBeUndefined();
    expect(ask('a=1&b=1')).toBeUndefined();
    expect(ask('a=1&c=1')).toBe(true);
    expect(ask('b=1&c=1')).toBe(true);
    expect(ask('d=1&e=1')).toBeUndefined();
  });
});
