import { createClient, type CrawlOptions } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { type MemoryPage, memoryWeb, pageOf, seeded } from '../support/memory-web.ts';

const words =
  'amber basin cedar delta ember fjord grove heron inlet jetty knoll larch marsh notch'.split(' ');
const textOf = (seed: number, length: number): string => {
  const chance = seeded(seed);
  return Array.from({ length }, () => words[Math.floor(chance() * words.length)]).join(' ');
};
const article = (text: string, around = ''): string =>
  `<!doctype html><title>Article</title><nav>${around}</nav><main><h1>Article</h1><p>${text}</p></main>`;

async function crawl(pages: Record<string, string | MemoryPage>, options: CrawlOptions = {}) {
  await using client = createClient({ engines: [memoryWeb(pages)] });
  const job = client.crawl('http://site.test/', { sitemap: 'skip', ...options });
  const { data, ...status } = await job;
  return {
    kept: data.map((page) => page.metadata.url.replace('http://site.test', '')),
    skipped: job
      .skipped()
      .map(({ url, reason, rule }) =>
        [url, reason, rule].map((part) => part.replace('http://site.test', '')).join(' '),
      ),
    status,
  };
}

describe('crawl 7: one document for each page, the others listed', () => {
  const text = textOf(1, 300);
  const stamp = (text: string): string => text.replace(/(\w+ ){4}/, 'on 3 May 2024 ');
  const pages = {
    'http://site.test/': pageOf('start', [
      '/a',
      '/a/print',
      '/a/tomorrow',
      '/b',
      '/b/copy',
      '/template/1',
      '/template/2',
      '/short/1',
      '/short/2',
    ]),
    'http://site.test/a': article(text),
    'http://site.test/a/print': article(`${text} Printed from our site`, 'Another menu'),
    'http://site.test/a/tomorrow': article(stamp(text)),
    'http://site.test/b': article(textOf(2, 300)),
    'http://site.test/b/copy': article(textOf(2, 300)),
    'http://site.test/template/1': article(`${textOf(3, 240)} ${textOf(4, 60)}`),
    'http://site.test/template/2': article(`${textOf(3, 240)} ${textOf(5, 60)}`),
    'http://site.test/short/1': article(textOf(6, 30)),
    'http://site.test/short/2': article(stamp(textOf(6, 30))),
  };

  it("deduplicateContent: 'exact' takes the same bytes for one", async () => {
    const { kept, skipped } = await crawl(pages);
    expect(kept).toHaveLength(9);
    expect(skipped).toEqual(['/b/copy DUPLICATE_CONTENT /b']);
  });

  it("deduplicateContent: 'near' takes nearly the same text for one, and no short or different one", async () => {
    const { kept, skipped, status } = await crawl(pages, { deduplicateContent: 'near' });
    expect(kept).toEqual(['/', '/a', '/b', '/template/1', '/template/2', '/short/1', '/short/2']);
    expect(skipped).toEqual([
      '/a/print DUPLICATE_CONTENT /a',
      '/a/tomorrow DUPLICATE_CONTENT /a',
      '/b/copy DUPLICATE_CONTENT /b',
    ]);
    expect(status.discovered).toBe(status.completed + status.skipped);
  });

  it('tells how many were merged, and how to turn it off', async () => {
    const { status } = await crawl(pages, { deduplicateContent: 'near' });
    expect(status.warning).toContain(
      "3 pages were merged with another that has the same content, http://site.test/a/print for one. deduplicateContent: 'off' keeps all of them.",
    );
    expect((await crawl(pages, { deduplicateContent: 'off' })).status.warning).toBeUndefined();
  });

  it('never merges bodies under 512 bytes', async () => {
    const links = ['/x', '/y', '/z'];
    for (const body of ['OK', '[]', '<p>Please enable JavaScript.', 'a'.repeat(511)]) {
      const site = Object.fromEntries(links.map((path) => [`http://site.test${path}`, body]));
      for (const deduplicateContent of ['exact', 'near'] as const) {
        const { kept } = await crawl(
          { ...site, 'http://site.test/': pageOf('start', links) },
          { deduplicateContent },
        );
        expect(kept).toEqual(['/', ...links]);
      }
    }
    const large = Object.fromEntries(
      links.map((path) => [`http://site.test${path}`, 'a'.repeat(512)]),
    );
    expect((await crawl({ ...large, 'http://site.test/': pageOf('start', links) })).kept).toEqual([
      '/',
      '/x',
    ]);
  });

  it.each([
    ['a session id in a path', '<a href="/start;jsessionid=#">s</a>'],
    ['a session id in a query', '<a href="/start?PHPSESSID=#&amp;a=1">s</a>'],
    ['tracking', '<a href="https://other.test/?utm_source=#">s</a>'],
    ['a nonce', '<script nonce="#">let a = 1;</script>'],
    ['a token in a form', '<form><input type="hidden" name="_token" value="#"></form>'],
    ['a token in the head', '<meta name="csrf-token" content="#">'],
    ['a token in a script', '<script>window.app = {"csrfToken":"#"}</script>'],
    ['the time that it took', '<!-- page generated in 0.# seconds -->'],
    ['a signed picture', '<img src="/a.png?X-Amz-Date=2026#&amp;X-Amz-Signature=f#">'],
  ])('what differs in every visit makes no other page: %s', async (_, markup) => {
    const twin = (value: string): string => article(textOf(1, 100)) + markup.replaceAll('#', value);
    const { kept } = await crawl({
      'http://site.test/': pageOf('start', ['/x', '/y']),
      'http://site.test/x': twin('4a41'),
      'http://site.test/y': twin('9c30'),
    });
    expect(kept).toEqual(['/', '/x']);
  });

  it("deduplicateContent: 'off' keeps them all", async () => {
    const { kept, skipped } = await crawl(pages, { deduplicateContent: 'off' });
    expect([kept.length, skipped]).toEqual([10, []]);
  });

  it("deduplicateContent: 'near' does not depend on what is left out as repeated, or on speed", async () => {
    for (const maxConcurrency of [1, 8]) {
      const { kept } = await crawl(pages, {
        deduplicateContent: 'near',
        removeRepeatedBlocks: true,
        maxConcurrency,
      });
      expect(kept).toEqual(['/', '/a', '/b', '/template/1', '/template/2', '/short/1', '/short/2']);
    }
  });

  it.each<[string, string, Record<string, string | MemoryPage>, readonly string[]]>([
    [
      'a redirect to a page that comes later',
      '/old',
      { '/old': { location: '/new' } },
      ['/new DUPLICATE_URL /old'],
    ],
    [
      'a redirect to a page that came before',
      '/zzz',
      { '/zzz': { location: '/new' } },
      ['/zzz DUPLICATE_URL /new'],
    ],
    [
      'two redirects to one page',
      '/r1',
      {
        '/r1': { location: '/hidden' },
        '/r2': { location: '/hidden' },
        '/hidden': article(textOf(9, 60)),
      },
      ['/r2 DUPLICATE_URL /r1'],
    ],
    ['http and https, www, slash, index file, order of parameters', '/new', {}, []],
  ])('%s', async (_, first, more, expected) => {
    const links = ['/r1', '/r2'].every((path) => path in more)
      ? ['/r1', '/r2']
      : first === '/old'
        ? ['/old', '/new']
        : first === '/zzz'
          ? ['/new', '/zzz']
          : [
              '/new',
              'https://site.test/new',
              'http://www.site.test/new/',
              '/new/index.html',
              '/new?b=2&a=1',
              '/new?a=1&b=2',
              '/new#part',
            ];
    const base: Record<string, string | MemoryPage> = {
      'http://site.test/': pageOf('start', links),
      'http://site.test/new': article(textOf(8, 60)),
      'http://site.test/new?b=2&a=1': article(textOf(12, 60)),
    };
    for (const [path, page] of Object.entries(more)) base[`http://site.test${path}`] = page;
    const { kept, skipped } = await crawl(base);
    if (first === '/new') {
      expect(kept).toEqual(['/', '/new', '/new?b=2&a=1']);
      expect(skipped.map((skip) => skip.split(' ')[1])).toEqual(
        Array.from({ length: skipped.length }, () => 'DUPLICATE_URL'),
      );
      expect(skipped).toHaveLength(5 - 1);
    } else {
      expect(kept).toHaveLength(2);
      expect(skipped).toEqual(expected);
    }
  });

  it('a page that names another one as canonical is that one, whichever comes first', async () => {
    const named = article(textOf(10, 60)).replace(
      '<title>',
      '<link rel="canonical" href="/real"><title>',
    );
    for (const links of [
      ['/copy', '/real'],
      ['/real', '/copy'],
    ]) {
      const { kept, skipped } = await crawl({
        'http://site.test/': pageOf('start', links),
        'http://site.test/copy': named,
        'http://site.test/real': article(textOf(10, 60)),
      });
      expect(kept).toHaveLength(2);
      expect(skipped).toEqual([`${links[1] ?? ''} DUPLICATE_URL ${links[0] ?? ''}`]);
    }
  });

  it('a site that names its home page everywhere loses none', async () => {
    const home = (text: string): string =>
      article(text).replace('<title>', '<link rel="canonical" href="/"><title>');
    const { kept } = await crawl({
      'http://site.test/': pageOf('start', ['/1', '/2']),
      'http://site.test/1': home(textOf(20, 60)),
      'http://site.test/2': home(textOf(21, 60)),
    });
    expect(kept).toEqual(['/', '/1', '/2']);
  });

  it('a page that fails passes its address on to nobody', async () => {
    const { kept, status } = await crawl(
      {
        'http://site.test/': pageOf('start', ['/gone', '/new']),
        'http://site.test/gone': { fails: true },
        'http://site.test/new': article(textOf(22, 60)),
      },
      { scrapeOptions: { formats: [], retries: 0 } },
    );
    expect([kept, status.failed]).toEqual([['/', '/new'], 1]);
  });
});
