import { describe, expect, test } from 'vitest';
import { BestFirst } from '../../../../src/core/frontier/orders/best-first.ts';
import type { CrawlOrder } from '../../../../src/core/frontier/orders/crawl-order.ts';
import { lookAhead } from '../../../../src/core/frontier/orders/look-ahead.ts';
import type { RequestQueue } from '../../../../src/core/frontier/queue/request-queue.ts';
import { seeded } from '../../../support/memory-web.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { plainQueue } from './plain-queue.ts';

type Request = Parameters<RequestQueue['add']>[0][number];

const bestFirst = (query: string): CrawlOrder => lookAhead(plainQueue(), new BestFirst(query), 8);

/** The next page, or why there is none. */
async function next(order: CrawlOrder): Promise<string | undefined> {
  const request = await order.next();
  return typeof request === 'object' ? request.url : request;
}

const requestOf = (url: string): Request => ({ url, uniqueKey: url, userData: {} });
const site = (path: string): string => `http://site.test/${path}`;

/** Adds links of a page, as a crawl does when it settles it. */
async function settle(order: CrawlOrder, page: string, links: readonly string[]): Promise<void> {
  await order.add(links.map(requestOf), { page });
  order.settled(page);
}

/** 300 pages; a fifth of them has the word, each links to seven others. */
function graphOf(seed: number): Map<string, string[]> {
  const chance = seeded(seed);
  const urls = Array.from({ length: 300 }, (_, n) =>
    site(chance() < 0.2 ? `lamp-${n}` : `page-${n}`),
  );
  return new Map(
    urls.map((url, n) => [
      url,
      Array.from({ length: 7 }, () => urls[(n + 1 + Math.floor(chance() * 40)) % 300] ?? url),
    ]),
  );
}

/** The order in which pages are taken when those taken before are settled sooner or later. */
async function walk(
  graph: ReadonlyMap<string, readonly string[]>,
  seed: number,
): Promise<string[]> {
  const chance = seeded(seed);
  const order = bestFirst('lamps');
  const [start = ''] = graph.keys();
  const known = new Set([start]);
  const taken: string[] = [];
  const underWay: string[] = [];
  await order.add([requestOf(start)], {});
  for (;;) {
    const url = chance() < 0.6 ? await next(order) : 'later';
    if (url !== undefined && url !== 'later') {
      taken.push(url);
      underWay.push(url);
      continue;
    }
    const first = underWay.shift();
    if (first === undefined) {
      if (url === undefined) return taken;
      continue;
    }
    const fresh = (graph.get(first) ?? []).filter((url) => !known.has(url));
    for (const url of fresh) known.add(url);
    await settle(order, first, [...new Set(fresh)]);
  }
}

describe('best first', () => {
  test('the order does not depend on when pages are settled', async () => {
    const graph = graphOf(5);
    const first = await walk(graph, 1);
    expect(first.length).toBeGreaterThan(250);
    expect(new Set(first).size).toBe(first.length);
    for (let seed = 2; seed < 25; seed++) expect(await walk(graph, seed)).toEqual(first);
    const lamps = (urls: readonly string[]): number =>
      urls.filter((url) => url.includes('lamp')).length;
    expect(lamps(first.slice(0, 60))).toBeGreaterThan(3 * lamps(first.slice(-60)));
  });

  test('the links of a page count eight pages later, not before and not after', async () => {
    const order = bestFirst('lamp');
    await order.add([requestOf(site(''))], {});
    expect(await next(order)).toBe(site(''));
    expect(await next(order)).toBe('later');
    await settle(
      order,
      site(''),
      Array.from({ length: 20 }, (_, n) => site(`page-${n}`)),
    );
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 8; n++) taken.push(await next(order));
    expect(taken).toEqual(Array.from({ length: 8 }, (_, n) => site(`page-${n}`)));
    // The second page is not settled: what the tenth is cannot be known.
    expect(await next(order)).toBe('later');
    await settle(order, site('page-1'), [site('lamp-b')]);
    expect(await next(order)).toBe('later');
    await settle(order, site('page-0'), [site('lamp-a')]);
    const best = await order.next();
    expect(best).toMatchObject({ url: site('lamp-a') });
    expect((best as { score: number }).score).toBeGreaterThan(0);
    expect(await next(order)).toBe(site('lamp-b'));
  });

  test('of links that rank the same, the one found first comes first', async () => {
    const order = bestFirst('lamp');
    await order.add([requestOf(site(''))], {});
    await order.next();
    const links = ['d', 'a', 'c', 'e', 'b'].map((name) => site(`lamp-${name}`));
    await settle(order, site(''), links);
    const taken: (string | undefined)[] = [];
    for (const _ of links) taken.push(await next(order));
    expect(taken).toEqual(links);
  });

  test('where nothing is left the next page is waited for', async () => {
    const order = bestFirst('lamp');
    await order.add([requestOf(site(''))], {});
    await order.next();
    await settle(order, site(''), [site('a'), site('b')]);
    await order.next();
    await order.next();
    await settle(order, site('b'), [site('c')]);
    expect(await next(order)).toBe('later');
    order.settled(site('a'));
    expect(await next(order)).toBe(site('c'));
    order.settled(site('c'));
    expect(await next(order)).toBeUndefined();
  });

  test('100,000 links are put in order in little time', async () => {
    const order = bestFirst('lamp');
    const before = cpuTime();
    for (let n = 0; n < 100_000; n += 500) {
      const batch = Array.from({ length: 500 }, (_, i) =>
        requestOf(site(`${(n + i) % 3 === 0 ? 'lamp' : 'page'}/${n + i}`)),
      );
      await order.add(batch, {});
    }
    let count = 0;
    for (let url = await next(order); url !== undefined; url = await next(order)) {
      order.settled(url);
      count += 1;
    }
    expect(count).toBe(100_000);
    expect(cpuTime() - before).toBeLessThan(20_000);
  });
});
