import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type FetchSitemap,
  type SitemapEntry,
  type SitemapWarning,
  walkSitemaps,
} from '../../../../src/core/frontier/sitemaps/sitemaps.ts';

/** Bodies by path; `{origin}` is replaced. A number is a status without a body. */
let files: Record<string, string | number>;
let delays: Record<string, number>;
let log: string[];
let inFlight: number;
let mostInFlight: number;
let origin: string;
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    log.push(path);
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    void wait(delays[path] ?? 0).then(() => {
      inFlight--;
      const file = files[path] ?? 404;
      if (typeof file === 'number') response.writeHead(file).end();
      else response.end(file.replaceAll('{origin}', origin));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  files = {};
  delays = {};
  log = [];
  inFlight = 0;
  mostInFlight = 0;
});

const fetchBytes: FetchSitemap = async (url) => {
  const response = await fetch(url);
  const body = new Uint8Array(await response.arrayBuffer());
  return { statusCode: response.status, body, url: response.url };
};

const index = (...paths: string[]): string =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>{origin}${path}</loc></sitemap>`).join('')}</sitemapindex>`;
const urlset = (...paths: string[]): string =>
  `<urlset>${paths.map((path) => `<url><loc>{origin}${path}</loc></url>`).join('')}</urlset>`;

interface Walked {
  readonly entries: string[];
  readonly warnings: string[];
}

async function walk(
  starts: string[],
  options: { maxSitemaps?: number; optional?: string[]; signal?: AbortSignal } = {},
): Promise<Walked> {
  const entries: string[] = [];
  const warnings: string[] = [];
  const items = walkSitemaps(
    starts.map((path) => origin + path),
    fetchBytes,
    {
      maxSitemaps: options.maxSitemaps ?? 100,
      signal: options.signal ?? new AbortController().signal,
      optional: new Set(options.optional?.map((path) => origin + path)),
    },
  );
  for await (const item of items) {
    if ('warning' in item) warnings.push(item.warning.replaceAll(origin, ''));
    else entries.push(item.url.replace(origin, ''));
  }
  return { entries, warnings };
}

describe('order', () => {
  beforeEach(() => {
    files = {
      '/index.xml': index('/first.xml', '/nested.xml', '/last.xml'),
      '/first.xml': urlset('/a', '/b'),
      '/nested.xml': index('/deep-1.xml', '/deep-2.xml'),
      '/deep-1.xml': urlset('/c'),
      '/deep-2.xml': urlset('/d'),
      '/last.xml': urlset('/e'),
      '/other.xml': urlset('/f'),
    };
  });

  test('entries come in the order of the documents, whatever the timing', async () => {
    for (const slow of ['/first.xml', '/nested.xml', '/deep-1.xml', '/other.xml']) {
      delays = { [slow]: 40 };
      const { entries, warnings } = await walk(['/index.xml', '/other.xml']);
      expect(entries).toEqual(['/a', '/b', '/c', '/d', '/e', '/f']);
      expect(warnings).toEqual([]);
    }
  });

  test('an entry names its sitemap', async () => {
    const items: (SitemapEntry | SitemapWarning)[] = [];
    const signal = new AbortController().signal;
    for await (const item of walkSitemaps([`${origin}/nested.xml`], fetchBytes, {
      maxSitemaps: 10,
      signal,
    })) {
      items.push(item);
    }
    expect(items[1]).toEqual({ url: `${origin}/d`, sitemap: `${origin}/deep-2.xml` });
  });

  test('at most four files are fetched at once', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/s${i}.xml`);
    files = { '/index.xml': index(...paths) };
    for (const [i, path] of paths.entries()) {
      files[path] = urlset(`/page-${i}`);
      delays[path] = 20;
    }
    const { entries } = await walk(['/index.xml']);
    expect(entries).toEqual(paths.map((_, i) => `/page-${i}`));
    expect(mostInFlight).toBe(4);
  });

  test('the files fetched under a limit do not depend on the timing', async () => {
    const fetched = new Set<string>();
    for (const slow of ['/first.xml', '/nested.xml', '/last.xml']) {
      log = [];
      delays = { [slow]: 30 };
      const { warnings } = await walk(['/index.xml', '/other.xml'], { maxSitemaps: 4 });
      expect(log).toHaveLength(4);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('Not read');
      fetched.add([...log].sort().join());
    }
    expect(fetched.size).toBe(1);
  });
});

describe('loops', () => {
  test('a sitemap that lists itself or its parent is read once', async () => {
    files = {
      '/index.xml': index('/index.xml', '/child.xml', '/child.xml', '/child.xml#again'),
      '/child.xml': index('/index.xml', '/pages.xml'),
      '/pages.xml': urlset('/a'),
    };
    const { entries, warnings } = await walk(['/index.xml', '/index.xml', '/pages.xml']);
    expect(entries).toEqual(['/a']);
    expect(warnings).toEqual([]);
    expect(log.sort()).toEqual(['/child.xml', '/index.xml', '/pages.xml']);
  });

  test('two addresses that redirect to one file give its entries once', async () => {
    const target = `${origin}/real.xml`;
    const body = new TextEncoder().encode(urlset('/a').replace('{origin}', origin));
    const entries: string[] = [];
    for await (const item of walkSitemaps(
      [`${origin}/one.xml`, `${origin}/two.xml`, target],
      () => Promise.resolve({ statusCode: 200, body, url: target }),
      { maxSitemaps: 10, signal: new AbortController().signal },
    )) {
      entries.push('warning' in item ? item.warning : item.url);
    }
    expect(entries).toEqual([`${origin}/a`]);
  });

  test('an index without end is left at the limits, each with one warning', async () => {
    let count = 0;
    const endless: FetchSitemap = (url) => {
      const children = Array.from({ length: 50 }, () => `/${count++}.xml`);
      return Promise.resolve({
        statusCode: 200,
        body: new TextEncoder().encode(index(...children).replaceAll('{origin}', origin)),
        url,
      });
    };
    const items: unknown[] = [];
    for await (const item of walkSitemaps([`${origin}/start.xml`], endless, {
      maxSitemaps: 20,
      signal: new AbortController().signal,
    })) {
      items.push(item);
    }
    expect(count).toBe(20 * 50);
    expect(items).toMatchObject([
      { warning: expect.stringMatching(/Not read.*20 sitemaps/) as string },
      { warning: expect.stringMatching(/Not read.*5 levels/) as string },
    ]);
  });
});

describe('what an index may list', () => {
  const readable = (url: string, body: string): ReturnType<FetchSitemap> =>
    Promise.resolve({ statusCode: 200, body: new TextEncoder().encode(body), url });
  const list = (kind: 'index' | 'pages', ...urls: string[]): string =>
    kind === 'pages'
      ? `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`
      : `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

  async function walkSites(
    starts: string[],
    bodies: Record<string, string>,
  ): Promise<{ asked: string[]; entries: string[]; warnings: string[] }> {
    const [asked, entries, warnings]: string[][] = [[], [], []];
    const items = walkSitemaps(
      starts,
      (url) => {
        asked?.push(url);
        return readable(url, bodies[url] ?? '');
      },
      { maxSitemaps: 100, signal: new AbortController().signal },
    );
    for await (const item of items) {
      if ('warning' in item) warnings?.push(item.warning);
      else entries?.push(item.url);
    }
    return { asked: asked ?? [], entries: entries ?? [], warnings: warnings ?? [] };
  }

  test('sitemaps of its own site, subdomains included; others are one warning', async () => {
    const { asked, entries, warnings } = await walkSites(['http://a.test/index.xml'], {
      'http://a.test/index.xml': list(
        'index',
        'http://maps.a.test/1.xml',
        'http://evil.test/2.xml',
        'http://evil.test/3.xml',
        'https://a.test/4.xml',
      ),
      'http://maps.a.test/1.xml': list('pages', 'http://a.test/1'),
      'https://a.test/4.xml': list('pages', 'http://a.test/4'),
    });
    expect(asked).toEqual([
      'http://a.test/index.xml',
      'http://maps.a.test/1.xml',
      'https://a.test/4.xml',
    ]);
    expect(entries).toEqual(['http://a.test/1', 'http://a.test/4']);
    expect(warnings).toEqual([
      'http://a.test/index.xml: 2 sitemaps of other sites were not read, the first is http://evil.test/2.xml',
    ]);
  });

  test('an index on another host, named by the site, may list that host and the site', async () => {
    const { entries } = await walkSites(
      ['http://a.test/sitemap.xml', 'http://cdn.test/index.xml'],
      {
        'http://a.test/sitemap.xml': list('pages', 'http://a.test/0'),
        'http://cdn.test/index.xml': list('index', 'http://cdn.test/1.xml', 'http://a.test/2.xml'),
        'http://cdn.test/1.xml': list('pages', 'http://a.test/1'),
        'http://a.test/2.xml': list('pages', 'http://a.test/2'),
      },
    );
    expect(entries).toEqual(['http://a.test/0', 'http://a.test/1', 'http://a.test/2']);
  });

  test('pages of any host: scope is for the taker to decide', async () => {
    const { entries, warnings } = await walkSites(['http://a.test/s.xml'], {
      'http://a.test/s.xml': list('pages', 'http://a.test/1', 'http://other.test/2'),
    });
    expect(entries).toEqual(['http://a.test/1', 'http://other.test/2']);
    expect(warnings).toEqual([]);
  });

  test('indexes down to five levels', async () => {
    const bodies: Record<string, string> = {};
    for (let level = 0; level < 9; level++) {
      bodies[`http://a.test/${level}.xml`] = list('index', `http://a.test/${level + 1}.xml`);
    }
    const { asked, warnings } = await walkSites(['http://a.test/0.xml'], bodies);
    expect(asked).toHaveLength(6);
    expect(warnings).toEqual([
      'http://a.test/6.xml: Not read, and perhaps others: indexes are read 5 levels deep.',
    ]);
  });

  test('100,000 children cost no more than what is fetched of them', async () => {
    const children = Array.from({ length: 100_000 }, (_, index) => `http://a.test/${index}.xml`);
    const { asked, warnings } = await walkSites(['http://a.test/index.xml'], {
      'http://a.test/index.xml': list('index', ...children),
    });
    expect(asked).toHaveLength(100);
    expect(warnings.at(-1)).toContain('a walk reads 100 sitemaps');
  });
});

describe('failures', () => {
  test('a failing child is a warning that names it, the others are read', async () => {
    files = {
      '/index.xml': index('/a.xml', '/broken.xml', '/gone.xml', '/damaged.xml', '/b.xml'),
      '/a.xml': urlset('/a'),
      '/broken.xml': 500,
      '/damaged.xml': '<urlset><url><loc>{origin}/part</loc></url><url><lo',
      '/b.xml': urlset('/b'),
    };
    const { entries, warnings } = await walk(['/index.xml']);
    expect(entries).toEqual(['/a', '/part', '/b']);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/^\/broken\.xml: .*500/);
    expect(warnings[1]).toMatch(/^\/gone\.xml: .*404/);
    expect(warnings[2]).toMatch(/^\/damaged\.xml: .*syntax error/);
  });

  test('a connection that fails is a warning', async () => {
    const items: unknown[] = [];
    for await (const item of walkSitemaps(
      [`${origin}/a.xml`],
      () => Promise.reject(new Error('connection refused')),
      { maxSitemaps: 10, signal: new AbortController().signal },
    )) {
      items.push(item);
    }
    expect(items).toEqual([
      { warning: `${origin}/a.xml: connection refused`, sitemap: `${origin}/a.xml` },
    ]);
  });

  test.each([
    ['a cut one', '<urlset><url><loc>{origin}/a'],
    ['a program that failed', '<br />\n<b>Fatal error</b>: no memory in <b>/sitemap.php</b>'],
    ['other XML', '<error>no such key</error>'],
    ['text before it', `Notice: x\n${urlset('/a')}`],
  ])('a guessed sitemap that is broken is a warning, as a named one is: %s', async (_, body) => {
    files = { '/guess.xml': body };
    const guessed = await walk(['/guess.xml'], { optional: ['/guess.xml'] });
    expect(guessed.warnings).toHaveLength(1);
    expect(guessed).toEqual(await walk(['/guess.xml']));
  });

  test.each([
    ['nothing', ' \n'],
    ['a web page', '<!doctype html><title>No such page</title>'],
    ['a web page as XML', '<?xml version="1.0"?><!DOCTYPE html><html xmlns="x"><body/></html>'],
    ['a word', 'Not Found'],
    ['an answer in JSON', '{"error": "not found"}'],
  ])('a guessed sitemap that is %s is not there', async (_, body) => {
    files = { '/guess.xml': body };
    expect((await walk(['/guess.xml'], { optional: ['/guess.xml'] })).warnings).toEqual([]);
    expect((await walk(['/guess.xml'])).warnings).toHaveLength(1);
  });

  test('an address that was a guess may be missing or a web page, but not broken', async () => {
    files = { '/page.xml': '<!doctype html><html></html>', '/broken.xml': 503 };
    const guesses = ['/missing.xml', '/page.xml', '/broken.xml'];
    const { warnings } = await walk(guesses, { optional: guesses });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('/broken.xml');
    expect((await walk(guesses)).warnings).toHaveLength(3);
  });
});

describe('the end', () => {
  const manyChildren = (): void => {
    const paths = Array.from({ length: 50 }, (_, i) => `/s${i}.xml`);
    files = { '/index.xml': index(...paths) };
    for (const [i, path] of paths.entries()) files[path] = urlset(`/page-${i}`);
  };

  test('nothing is fetched after the consumer stops', async () => {
    manyChildren();
    const items = walkSitemaps([`${origin}/index.xml`], fetchBytes, {
      maxSitemaps: 100,
      signal: new AbortController().signal,
    });
    for await (const item of items) {
      if ('url' in item) break;
    }
    const fetched = log.length;
    await wait(60);
    expect(log.length).toBe(fetched);
    expect(fetched).toBeLessThanOrEqual(6);
  });

  test('an abort ends the walk at once with its reason', async () => {
    manyChildren();
    delays = { '/s3.xml': 5_000 };
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    const started = performance.now();
    await expect(walk(['/index.xml'], { signal: controller.signal })).rejects.toBe(reason);
    // The child alone takes 5 s.
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test('no start, no entry', async () => {
    expect(await walk([])).toEqual({ entries: [], warnings: [] });
  });
});
