import { describe, expect, test } from 'vitest';
import { openDepthFirst } from '../../../../src/core/frontier/orders/depth-first.ts';
import type { RequestQueue } from '../../../../src/core/frontier/queue/request-queue.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { seeded } from '../../../support/memory-web.ts';
import { plainQueue } from './plain-queue.ts';

type Request = Parameters<RequestQueue['add']>[0][number];

const requestOf = (url: string): Request => ({ url, uniqueKey: url, userData: {} });

/** Every page has three links, down to four links from the start. */
const linksOf = (url: string): string[] =>
  url.length < 5 ? [1, 2, 3].map((n) => `${url}${n}`) : [];

/** The order in which pages are taken when earlier ones are settled sooner or later; `late` wait in sitemaps. */
async function walk(chance: () => number, late: readonly string[] = []): Promise<string[]> {
  const order = openDepthFirst(plainQueue());
  const taken: string[] = [];
  const underWay: string[] = [];
  await order.add([requestOf('/')], {});
  for (;;) {
    const request = chance() < 0.6 ? await order.next() : 'later';
    if (typeof request === 'object') {
      if (taken.length === 0) await order.add(late.map(requestOf), {});
      taken.push(request.url);
      underWay.push(request.url);
      continue;
    }
    const page = underWay.shift();
    if (page === undefined) {
      if (request === undefined) return taken;
      continue;
    }
    const links = linksOf(page);
    // In two batches, as of a page with many links.
    if (links.length > 0) {
      await order.add(links.slice(0, 1).map(requestOf), { page });
      await order.add(links.slice(1).map(requestOf), { page });
    }
    order.settled(page);
  }
}

describe('depth first', () => {
  test('a section ends before the next one begins, but for the pages ahead', async () => {
    const taken = await walk(() => 0);
    expect(taken).toHaveLength(121);
    expect(taken.slice(0, 12)).toEqual('/ /1 /2 /3 /11 /12 /13 /21 /111 /112 /113 /121'.split(' '));
    // Each page's links, in their order, before those of any page after it.
    for (const [n, page] of taken.entries()) {
      const places = linksOf(page).map((link) => taken.indexOf(link));
      expect(places).toEqual([...places].sort((one, other) => one - other));
      const sibling = page.replace(/\d$/, (digit) => `${Number(digit) + 1}`);
      if (sibling === page || taken.indexOf(sibling) < 0 || places.length === 0) continue;
      expect(taken.indexOf(sibling)).toBeGreaterThan(n);
      expect(places.at(-1)).toBeLessThan(taken.indexOf(linksOf(sibling)[0] ?? ''));
    }
  });

  test('the order does not depend on when pages are settled', async () => {
    const late = ['late-1', 'late-2', 'late-3'];
    const first = await walk(() => 0, late);
    expect(first).toHaveLength(124);
    expect(first.filter((url) => late.includes(url))).toEqual(late);
    expect(first.indexOf('late-2')).toBeGreaterThan(first.indexOf('/33'));
    for (let seed = 1; seed < 40; seed++) expect(await walk(seeded(seed), late)).toEqual(first);
  });

  test('100,000 links are put in order in little time', async () => {
    const order = openDepthFirst(plainQueue());
    const before = cpuTime();
    await order.add([requestOf('/')], {});
    let count = 0;
    for (let one = await order.next(); typeof one === 'object'; one = await order.next()) {
      const page = one.url;
      count += 1;
      const links = page === '/' ? 1000 : count <= 1000 ? 99 : 0;
      const batch = Array.from({ length: links }, (_, n) => requestOf(`${page}${n}/`));
      if (links > 0) await order.add(batch, { page });
      order.settled(page);
    }
    expect(count).toBe(1 + 1000 + 999 * 99);
    expect(cpuTime() - before).toBeLessThan(20_000);
  });
});
