import { describe, expect, it } from 'vitest';
import { cleanPage } from '../../../../src/content/clean/index.ts';
import { measure } from '../../../../src/content/clean/main-content/measure.ts';
import { findNavigationLinks } from '../../../../src/content/clean/main-content/navigation-links.ts';
import { readPageFacts } from '../../../../src/content/clean/main-content/page-facts.ts';
import { blockLines, defaults, htmlPage } from '../page.ts';

const url = 'https://site.test/shop/chairs?page=2';

/** The texts of the paragraphs that lead around the site. */
function navigation(body: string, pageUrl = url): string[] {
  const page = htmlPage(`<body>${body}</body>`, pageUrl);
  const blocks = measure(page.root);
  const facts = readPageFacts(page.document, page.source, pageUrl);
  const paragraphs = blocks.filter(({ own }) => own.length > 0);
  const found = findNavigationLinks(blocks, paragraphs, facts).all;
  return paragraphs
    .filter(({ index }) => found.has(index))
    .map(({ element }) => (element.textContent ?? '').replace(/\s+/g, ' ').trim());
}

const card = (name: string, label: string, href: string): string =>
  `<div><h3><a href="/${name}">${name}</a></h3><p>Seats one.</p><p><a href="${href}">${label}</a></p></div>`;

const cards = (label: string, hrefOf: (name: string) => string): string =>
  ['Oak', 'Ash', 'Elm'].map((name) => card(name, label, hrefOf(name))).join('');

describe('labels that are said again', () => {
  it('are buttons where each leads elsewhere', () => {
    const body = cards('Add to basket', (name) => `/add/${name}`);
    expect(navigation(body)).toEqual(['Add to basket', 'Add to basket', 'Add to basket']);
  });

  it('are labels with a count before them, which differs', () => {
    const counts = (word: string): string =>
      [12, 7, 131].map((count) => `<p><a href="/${count}">${count} ${word}</a></p>`).join('');
    expect(navigation(counts('Reviews'))).toHaveLength(3);
    expect(navigation(counts('GB'))).toEqual([]);
  });

  it('are buttons beside another button', () => {
    const buttons = ['a', 'b', 'c'].map(
      (name) => `<p>Quick view <a href="/${name}">View options</a></p>`,
    );
    expect(navigation(buttons.join(''))).toHaveLength(3);
  });

  it('are buttons where they lead to a place on the page, and around a box', () => {
    expect(navigation(cards('Back to top', () => '#top'))).toHaveLength(3);
    const boxes = ['a', 'b', 'c'].map((name) => `<a href="/${name}"><div>Buy now</div></a>`);
    expect(navigation(boxes.join(''))).toHaveLength(3);
  });

  it.each([
    ['names, which lead to the same page', cards('Ada Smith', () => '/people/ada')],
    ['dates', cards('May 3, 2024', (name) => `/on/${name}`)],
    ['sentences', cards('Available in French.', (name) => `/fr/${name}`)],
    ['who is quoted', cards('Ada said:', (name) => `/said/${name}`)],
    ['two of them', card('Oak', 'Read more', '/1') + card('Ash', 'Read more', '/2')],
    [
      'cells of a table',
      `<table>${['a', 'b', 'c'].map((name) => `<tr><td>${name}</td><td><a href="/${name}">View</a></td></tr>`).join('')}</table>`,
    ],
    [
      'a part of a card that is a link',
      ['a', 'b', 'c']
        .map((name) => `<a href="/${name}"><p>Chair ${name}</p><p>Open back</p></a>`)
        .join(''),
    ],
  ])('are kept: %s', (_, body) => {
    expect(navigation(body)).toEqual([]);
  });
});

describe('a table of contents', () => {
  const entry = (number: string, place: string): string =>
    `<li><a href="${place}">${number}About ${place.replace(/\W/g, '')}</a></li>`;

  it('is made by a script where it counts what the headings do not', () => {
    const entries = entry('1.', '#one') + entry('2.', `${url}#two`) + entry('3.', '#three');
    expect(navigation(`<ul>${entries}</ul>`)).toHaveLength(3);
  });

  it.each([
    ['written by hand', entry('', '#one') + entry('', '#two') + entry('', '#three')],
    [
      'of headings that count themselves',
      ['1', '2', '3'].map((n) => entry(`${n}. `, `#${n}`)).join('') +
        ['1', '2', '3'].map((n) => `<h2>${n}. About ${n}</h2>`).join(''),
    ],
    ['of other pages', entry('1.', '/one') + entry('2.', '/two') + entry('3.', '/three')],
    [
      'with text between',
      ['1', '2', '3'].map((n) => `<a href="#${n}">${n}</a><p>Text</p>`).join(''),
    ],
  ])('is left to the model: %s', (_, entries) => {
    expect(navigation(`<ul>${entries}</ul>`)).toEqual([]);
  });
});

it('a price beside a repeated label is not navigation', () => {
  const offer = (at: number): string => `<p>$1${at} <a href="/cart/${at}">Add to cart</a></p>`;
  expect(navigation(offer(1) + offer(2) + offer(3))).toEqual([]);
  expect(navigation((offer(1) + offer(2) + offer(3)).replaceAll('$', ''))).toHaveLength(3);
});

describe('a list of sister pages', () => {
  const towns = (count: number, pattern: string): string =>
    Array.from({ length: count }, (_, index) => {
      const town = String.fromCodePoint(97 + index).repeat(4);
      return `<li><a href="/${town}">${pattern.replace('*', town)}</a></li>`;
    }).join('');
  const prose = `<p>${'We ask every mover for a licence, and read what people write. '.repeat(20)}</p>`;

  it('says the same of every town', () => {
    expect(navigation(`${prose}<ul>${towns(20, '* movers')}</ul>`)).toHaveLength(20);
    expect(navigation(`${prose}<ul>${towns(20, 'Movers in *')}</ul>`)).toHaveLength(20);
  });

  it.each([
    ['is the content of a page without text', `<ul>${towns(20, '* movers')}</ul>`],
    ['is long', `${prose}<ul>${towns(8, '* movers')}</ul>`],
    ['says the same of all', `${prose}<ul>${towns(20, '*')}</ul>`],
    [
      'is of products',
      `${prose.repeat(2)}<ul>${towns(20, 'Chair * of oak with arms, two cushions, wool, seats one')}</ul>`,
    ],
  ])('%s', (_, body) => {
    expect(navigation(body)).toEqual([]);
  });
});

describe('the page itself with another query', () => {
  it('is a filter or a further page', () => {
    const body =
      '<p><a href="?page=2&colour=red">Red 12</a></p><p><a href="/shop/chairs?page=2&sort=price">Price</a></p>';
    expect(navigation(body)).toEqual(['Red 12', 'Price']);
  });

  it('is another page where a parameter is missing', () => {
    const body =
      '<p><a href="?topic=7">Chairs for small rooms</a></p><p><a href="/shop/tables?page=2&a=b">Tables</a></p>';
    expect(navigation(body)).toEqual([]);
  });
});

describe('paragraphs of links', () => {
  it('are clouds where there are many and nothing else', () => {
    const links = Array.from({ length: 9 }, (_, index) => `<a href="/t/${index}">topic</a>`);
    expect(navigation(`<p>${links.join(' ')}</p>`)).toHaveLength(1);
    expect(navigation(`<p>${links.join(' and then another topic, ')}</p>`)).toEqual([]);
    expect(navigation(`<p>${links.join('<br>')}</p>`)).toEqual([]);
  });

  it('are rows of an index where most rows of their shape are short', () => {
    const row = (letter: string, size: number): string => {
      const links = Array.from({ length: size }, (_, at) => `<a href="/${letter}${at}">topic</a>`);
      return `<div><h3>${letter}</h3><div class="row">${links.join(' ')}</div></div>`;
    };
    const index = (sizes: readonly number[]): string =>
      sizes.map((size, at) => row('ABCDEFGH'.charAt(at), size)).join('');
    expect(navigation(index([2, 3, 12, 1, 4, 9, 2, 3]))).toEqual([]);
    expect(navigation(index([12, 13, 12, 10, 4, 9, 2, 3]))).toHaveLength(5);
  });

  it.each([
    ['<p>Related: <a href="/x">How chairs are made</a></p>', 1],
    ['<p><b>READ MORE:</b> <a href="/x">How chairs are made</a></p>', 1],
    ['<p><strong>RELATED STORY:</strong> <a href="/x">How chairs are made</a></p>', 1],
    ['<p>See also: <a href="/x">How chairs are made</a></p>', 0],
    ['<p>Related: the <a href="/x">price</a> of wood has risen since the spring.</p>', 0],
  ])('refer to another article: %s', (body, count) => {
    expect(navigation(body)).toHaveLength(count);
  });
});

it('is left out of a list that is kept as a whole', () => {
  const items = Array.from({ length: 9 }, (_, index) => {
    const text = `Chair number ${index} is made of oak, seats one and comes with a cushion of wool.`;
    return `<li><p>${text}</p><p><a href="/add/${index}">Add to basket</a></p></li>`;
  });
  const page = htmlPage(`<body><main><h1>Chairs</h1><ul>${items.join('')}</ul></main></body>`, url);
  cleanPage(page, defaults);
  const lines = blockLines(page.root);
  expect(lines).toHaveLength(10);
  expect(lines.join(' ')).not.toContain('basket');
});

describe('skip links', () => {
  it.each(['Skip to main content', 'Zum Hauptinhalt', 'Aller au contenu', 'Saltar al contenido'])(
    'are navigation: %s',
    (label) => {
      expect(navigation(`<a href="#main">${label}</a><p>The text.</p>`)).toHaveLength(1);
      expect(navigation(`<p><a href="/a">${label}</a></p>`)).toEqual([]);
    },
  );

  it('fill their paragraph', () => {
    const two = '<p><a href="#main">Skip to content</a> <a href="#nav">Skip to search</a></p>';
    expect(navigation(two)).toHaveLength(1);
    const sentence = '<p><a href="#end">Skip to the end</a> if you know how a harbour works.</p>';
    expect(navigation(sentence)).toEqual([]);
  });
});
