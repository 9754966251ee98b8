import { describe, expect, it, test } from 'vitest';
import { measure } from '../../../../src/content/clean/main-content/measure.ts';
import { findBeside, findObvious } from '../../../../src/content/clean/main-content/obvious.ts';
import { htmlPage } from '../page.ts';

const prose = (count: number): string =>
  '<p>The harbour was built in 1842, and it still shelters the fleet.</p>'.repeat(count);

/** The names of the boxes that stand beside the content. */
function beside(body: string, isArticle = false): string[] {
  const blocks = measure(htmlPage(`<body>${body}</body>`).root);
  return findBeside(blocks, { isArticle, isDiscussion: false, isProduct: false }).map(
    ({ element }) => element.className,
  );
}

describe('findBeside', () => {
  it.each([
    ['modal', 3, ['modal']],
    ['modal', 12, []], // with half of the text it is the page
    ['footer', 3, ['footer']],
    ['footer', 12, []],
  ])('finds a %s with little of the text: %i paragraphs', (name, count, found) => {
    expect(beside(`<div>${prose(12)}</div><div class="${name}">${prose(count)}</div>`)).toEqual(
      found,
    );
  });

  it('leaves the link around a picture that opens a box', () => {
    const picture = '<a class="lightbox" href="/a.png"><img src="/a.png"><p>The pier</p></a>';
    expect(beside(prose(12) + picture)).toEqual([]);
  });

  it.each([
    ['comments', true, 30, ['comments']],
    ['comments', false, 30, ['comments']],
    ['comments', false, 90, []], // what is left may open a thread
    ['comments', true, 90, ['comments']],
    ['comments', true, 2000, []], // what is left is no article
    ['discussion', true, 30, []], // of a paper
  ])('knows the %s below an article: %s, %i paragraphs', (name, isArticle, count, found) => {
    const body = `<div>${prose(24)}</div><section class="${name}">${prose(count)}</section>`;
    expect(beside(body, isArticle)).toEqual(found);
  });
});

test('lines named comments, one in each entry of a list, are no comments of readers', () => {
  const entry = `<div>${prose(5)}<div class="comments">${prose(1)}</div></div>`;
  expect(beside(entry.repeat(8))).toEqual([]);
});

describe('comments of a live ticker', () => {
  it('are its reports', () => {
    const ticker = `<div class="liveticker"><ol><li class="comments">${prose(30)}</li></ol></div>`;
    expect(beside(prose(20) + ticker, true)).toEqual([]);
  });
});

describe('a form with a password', () => {
  const fields = '<label>Name <input></label><label>Word <input type="PASSWORD"></label>';
  const found = (body: string): string[] =>
    findObvious(measure(htmlPage(`<body>${body}</body>`).root)).map(
      ({ element: { localName } }) => localName,
    );

  it('is not content beside text', () => {
    expect(found(prose(12) + `<form>${fields}</form>`)).toEqual(['form']);
  });

  it('is content where it holds the text, or asks for something else', () => {
    expect(found(`<form>${fields}${prose(12)}</form>`)).toEqual([]);
    expect(found(prose(12) + '<form><label>Name <input></label></form>')).toEqual([]);
  });
});

describe('a heading', () => {
  const found = (heading: string): number =>
    findObvious(measure(htmlPage(`<body>${heading}${prose(12)}</body>`).root)).length;

  it.each([
    '<h2 class="tocHeader">Types</h2>',
    '<h2 id="toc_3-4">Types</h2>',
    '<h2 id="sharing">Sharing</h2>',
  ])('is not the box that its names tell: %s', (heading) => {
    expect(found(heading)).toBe(0);
  });

  it('for screen readers is obvious', () => {
    expect(found('<h2 class="sr-only">Navigation</h2>')).toBe(1);
  });
});
