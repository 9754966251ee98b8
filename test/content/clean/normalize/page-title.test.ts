import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const body =
  '<p>The first walk with a puppy is short. It has seen a kitchen and a garden so far, and a street is more than it can take in at once.</p><h2>When to begin</h2><p>Begin two weeks after the second vaccination, and carry the puppy to the corner first.</p>';
const title = 'First walks with a puppy';

function firstLine(html: string, head = `<title>${title} | Harbour</title>`): string {
  return markdownOf(`<html><head>${head}</head><body>${html}</body></html>`).split('\n')[0] ?? '';
}

test.each([
  ['a div named after it', `<main><div class="post-title">${title}</div>${body}</main>`],
  ['a paragraph with a span', `<main><p><span class="headline">${title}</span></p>${body}</main>`],
  ['a bold line', `<article><p><b>${title}</b></p>${body}</article>`],
  [
    'a cell of a table',
    `<table><tr><td><font size="5">${title}</font></td></tr><tr><td>${body}</td></tr></table>`,
  ],
  [
    'in two pieces',
    `<main><div class="title">First walks <em>with a puppy</em></div>${body}</main>`,
  ],
  [
    'after crumbs of the same text',
    `<div class="breadcrumbs"><div>${title}</div></div><main><div class="t">${title}</div>${body}</main>`,
  ],
  [
    'below the name of the site',
    `<header><h1><a href="/">Harbour</a></h1></header><main><div class="entry-title">${title}</div>${body}</main>`,
  ],
])('the title becomes the first heading: %s', (_, html) => {
  expect(firstLine(html).replaceAll('*', '')).toBe(`# ${title}`);
});

test.each([
  [
    'before the name of the site',
    `<title>Harbour — ${title}</title><meta property="og:title" content="${title}">`,
  ],
  ['with a dash', `<title>${title} – Harbour</title>`],
  ['alone', `<title>${title}</title>`],
  [
    'with line breaks',
    `<title>\n  First walks\n  with a puppy :: </title><meta property="og:title" content="${title}">`,
  ],
])('titles of the head: %s', (_, head) => {
  expect(firstLine(`<main><div class="a">${title}</div>${body}</main>`, head)).toBe(`# ${title}`);
});

test.each([
  ['a heading says it', `<main><h2>${title}</h2><div class="title">${title}</div>${body}</main>`],
  ['the page has a title', `<main><h1>Puppies</h1><div class="title">${title}</div>${body}</main>`],
  ['a link', `<main><p><a href="/x">${title}</a></p>${body}</main>`],
  ['the first words of a sentence', `<main><p>${title} are short.</p>${body}</main>`],
])('other texts stay: %s', (_, html) => {
  expect(firstLine(html)).not.toBe(`# ${title}`);
});
