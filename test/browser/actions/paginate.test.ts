/** Pages that follow each other. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionInput } from '../../../src/browser/actions/action-types.ts';
import { joinPages } from '../../../src/browser/actions/join-pages.ts';
import type { ActionOutcome } from '../../../src/core/model/snapshot.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;
let server: FixtureServer;

const rows = (page: number): string =>
  [1, 2, 3].map((row) => `<li><a href="item/${page}-${row}">Row ${page}.${row}</a></li>`).join('');

/** A page of a list; `links` is its pagination. */
const list = (page: number, links: string): string => `<title>Page ${page}</title>
  <header><a href="/about">Next level shop</a></header>
  <div class="carousel"><button>Next</button></div>
  <main><h1>All rows</h1><ul class="rows">${rows(page)}</ul></main>
  <nav class="pagination">${links}</nav><footer>Imprint</footer>`;

const three = (links: (page: number) => string, folder: string): Record<string, string> =>
  Object.fromEntries([1, 2, 3].map((page) => [`/${folder}/${page}`, list(page, links(page))]));

const next = (label: string) => (page: number) =>
  page < 3 ? `<a href="${page + 1}">${label}</a>` : '';

/** One page that replaces its rows; after `last`, its button is as `atTheEnd` says. */
const single = (atTheEnd: string): string => `
  <ul class="rows">${rows(1)}</ul><button aria-label="Next page">→</button><script>
    let page = 1;
    const button = document.querySelector('button');
    button.onclick = () => setTimeout(() => {
      page++;
      document.querySelector('ul').innerHTML = [1, 2, 3].map((row) => '<li>Row ' + page + '.' + row + '</li>').join('');
      if (page === 3) { ${atTheEnd} }
    }, 150);
  </script>`;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launchChromium(),
    serve({
      ...three((page) => (page < 3 ? `<a rel="next" href="${page + 1}">»</a>` : ''), 'rel'),
      ...three(next('Next ›'), 'word'),
      ...three(next('Nächste Seite'), 'german'),
      ...three(next('次へ'), 'japanese'),
      ...three(next('<svg></svg><span>Older posts</span>'), 'older'),
      ...three(next('›'), 'arrow'),
      ...three(
        (page) =>
          [1, 2, 3]
            .map((n) => (n === page ? `<b class="current">${n}</b>` : `<a href="${n}">${n}</a>`))
            .join(' '),
        'number',
      ),
      ...three((page) => `<a href="${(page % 3) + 1}">Next</a>`, 'loop'),
      ...three((page) => (page < 3 ? `<a href="${page + 1}" class="more">More</a>` : ''), 'more'),
      ...three((page) => (page < 3 ? `<link rel="next" href="/head/${page + 1}">` : ''), 'head'),
      ...three(
        (page) => (page < 3 ? `<a href="${page + 1}">Next</a>` : '<a class="disabled">Next</a>'),
        'disabled',
      ),
      '/host/1': list(1, '<a href="http://localhost:9/2">Next</a>'),
      '/article/1': list(1, '<div class="post-navigation"><a rel="next" href="2">Next</a></div>'),
      '/title/1': '<p>Text</p><a rel="next" href="2">Next: all about lamps</a>',
      '/covered/1': list(1, '<a href="2">Next</a>'),
      '/covered/2': `${list(2, '<a href="3">Next</a>')}
        <div class="wall" style="position: fixed; inset: 0">Sign up</div>`,
      '/broken/1': list(1, '<a href="2">Next</a>'),
      '/broken/2': { status: 500, body: list(2, '') },
      '/single/gone': single('button.remove()'),
      '/single/disabled': single('button.disabled = true'),
    }),
  ]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function walk(path: string, options: object = {}, time = 60_000): Promise<ActionOutcome> {
  const page: Page = await pageWith(browser, '');
  await page.goto(server.url(path));
  const step: ActionInput = { type: 'paginate', ...options };
  const outcome = await act(page, [step], { timeLeft: time });
  await page.context().close();
  return outcome;
}

/** The rows of a page, as `1.1`. */
const rowsOf = (html = ''): string[] =>
  [...html.matchAll(/Row (\d\.\d)/g)].map(([, row = '']) => row);

const all = ['1.1', '1.2', '1.3', '2.1', '2.2', '2.3', '3.1', '3.2', '3.3'];

describe.concurrent('the next page is found', () => {
  test.each(['rel', 'word', 'german', 'japanese', 'older', 'arrow', 'number', 'head'])(
    'by %s',
    async (folder) => {
      const { paginations, whole } = await walk(`/${folder}/1`);
      expect(paginations).toEqual([{ pages: 3, end: 'none' }]);
      expect(whole?.url).toBe(server.url(`/${folder}/1`));
      expect(rowsOf(whole?.html)).toEqual(all);
    },
  );

  test('by a selector', async () => {
    const { paginations } = await walk('/more/1', { selector: 'role=link[name="More"]' });
    expect(paginations).toEqual([{ pages: 3, end: 'none' }]);
  });

  test.each([
    ['gone', 'none'],
    ['disabled', 'disabled'],
  ])('by a button without a URL, until it is %s', async (path, end) => {
    const { paginations, whole } = await walk(`/single/${path}`);
    expect(paginations).toEqual([{ pages: 3, end }]);
    expect(rowsOf(whole?.html)).toEqual(all);
  });
});

describe.concurrent('it ends', () => {
  test.each([
    ['/loop/1', { pages: 3, end: 'seen' }],
    ['/disabled/1', { pages: 3, end: 'disabled' }],
    ['/host/1', { pages: 1, end: 'otherHost' }],
    ['/article/1', { pages: 1, end: 'none' }],
    ['/title/1', { pages: 1, end: 'none' }],
  ])('on %s', async (path, ran) => {
    const { paginations, warnings } = await walk(path);
    expect(paginations).toEqual([ran]);
    expect(warnings).toEqual([]);
  });

  test('at max and when time is over, with a warning', async () => {
    const most = await walk('/word/1', { max: 2 });
    expect(most.paginations).toEqual([{ pages: 2, end: 'max' }]);
    expect(most.warnings).toEqual(['paginate stopped at max after 2 page(s); there may be more.']);
    expect((await walk('/word/1', {}, 0)).paginations).toEqual([{ pages: 1, end: 'time' }]);
  });
});

describe.concurrent('the pages that were read stay', () => {
  // Takes the 5 s that an element has to be usable.
  test.each([{}, { selector: '.pagination a' }])(
    'when the next link is covered: %o',
    async (by) => {
      const { paginations, whole, warnings } = await walk('/covered/1', by);
      expect(paginations).toEqual([{ pages: 2, end: 'failed' }]);
      expect(rowsOf(whole?.html)).toEqual(all.slice(0, 6));
      const name = 'selector' in by ? '".pagination a"' : 'its link';
      expect(warnings).toEqual([
        `paginate failed after 2 page(s): ${name} is covered by <div class="wall">Sign up</div>; close that first, or click it.`,
      ]);
    },
  );

  test('when the next page is an error', async () => {
    const { paginations, whole, warnings } = await walk('/broken/1');
    expect(paginations).toEqual([{ pages: 1, end: 'failed' }]);
    expect(rowsOf(whole?.html)).toEqual(all.slice(0, 3));
    expect(warnings).toEqual(['paginate failed after 1 page(s): the next page answered 500.']);
  });

  test('when the next page does not load', async () => {
    const page = await pageWith(browser, '');
    await page.route('**/word/2', (route) => route.abort('connectionreset'));
    await page.goto(server.url('/word/1'));
    const { paginations, warnings } = await act(page, [{ type: 'paginate' }]);
    expect(paginations).toEqual([{ pages: 1, end: 'failed' }]);
    expect(warnings).toEqual(['paginate failed after 1 page(s): the next page did not load.']);
  });
});

test('a wrong selector fails', async () => {
  const walking = walk('/word/1', { selector: 'p[' });
  expect((await failureOf(walking)).message).toMatch(/"p\[" is not a CSS selector; correct it$/);
});

test('pages are kept apart when asked for', async () => {
  const { pages, whole } = await walk('/word/1', { as: 'pages' });
  expect(pages.map(({ url }) => url)).toEqual([1, 2, 3].map((n) => server.url(`/word/${n}`)));
  expect(pages.map(({ html }) => rowsOf(html).length)).toEqual([3, 3, 3]);
  expect(whole).toBe(pages[0]);
});

describe('joined pages', () => {
  const join = (...bodies: string[]): string =>
    joinPages(bodies.map((html, at) => ({ url: `https://a.test/list/${at}/`, html }))).replace(
      /^.*<body>|<\/body>.*$/gs,
      '',
    );

  test('have headers and footers once, and links of later pages are absolute', () => {
    const html = join(list(1, 'x'), list(2, 'y'));
    expect(html.match(/Imprint|All rows|Next level/g)).toEqual([
      'Next level',
      'All rows',
      'Imprint',
    ]);
    expect(html).toContain('<a href="item/1-1">');
    expect(html).toContain('<a href="https://a.test/list/1/item/2-1">');
  });

  test('of three pages stay in order, and what all of them link to stays once', () => {
    const page = (text: string): string =>
      `<aside><a href="about">About</a></aside><div class="text">${text}</div>`;
    const html = join(page('one'), page('two'), page('three'));
    expect(
      html
        .replace(/<[^>]*>/g, ' ')
        .split(/ +/)
        .filter(Boolean),
    ).toEqual('About one two three'.split(' '));
  });

  test('take a time that grows with their length alone', () => {
    const wide = (text: string): string =>
      Array.from({ length: 8000 }, (_, at) => `<div class="c${at}">${text}${at}</div>`).join('');
    const deep = (text: string): string =>
      `${'<div>'.repeat(400)}<p>${text}</p>${'x'.repeat(1_000_000)}${'</div>'.repeat(400)}`;
    const begun = performance.now();
    expect(join(wide('a'), wide('b')).match(/<div/g)).toHaveLength(16_000);
    expect(join(deep('a'), deep('b'))).toContain('<p>b</p>');
    // It was more than a minute when each part was compared with each.
    expect(performance.now() - begun).toBeLessThan(20_000);
  }, 120_000);

  test.each([
    ['rows that are equal', ['<ul><li>a<li>b</ul>', '<ul><li>b<li>c</ul>'], 'abbc'],
    [
      'rows of two classes',
      [
        '<b class="o">1</b><b class="e">2</b><b class="o">3</b><b class="e">4</b><b class="o">5</b>',
        '<b class="o">6</b><b class="e">7</b>',
      ],
      '1234567',
    ],
    [
      'one text in place of another',
      [
        '<div id="app"><div class="text">one</div></div>',
        '<div id="app"><div class="text">two</div></div>',
      ],
      'onetwo',
    ],
    [
      'paragraphs of an article',
      [
        '<h1>T</h1><article><p>a</p><p>b</p></article><aside>x</aside>',
        '<h1>T</h1><article><p>c</p></article><aside>x</aside>',
      ],
      'Tabcx',
    ],
    [
      'a last page with one row',
      ['<table><tr><td>1<tr><td>2</table>', '<table><tr><td>3</table>'],
      '123',
    ],
    [
      'three pages',
      [
        '<main><h2>L</h2><ul><li>1</ul></main>',
        '<main><h2>L</h2><ul><li>2</ul></main>',
        '<main><h2>L</h2><ul><li>3</ul></main>',
      ],
      'L123',
    ],
  ])('with %s', (_, pages, text) => {
    expect(join(...pages).replace(/<[^>]*>|\s/g, '')).toBe(text);
  });
});
