import { describe, expect, test } from 'vitest';
import { canonicalUrl, discoverLinks } from '../../../src/core/frontier/discover-links.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';
import type { HtmlPage, TextPage } from '../../../src/core/model/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const url = 'http://example.test/docs/page';

function htmlPage(source: string, baseUrl: string = url): HtmlPage {
  const document = parseHtml(source, { nodes: 1_000_000, depth: 512 });
  return {
    kind: 'html',
    url,
    baseUrl,
    statusCode: 200,
    mediaType: 'text/html',
    source,
    warnings: [],
    document,
    root: document.body,
  };
}

function textPage(mediaType: string, source: string, markdown: string = source): TextPage {
  return {
    kind: 'text',
    url,
    baseUrl: url,
    statusCode: 200,
    mediaType,
    source,
    markdown,
    warnings: [],
  };
}

const all = { limit: 100_000 };
const urls = (page: HtmlPage | TextPage): string[] =>
  discoverLinks(page, all).map((link) => link.url.replace('http://example.test', ''));

describe('HTML', () => {
  test('every kind of link is found, in document order', () => {
    const page = htmlPage(`
      <html><head>
        <link rel="canonical" href="/canonical"><link rel="next" href="?page=2"><link rel="prev" href="?page=0">
        <link rel="alternate" hreflang="de" href="/de/"><link rel="alternate" type="application/rss+xml" href="/feed">
        <link rel="stylesheet" href="/style.css"><link rel="icon" href="/icon.png">
        <meta http-equiv="Refresh" content="5; URL='/refreshed'"><meta name="refresh" content="0;url=/no">
      </head><body>
        <nav><a href="../up" rel="NoFollow  noopener">Up\n  there</a></nav>
        <map><area href="/area" alt="An area"></map>
        <noscript><a href="/noscript">n</a></noscript>
        <iframe src="/frame" title="A frame"></iframe>
        <iframe srcdoc="<a href='/in-frame'>in</a><iframe srcdoc='x'></iframe>"></iframe>
        <footer><a href="/last">last</a></footer>
      </body></html>`);
    expect(discoverLinks(page, all)).toEqual([
      { url: 'http://example.test/canonical', rel: 'canonical', element: 'link' },
      { url: 'http://example.test/docs/page?page=2', rel: 'next', element: 'link' },
      { url: 'http://example.test/docs/page?page=0', rel: 'prev', element: 'link' },
      { url: 'http://example.test/de/', rel: 'alternate', element: 'link' },
      { url: 'http://example.test/refreshed', element: 'meta' },
      { url: 'http://example.test/up', rel: 'nofollow noopener', text: 'Up there', element: 'a' },
      { url: 'http://example.test/area', text: 'An area', element: 'area' },
      { url: 'http://example.test/noscript', text: 'n', element: 'a' },
      { url: 'http://example.test/frame', text: 'A frame', element: 'iframe' },
      { url: 'http://example.test/in-frame', text: 'in', element: 'a' },
      { url: 'http://example.test/last', text: 'last', element: 'a' },
    ]);
  });

  test('frames of a frameset are found', () => {
    expect(
      urls(htmlPage('<html><frameset><frame src="/a"><frame src="/b"></frameset></html>')),
    ).toEqual(['/a', '/b']);
  });

  test('each URL is there once, as first mentioned, and the page itself is not', () => {
    const page = htmlPage(
      `<a href="/a#one">first</a><a href="http://example.test:80/x/../a">second</a>
       <a href="#part">part</a><a href="${url}#part">self</a><a href="">empty</a><a>none</a>
       <a href="#/route">route</a>`,
    );
    expect(discoverLinks(page, all)).toEqual([
      { url: 'http://example.test/a', text: 'first', element: 'a' },
      { url: 'http://example.test/docs/page#/route', text: 'route', element: 'a' },
    ]);
  });

  test('relative links start from the base', () => {
    expect(
      urls(htmlPage('<a href="a">a</a><a href="#x">x</a>', 'http://example.test/base/')),
    ).toEqual(['/base/a', '/base/']);
  });

  test('what cannot be followed is left out, and told', () => {
    const refused: string[] = [];
    const page = htmlPage(
      `<a href="mailto:a@b.test">m</a><a href="javascript:void(0)">j</a><a href="tel:1">t</a>
       <a href="data:text/html,x">d</a><a href="http://">h</a><a href="https://e.test:99999/">p</a>
       <a href="  http:/one-slash  ">o</a><a href="/ok">ok</a>`,
    );
    const links = discoverLinks(page, {
      ...all,
      onRefused: (href, reason) => refused.push(`${reason} ${href}`),
    });
    expect(links.map((link) => link.url)).toEqual([
      'http://example.test/one-slash',
      'http://example.test/ok',
    ]);
    expect(refused).toEqual([
      'PROTOCOL mailto:a@b.test',
      'PROTOCOL javascript:void(0)',
      'PROTOCOL tel:1',
      'PROTOCOL data:text/html,x',
      'BAD_URL http://',
      'BAD_URL https://e.test:99999/',
    ]);
  });

  test('a link without text has the words of its image or label', () => {
    const page = htmlPage(
      `<a href="/a"><img src="x" alt="Home"></a><a href="/b" aria-label="Search"><svg></svg></a>
       <a href="/c" title="Title"> </a><a href="/d"><b>Bold</b> and <i>more</i></a>
       <a href="/e">${'long '.repeat(1_000)}</a>`,
    );
    const texts = discoverLinks(page, all).map((link) => link.text);
    expect(texts.slice(0, 4)).toEqual(['Home', 'Search', 'Title', 'Bold and more']);
    expect(texts[4]?.length).toBeLessThanOrEqual(200);
  });

  test('no more links are taken than the limit', () => {
    const page = htmlPage(
      Array.from(
        { length: 100 },
        (_, i) => `<a href="/${i}">${i}</a><a href="/${i}">again</a>`,
      ).join(''),
    );
    expect(discoverLinks(page, { limit: 7 }).map((link) => link.text)).toEqual(
      '0 1 2 3 4 5 6'.split(' '),
    );
    expect(discoverLinks(page, { limit: 0 })).toEqual([]);
    expect(page.warnings[0]).toMatch(/more than 7 links.*limits\.links/);
  });

  test.each([
    ['many links', Array.from({ length: 50_000 }, (_, i) => `<a href="/${i}">a</a>`).join('')],
    ['nested links', '<a href="/a">'.repeat(500) + '<b>'.repeat(5) + '<i></i>'.repeat(50_000)],
    ['one link around the page', `<a href="/a">${'<i></i>'.repeat(100_000)}</a>`],
    ['frames', '<iframe srcdoc="<a href=x>"></iframe>'.repeat(50_000)],
    ['refreshes', `<meta http-equiv=refresh content="${'0 '.repeat(500_000)}">`.repeat(2)],
  ])('%s cost little time', (_, source) => {
    const page = htmlPage(source);
    const started = cpuTime();
    discoverLinks(page, all);
    expect(cpuTime() - started).toBeLessThan(2_000);
  });
});

describe('text', () => {
  test('JSON has bare URLs, escaped or not', () => {
    const page = textPage(
      'application/json',
      '{"a":"http:\\/\\/example.test\\/a?x=1\\u0026y=2","b":["http://example.test/b"],"c":"/c"}',
    );
    expect(discoverLinks(page, all)).toEqual([
      { url: 'http://example.test/a?x=1&y=2', element: 'text' },
      { url: 'http://example.test/b', element: 'text' },
    ]);
  });

  test('plain text and markdown have links, with their words', () => {
    const page = textPage('text/plain', '# Docs\n- [Intro](/intro): see http://example.test/a.\n');
    expect(discoverLinks(page, all)).toEqual([
      { url: 'http://example.test/intro', text: 'Intro', element: 'text' },
      { url: 'http://example.test/a', element: 'text' },
    ]);
  });

  test('XML has addresses; namespaces are names', () => {
    const page = textPage(
      'application/xml',
      '<x xmlns="http://namespace.test/a" xmlns:b="http://namespace.test/b"><loc>http://example.test/?a=1&amp;b=2</loc></x>',
    );
    expect(urls(page)).toEqual(['/?a=1&b=2']);
  });

  test('a file without text of its own has the links of its markdown', () => {
    expect(
      urls(textPage('application/pdf', '', 'See [the site](http://example.test/site).')),
    ).toEqual(['/site']);
  });
});

describe('canonicalUrl', () => {
  test('is absolute and normalised', () => {
    const page = htmlPage('<head><link rel="Canonical" href="../A/./b#x"></head>');
    expect(canonicalUrl(page)).toBe('http://example.test/A/b');
  });

  test.each([
    '<head></head>',
    '<head><link rel="canonical" href=""></head>',
    '<head><link rel="canonical" href="javascript:1"></head>',
    '<body><p>x</p><link rel="canonical" href="/injected"></body>',
  ])('%j has none', (source) => {
    expect(canonicalUrl(htmlPage(source))).toBeUndefined();
  });
});
