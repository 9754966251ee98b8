/** Shops whose filters combine without end: all products are found, and few of the combinations are taken. */
import { describe, expect, it } from 'vitest';
import { CrawlerTraps } from '../../../../src/core/frontier/traps/crawler-traps.ts';
import { fingerprint } from '../../../../src/core/url/fingerprint.ts';
import {
  isCombination,
  lists,
  realPages,
  type ShopForm,
  shopForms,
  shopLinks,
} from '../../../support/faceted-shops.ts';

const at = (path: string): URL => new URL(path, 'http://shop.test/');
const keyOf = (path: string): string =>
  fingerprint(at(path).href, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
const unread = { missing: undefined, contentHash: undefined, wordPairs: undefined };

/** Breadth first, as a crawl goes; a limit of 10,000 alone would let 500 combinations join. */
function crawl(form: ShopForm): {
  readonly taken: string[];
  readonly refused: Map<string, string>;
} {
  const traps = new CrawlerTraps({ limit: 10_000, now: Date.UTC(2026, 0, 1) });
  traps.admit(at('/'));
  const queue = ['/'];
  const known = new Set(queue.map(keyOf));
  const taken: string[] = [];
  const refused = new Map<string, string>();
  for (const path of queue) {
    const page = at(path);
    const late = traps.refuseLate(page) ?? traps.settle(page, unread).refusal;
    if (late !== undefined) {
      refused.set(path, late.rule);
      continue;
    }
    taken.push(path);
    const links = (shopLinks(form, page) ?? []).map((link) => at(link).href);
    traps.readPage(page, links);
    for (const link of links) {
      const found = link.slice(page.origin.length);
      if (known.has(keyOf(found))) continue;
      known.add(keyOf(found));
      const refusal = traps.refuse(at(found), page);
      if (refusal === undefined) queue.push(found);
      else refused.set(found, refusal.rule);
    }
  }
  return { taken, refused };
}

describe('the filters of a shop, with a large limit', () => {
  it.each(Object.entries(shopForms))('%s', (_, form) => {
    const { taken, refused } = crawl(form);
    const found = new Set(taken);
    expect(realPages.filter((path) => !found.has(path))).toEqual([]);
    for (const list of lists) {
      const combinations = taken.filter((path) => isCombination(form, list, path));
      expect(combinations.length).toBeLessThanOrEqual(10);
      expect([...refused.keys()].some((path) => path.startsWith(list))).toBe(true);
    }
    for (const [path, rule] of refused) {
      expect(rule).toMatch(/^facets: \/c\//);
      expect(path).toMatch(/^\/c\//);
    }
  });
});
