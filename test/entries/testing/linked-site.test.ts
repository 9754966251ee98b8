import { linkedSite, serve } from 'pagewright/testing';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);

test('the pages have the links that the graph says, and failing ones fail', async () => {
  const made = linkedSite({ pages: 60, links: 4, seed: 'a', sections: 3, failing: 0.2 });
  await using server = await serve(made.site);
  for (const path of made.paths) {
    const { status, body } = await rawRequest(server.url(path));
    expect(status).toBe(made.failing.has(path) ? 500 : 200);
    expect(linksOf(body.toString())).toEqual(made.graph.get(path));
  }
  expect(made.failing.size).toBeGreaterThan(3);
  expect(made.failing.has('/')).toBe(false);
});

test('a walk along the links finds every page at the depth that is told', () => {
  const { paths, graph, depths } = linkedSite({ pages: 500, failing: 0.3, links: 2 });
  expect([...depths.keys()].sort()).toEqual([...paths].sort());
  let level = ['/'];
  const seen = new Set(level);
  for (let depth = 0; level.length > 0; depth++) {
    for (const path of level) expect(depths.get(path)).toBe(depth);
    const found = level.flatMap((path) => graph.get(path) ?? []);
    level = [...new Set(found)].filter((path) => !seen.has(path));
    for (const path of level) seen.add(path);
  }
  expect(seen.size).toBe(500);
});

test('equal seeds give equal sites, others others', () => {
  const options = { pages: 40, failing: 0.1, sitemap: true };
  expect(linkedSite({ ...options, seed: 5 })).toEqual(linkedSite({ ...options, seed: 5 }));
  expect(linkedSite({ ...options, seed: 5 })).not.toEqual(linkedSite({ ...options, seed: 6 }));
});

test('no two pages have the same text', () => {
  const { site } = linkedSite({ pages: 300 });
  const texts = Object.values(site).map((page) => /<p>(.*)<\/p>/.exec(JSON.stringify(page))?.[1]);
  expect(new Set(texts).size).toBe(300);
});

test('sections are folders, and the sitemap has the pages that do not fail', async () => {
  const { site, paths, failing } = linkedSite({
    pages: 30,
    sections: 4,
    failing: 0.3,
    sitemap: true,
  });
  const folders = new Set(paths.slice(1).map((path) => path.split('/')[1]));
  expect([...folders].sort()).toEqual(['section-1', 'section-2', 'section-3', 'section-4']);
  await using server = await serve(site);
  const { body } = await rawRequest(server.url('/sitemap.xml'));
  const listed = [...body.toString().matchAll(/<loc>(.*)<\/loc>/g)].map(([, url]) => url);
  expect(listed).toEqual(
    paths.filter((path) => !failing.has(path)).map((path) => server.url(path)),
  );
});

test('a site of one page is the start page', () => {
  const { paths, graph } = linkedSite({ pages: 1, links: 0 });
  expect([paths, graph.get('/')]).toEqual([['/'], []]);
});
