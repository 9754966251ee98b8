import { expect, test } from 'vitest';
import { links } from '../../../src/content/formats/links.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';

const run = (source: string, baseUrl?: string): unknown =>
  links.run(htmlPage(source, baseUrl), undefined, context);

test('absolute URLs come in document order, each once', () => {
  expect(
    run(`<a href="b">b</a><map><area href="//other.test/c"></map><a href=" ../a?x=1&amp;y=2 ">a</a>
         <a href="http://example.test/docs/b">again</a><a>none</a><a href="">empty</a>`),
  ).toEqual(['http://example.test/docs/b', 'http://other.test/c', 'http://example.test/a?x=1&y=2']);
});

test('links in drawings are links', () => {
  expect(run('<svg><a xlink:href="/old"></a><a href="/new"></a></svg>')).toEqual([
    'http://example.test/old',
    'http://example.test/new',
  ]);
});

test('only http and https are links', () => {
  expect(
    run(`<a href="mailto:a@b.test">m</a><a href="tel:1">t</a><a href="javascript:f()">j</a>
         <a href="data:text/html,x">d</a><a href="ftp://e.test/">f</a><a href="http://">h</a>
         <a href="HTTPS://E.test">ok</a>`),
  ).toEqual(['https://e.test/']);
});

test('fragments are kept, jumps within the page are not', () => {
  expect(
    run(`<a href="/other#part">o</a><a href="#part">p</a><a href="#">top</a>
         <a href="http://example.test/docs/page#part">p</a><a href="#/route">route</a>
         <a href="http://example.test/docs/page">self</a>`),
  ).toEqual([
    'http://example.test/other#part',
    'http://example.test/docs/page#/route',
    'http://example.test/docs/page',
  ]);
});

test('a base is respected', () => {
  expect(run('<a href="a">a</a><a href="#x">x</a>', 'http://cdn.test/base/')).toEqual([
    'http://cdn.test/base/a',
  ]);
});

test('only links of the content count', () => {
  const page = htmlPage('<nav><a href="/n">n</a></nav><p><a href="/a">a</a></p>');
  page.root.querySelector('nav')?.remove();
  expect(links.run(page, undefined, context)).toEqual(['http://example.test/a']);
});

test('text has the links of its markdown', () => {
  const page = textPage('', 'See [a](/a) and http://other.test/b.');
  expect(links.run(page, undefined, context)).toEqual([
    'http://example.test/a',
    'http://other.test/b',
  ]);
});

test('as many as limits.links are given, of more only the first, with a warning', () => {
  const page = htmlPage('<a href=/a>a</a><a href=/b>b</a><a href=/a>again</a>');
  const limited = (limit: number): unknown =>
    links.run(page, undefined, { ...context, limits: { ...context.limits, links: limit } });
  expect(limited(2)).toEqual(['http://example.test/a', 'http://example.test/b']);
  expect(page.warnings).toEqual([]);
  expect(limited(1)).toEqual(['http://example.test/a']);
  expect(page.warnings).toEqual([
    'The page has more than 1 links; the others were left out. Raise limits.links to take them.',
  ]);
});
