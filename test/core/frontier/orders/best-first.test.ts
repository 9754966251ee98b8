import { describe, expect, test } from 'vitest';
import { BestFirst } from '../../../../src/core/frontier/orders/best-first.ts';
import type { RequestQueue } from '../../../../src/core/frontier/queue/request-queue.ts';
import { seeded } from '../../../support/memory-web.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

type Request = Parameters<RequestQueue['add']>[0][number];

/** What is put in comes out, in its order. */
function plainQueue(): RequestQueue {
  const requests: Request[] = [];
  return {
    add: (added) => Promise.resolve(void requests.push(...added)),
    next: () => {
      const request = requests.shift();
      return Promise.resolve(request === undefined ? undefined : { ...request, retryCount: 0 });
    },
    markHandled: () => Promise.resolve(),
    drop: () => Promise.resolve(),
  };
}

const requestOf = (url: string): Request => ({ url, uniqueKey: url, userData: {} });
const site = (path: string): string => `http://site.test/${path}`;

/** Adds links of a page, as a crawl does when it settles it. */
async function settle(order: BestFirst, page: string, links: readonly string[]): Promise<void> {
  order.hear({ page, texts: new Map() });
  await order.add(links.map(requestOf));
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
  const order = new BestFirst(plainQueue(), 'lamps');
  const [start = ''] = graph.keys();
  const known = new Set([start]);
  const taken: string[] = [];
  const underWay: string[] = [];
  await order.add([requestOf(start)]);
  for (;;) {
    const request = chance() < 0.6 ? await order.next() : undefined;
    if (request !== undefined) {
      taken.push(request.url);
      underWay.push(request.url);
      continue;
    }
    const first = underWay.shift();
    if (first === undefined) {
      if (order.isDrained) return taken;
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
    const order = new BestFirst(plainQueue(), 'lamp');
    await order.add([requestOf(site(''))]);
    expect((await order.next())?.url).toBe(site(''));
    expect(await order.next()).toBeUndefined();
    await settle(
      order,
      site(''),
      Array.from({ length: 20 }, (_, n) => site(`page-${n}`)),
    );
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 8; n++) taken.push((await order.next())?.url);
    expect(taken).toEqual(Array.from({ length: 8 }, (_, n) => site(`page-${n}`)));
    // The second page is not settled: what the tenth is cannot be known.
    expect(await order.next()).toBeUndefined();
    await settle(order, site('page-1'), [site('lamp-b')]);
    expect(await order.next()).toBeUndefined();
    await settle(order, site('page-0'), [site('lamp-a')]);
    expect((await order.next())?.url).toBe(site('lamp-a'));
    expect(order.scoreOf(site('lamp-a'))).toBeGreaterThan(0);
    expect((await order.next())?.url).toBe(site('lamp-b'));
  });

  test('of links that rank the same, the one found first comes first', async () => {
    const order = new BestFirst(plainQueue(), 'lamp');
    await order.add([requestOf(site(''))]);
    await order.next();
    const links = ['d', 'a', 'c', 'e', 'b'].map((name) => site(`lamp-${name}`));
    await settle(order, site(''), links);
    const taken: (string | undefined)[] = [];
    for (const _ of links) taken.push((await order.next())?.url);
    expect(taken).toEqual(links);
  });

  test('where nothing is left the next page is waited for', async () => {
    const order = new BestFirst(plainQueue(), 'lamp');
    await order.add([requestOf(site(''))]);
    await order.next();
    await settle(order, site(''), [site('a'), site('b')]);
    await order.next();
    await order.next();
    await settle(order, site('b'), [site('c')]);
    expect(await order.next()).toBeUndefined();
    expect(order.isDrained).toBe(false);
    order.settled(site('a'));
    expect((await order.next())?.url).toBe(site('c'));
    order.settled(site('c'));
    expect(await order.next()).toBeUndefined();
    expect(order.isDrained).toBe(true);
  });

  test('100,000 links are put in order in little time', async () => {
    const order = new BestFirst(plainQueue(), 'lamp');
    const before = cpuTime();
    for (let n = 0; n < 100_000; n += 500) {
      const batch = Array.from({ length: 500 }, (_, i) =>
        requestOf(site(`${(n + i) % 3 === 0 ? 'lamp' : 'page'}/${n + i}`)),
      );
      await order.add(batch);
    }
    let count = 0;
    for (let one = await order.next(); one !== undefined; one = await order.next()) {
      order.settled(one.url);
      count += 1;
    }
    expect(count).toBe(100_000);
    expect(cpuTime() - before).toBeLessThan(20_000);
  });
});
