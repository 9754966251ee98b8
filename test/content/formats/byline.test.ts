import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../../src/content/formats/metadata.ts';
import type { PageMetadata } from '../../../src/core/model/document.ts';
import { htmlPage } from '../../support/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const now = Date.UTC(2026, 5, 1);

const read = (body: string, { lang = 'en', head = '' } = {}): PageMetadata =>
  readMetadata(
    htmlPage(
      `<html lang="${lang}"><head><title>The harbour at night - The Daily Tide</title>${head}</head><body>${body}</body></html>`,
    ),
    now,
  );

const title = '<h1>The harbour at night</h1>';
const prose = `<p>${'The tide was out and the boats lay on their sides in the mud. '.repeat(5)}</p>`;
const article = (byline: string): string =>
  `<nav><a href="/">Home</a> <a href="/about">About</a></nav><main><article>${title}${byline}${prose.repeat(4)}</article></main>`;

/** Author and dates of a page with this byline below its title. */
const seen = (byline: string, lang = 'en'): readonly (string | undefined)[] => {
  const { author, publishedTime, modifiedTime } = read(article(byline), { lang });
  return [author, publishedTime, modifiedTime];
};

describe('a byline in the words of', () => {
  test.each([
    ['en', '<p>By Jane Doe | 12 March 2024 | 5 min read</p>', 'Jane Doe'],
    ['de', '<p>Von Jürgen Groß</p><p>12. März 2024, 10:30 Uhr</p>', 'Jürgen Groß'],
    ['fr', '<p>Par Éloïse Petit</p><p>Publié le 12 mars 2024</p>', 'Éloïse Petit'],
    ['es', '<p>Por María de la Cruz</p><p>12 de marzo de 2024</p>', 'María de la Cruz'],
    ['it', '<p>di Luca Bianchi</p><p>12 marzo 2024</p>', 'Luca Bianchi'],
    ['pt', '<p>Escrito por João dos Santos</p><p>12 de março de 2024</p>', 'João dos Santos'],
    ['nl', '<p>Door Jan van der Berg</p><p>12 maart 2024</p>', 'Jan van der Berg'],
    ['sv', '<p>Av Åsa Öberg</p><p>12 mars 2024</p>', 'Åsa Öberg'],
    ['da', '<p>Skrevet af Søren Bæk</p><p>12. marts 2024</p>', 'Søren Bæk'],
    ['nb', '<p>Skrevet av Kåre Dahl</p><p>12. mars 2024</p>', 'Kåre Dahl'],
    ['fi', '<p>Kirjoittaja: Aino Mäki</p><p>12. maaliskuuta 2024</p>', 'Aino Mäki'],
    ['pl', '<p>Autor: Łukasz Żak</p><p>12 marca 2024</p>', 'Łukasz Žak'.replace('Ž', 'Ż')],
    ['cs', '<p>Autor: Jiří Novák</p><p>12. března 2024</p>', 'Jiří Novák'],
    ['hu', '<p>Szerző: Nagy Éva</p><p>2024. március 12.</p>', 'Nagy Éva'],
    ['el', '<p>Συντάκτης: Νίκος Παππάς</p><p>12 Μαρτίου 2024</p>', 'Νίκος Παππάς'],
    ['ru', '<p>Автор: Анна Петрова</p><p>12 марта 2024</p>', 'Анна Петрова'],
    ['uk', '<p>Автор: Олена Коваль</p><p>12 березня 2024</p>', 'Олена Коваль'],
    ['tr', '<p>Yazar: Ayşe Yılmaz</p><p>12 Mart 2024</p>', 'Ayşe Yılmaz'],
    ['zh', '<p>2024年3月12日 作者：李明</p>', '李明'],
    ['ja', '<p>2024年3月12日</p><p>著者：山田太郎</p>', '山田太郎'],
    ['ja', '<p>2024年3月12日</p><p class="author">山田 太郎</p>', '山田 太郎'],
    ['ja', '<p>2024年3月12日</p><p>執筆：山田 太郎、鈴木 花子</p>', '山田 太郎, 鈴木 花子'],
    ['en', '<p>12 March 2024</p><p class="author">著者：山田 太郎</p>', '山田 太郎'],
    ['zh', '<p>2024年3月12日</p><p class="author">刘国栋 周炜</p>', '刘国栋, 周炜'],
    ['zh', '<p>2024年3月12日</p><p class="author">王 明</p>', '王 明'],
    ['ko', '<p class="author">김 철수</p><p>2024년 3월 12일</p>', '김 철수'],
    ['ko', '<p>홍길동 기자</p><p>2024년 3월 12일</p>', '홍길동'],
    ['ar', '<p>بقلم: سارة خليل</p><p>2024-03-12</p>', 'سارة خليل'],
    ['id', '<p>Penulis: Budi Santoso</p><p>12 Maret 2024</p>', 'Budi Santoso'],
    ['vi', '<p>Tác giả: Nguyễn An</p><p>12/03/2024</p>', 'Nguyễn An'],
  ])('%s', (lang, byline, author) => {
    const [name, published] = seen(byline, lang);
    expect([name, published?.slice(0, 10)]).toEqual([author, '2024-03-12']);
  });
});

describe('the author', () => {
  test.each([
    [
      '<p>By <a href="/authors/jane">Jane Doe</a> and <a href="/authors/john">John Roe</a></p>',
      'Jane Doe, John Roe',
    ],
    [
      '<div class="post-author"><span>Written by</span><a rel="author">Jane Doe</a></div>',
      'Jane Doe',
    ],
    ['<p class="byline">Jane Doe, PhD, Senior Editor</p>', 'Jane Doe'],
    ['<p>March 3, 2024 by Jane Doe in Harbours</p>', 'Jane Doe'],
    ['<div>Jane Doe</div><div>Mar 3, 2024</div><div>5 min read</div>', 'Jane Doe'],
    ['<p>Posted by: Jane</p>', 'Jane'],
    ['<span itemprop="author" itemscope><span itemprop="name">Jane Doe</span></span>', 'Jane Doe'],
    ['<p>By Richard (R.J.) Roe</p>', 'Richard Roe'],
    ['<div class="author">By Jane Doe March 9, 2016</div>', 'Jane Doe'],
    ['<div class="author">By Jane Doe Tuesday, March 9, 2016</div>', 'Jane Doe'],
    ['<p>By Jane Doe Mar 9, 2016</p>', 'Jane Doe'],
    ['<p class="author">Jane Doe jane@tide.test</p>', 'Jane Doe'],
    [
      '<a class="post-author" href="/authors/jane">Jane Doe</a> <a href="/authors/">Contributors</a>',
      'Jane Doe',
    ],
    [
      '<aside><span itemprop="author" itemscope><span itemprop="name">Jane Doe</span></span></aside>',
      'Jane Doe',
    ],
    [
      `${prose}<footer class="entry-meta">Posted on <time class="entry-date" datetime="2024-03-12">12 March</time> by <span class="author vcard"><a rel="author" href="/author/jane">Jane Doe</a></span></footer>`,
      'Jane Doe',
    ],
    [
      '<p class="authors">Fact-checked by <a href="#">John Roe</a></p><p class="authors">By Jane Doe</p>',
      'Jane Doe',
    ],
  ])('of %j is %j', (byline, author) => {
    expect(seen(byline)[0]).toBe(author);
  });

  test.each([
    '<p>Photo by Jane Doe</p>',
    '<p>Reviewed by Jane Doe</p>',
    '<p class="byline">admin</p>',
    '<p>By The Daily Tide</p>',
    '<p class="author">https://tide.test/jane</p>',
    '<p>The book was inspired by Jane Doe and her dogs, which she keeps in the old boat house.</p>',
    '<div class="comments"><p>By Jane Doe</p></div>',
    '<div class="related-posts"><h3><a href="/b">Another night</a></h3><p class="author">Jane Doe</p></div>',
    '<footer>Written by Jane Doe</footer>',
    '<p class="post-author">Read more</p>',
    '<figure><img src="a.jpg"><figcaption>The pier. <span class="author">Jane Doe</span></figcaption></figure>',
    '<div class="image-caption">The pier. <b class="author">Jane Doe</b></div>',
    '<p class="author">jane@tide.test</p>',
    '<p class="author">{{ author }}</p>',
    '<p class="author">undefined</p>',
    '<div itemscope itemtype="https://schema.org/Review"><span itemprop="author">Jane Doe</span></div>',
    '<p>Sort by: Price</p>',
    '<p>This text was written by JavaScript in the browser of the reader.</p>',
  ])('is not taken from %j', (byline) => {
    const head = '<meta property="og:site_name" content="The Daily Tide">';
    expect(read(article(byline), { head }).author).toBeUndefined();
  });

  test.each([
    '<div class="nav-list"><a href="/authors/dan">Dan Fox</a> <a href="/authors/pete">Pete Kay</a></div>',
    '<ul><li><a href="/authors/dan">Dan Fox</a></li><li><a href="/authors/pete">Pete Kay</a></li></ul>',
    '<div><a href="/columnists/dan">Dan Fox</a></div>',
  ])('is the one that is labelled, not one of %j', (links) => {
    const byline = '<div class="c-byline">by <a href="/authors/jane">Jane Doe</a></div>';
    expect(read(`${links}${title}${byline}${prose}`).author).toBe('Jane Doe');
  });

  test('stands above the title or in a box after the article', () => {
    expect(read(`<main><p>By Jane Doe</p>${title}${prose}</main>`).author).toBe('Jane Doe');
    const box = '<section class="author-box"><h4 class="author-box__name">Jane Doe</h4></section>';
    expect(read(`<main>${title}${prose.repeat(9)}${box}</main>`).author).toBe('Jane Doe');
    const others = box + box.replace('Jane Doe', 'John Roe');
    expect(read(`<main>${title}${prose.repeat(9)}${others}</main>`).author).toBeUndefined();
  });

  test('of teasers is not that of the page that lists them', () => {
    const teaser = (name: string): string =>
      `<article><h2><a href="/${name}">A night in ${name}</a></h2><p class="byline">By ${name} Doe</p><time datetime="2024-03-12"></time></article>`;
    const page = read(
      `<main><h1>Stories</h1>${['Jane', 'John', 'Joan'].map(teaser).join('')}</main>`,
    );
    expect([page.author, page.publishedTime]).toEqual([undefined, undefined]);
  });

  test('of markup comes first, unless it is the site or an account', () => {
    const meta = (name: string): string =>
      `<meta name="author" content="${name}"><meta property="og:site_name" content="Tide">`;
    const body = article('<p>By Jane Doe</p>');
    expect(read(body, { head: meta('John Roe') }).author).toBe('John Roe');
    expect(read(body, { head: meta('admin') }).author).toBe('Jane Doe');
    expect(read(body, { head: meta('Tide') }).author).toBe('Jane Doe');
    expect(read(article(''), { head: meta('Tide') }).author).toBe('Tide');
  });

  test('of a product is not its maker', () => {
    const head = '<meta property="og:type" content="product">';
    expect(read(article('<p>By Jane Doe</p>'), { head }).author).toBeUndefined();
  });
});

describe('the dates', () => {
  test.each([
    ['<p>Published on 12 March 2024</p>', '2024-03-12', undefined],
    ['<p>Published: March 12, 2024 · Updated: April 2, 2024</p>', '2024-03-12', '2024-04-02'],
    [
      '<p>Updated <time datetime="2024-04-02T08:00Z">April 2</time></p><p>Published <time datetime="2024-03-12T08:00Z">March 12</time></p>',
      '2024-03-12T08:00Z',
      '2024-04-02T08:00Z',
    ],
    ['<p class="entry-date">2024-3-12 21:23:57</p>', '2024-03-12T21:23:57', undefined],
    ['<p>Last updated March 12, 2024</p>', '2024-03-12', '2024-03-12'],
    ['<p>Jul. 11. 2025</p>', '2025-07-11', undefined],
    ['<p>Published on 24-Nov-08</p>', '2008-11-24', undefined],
    [
      '<a href="/docs/page"><time datetime="2024-03-12">12 March 2024</time></a>',
      '2024-03-12',
      undefined,
    ],
    [
      '<ul class="post-meta"><li><time datetime="2024-03-12">12 March</time></li><li>in <a href="/category/boats">Boats and harbours</a></li></ul>',
      '2024-03-12',
      undefined,
    ],
  ])('of %j are %j and %j', (byline, published, modified) => {
    expect(seen(byline).slice(1)).toEqual([published, modified]);
  });

  test.each([
    '<p>Copyright 12 March 2024</p>',
    '<p>Registration ends on 12 March 2024</p>',
    '<p>On 12 March 2024 the harbour was closed because of the storm that came in the night.</p>',
    '<p>12 March 2031</p>',
    '<p>12 March 1889</p>',
    '<p>03/04/2024</p>',
    '<div class="comment-list"><time datetime="2024-03-12">12 March</time></div>',
  ])('are not taken from %j', (byline) => {
    expect(seen(byline).slice(1)).toEqual([undefined, undefined]);
  });

  const teaser = '<time datetime="2025-04-09">9 April 2025</time>';
  test.each([
    `<aside><h2>Latest news</h2><a href="/x">${teaser} <span>Another post</span></a></aside>`,
    `<section><h2>Latest</h2><ul><li><a href="/x">Another post of boats</a> ${teaser}</li></ul></section>`,
    `<div class="latest-posts">${teaser} <a href="/x">Another post</a></div>`,
    `<article><h3>Another post of boats</h3><a href="/x">Another post of boats</a>${teaser}</article>`,
    `<a href="/x"><div>${teaser}<p>Another post of boats</p></div></a>`,
  ])('of teasers are not those of the page: %s', (list) => {
    const short =
      '<p>The tide was out, and the boats lay on their sides in the mud of the harbour.</p>';
    const body = `<main><article>${title}${short.repeat(3)}</article></main>${list}`;
    expect(read(body).publishedTime).toBeUndefined();
    const dated = `<main><article><div class="header"><p>June 11, 2024</p></div>${title}${short.repeat(3)}</article></main>${list}`;
    expect(read(dated).publishedTime).toBe('2024-06-11');
  });

  test('have two digits for the year where the language tells which they are', () => {
    expect(seen('<p>Veröffentlicht am 24.11.08</p>', 'de')[1]).toBe('2008-11-24');
    expect(seen('<p>Publié le 24/11/08</p>', 'fr')[1]).toBe('2008-11-24');
    expect(seen('<p>24.11.08</p>', 'cs')[1]).toBe('2008-11-24');
    expect(seen('<p>Posted 04/11/08</p>', 'en')[1]).toBeUndefined();
  });

  test('a region tells the order of the numbers', () => {
    const head = '<meta property="og:locale" content="en_GB">';
    expect(read(article('<p>03/04/2024</p>'), { head }).publishedTime).toBe('2024-04-03');
  });

  test('the day in the URL counts where no date is seen', () => {
    const page = htmlPage(article(''));
    const at = (url: string): string | undefined =>
      readMetadata({ ...page, url }, now).publishedTime;
    expect(at('http://example.test/2024/03/12/harbour')).toBe('2024-03-12');
    expect(at('http://example.test/blog/2024-03-12-harbour')).toBe('2024-03-12');
    expect(at('http://example.test/2024/3/4/harbour')).toBe('2024-03-04');
    expect(at('http://example.test/boats/2024/mar/04/harbour')).toBe('2024-03-04');
    expect(at('http://example.test/2024/march/4/')).toBe('2024-03-04');
    expect(at('http://example.test/2024/boats/4/')).toBeUndefined();
    expect(at('http://example.test/2024/13/12/harbour')).toBeUndefined();
    expect(at('http://example.test/2024/3/45/harbour')).toBeUndefined();
    expect(at('http://example.test/parts/20240312001')).toBeUndefined();
  });
});

test('a home page and a file have no byline', () => {
  const page = htmlPage(article('<p>By Jane Doe, 12 March 2024</p>'));
  expect(readMetadata({ ...page, url: 'http://example.test/' }, now).author).toBeUndefined();
  expect(readMetadata({ ...page, file: {} }, now).author).toBeUndefined();
  expect(readMetadata(page, now).author).toBe('Jane Doe');
});

describe('hostile pages cost little time', () => {
  test.each([
    ['authors in authors', '<div class="author"><time>'.repeat(400) + 'By Jane '.repeat(20_000)],
    ['headings', '<h2><b>'.repeat(50_000)],
    ['one long line', `${title}<p>${'by '.repeat(200_000)}</p>`],
    ['many lines', `${title}${'<p>by A 1.1.2024 | </p>'.repeat(50_000)}`],
    ['spaces', `${title}<p class="byline">By${' '.repeat(100_000)}x</p>`],
    ['text without a heading', 'The harbour<i></i>'.repeat(50_000)],
  ])('%s', (_, body) => {
    const page = htmlPage(`<title>The harbour</title>${body}`);
    const started = cpuTime();
    readMetadata(page, now);
    expect(cpuTime() - started).toBeLessThan(1_000);
  });
});
