import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });
const letter = 'Dear Jo,\nthe gate is open.\n\nYours';
const shown = 'Dear Jo,  \nthe gate is open.\n\nYours';

test.each([
  ['an attribute', `<p style="white-space:pre-line">${letter}</p>`],
  [
    'an attribute among others',
    `<div style="color: red; white-space: pre-wrap !important">${letter}</div>`,
  ],
  ['the newer property', `<div style="white-space-collapse: preserve-breaks">${letter}</div>`],
  ['a class of Tailwind', `<div class="mt-2 whitespace-pre-line">${letter}</div>`],
  ['a class of Vuetify', `<div class="text-pre-wrap">${letter}</div>`],
  [
    'a rule',
    `<style>div.note { padding: 5pt; white-space: pre-wrap }</style><div class="note">${letter}</div>`,
  ],
  [
    'a rule for several',
    `<style>a{color:red}.x p,/* c */.mail > .body{white-space:pre}</style><div class="mail"><div class="body">${letter}</div></div>`,
  ],
  [
    'a rule within a query',
    `<style>@media screen{.m{white-space:break-spaces}}</style><div class="m">${letter}</div>`,
  ],
  ['an element around', `<div style="white-space:pre-line">\n  <p>${letter}</p>\n  </div>`],
  [
    'with windows line ends',
    `<p style="white-space:pre-line">${letter.replaceAll('\n', '\r\n')}</p>`,
  ],
])('line breaks stay: %s', (_, html) => {
  expect(text(html)).toBe(shown);
});

test.each([
  ['no such style', `<p style="white-space:nowrap">a\nb</p>`, 'a b'],
  [
    'taken back inside',
    `<div style="white-space:pre-line"><p style="white-space:normal">a\nb</p></div>`,
    'a b',
  ],
  ['marks in a line', `<p class="whitespace-pre-line">a <b>b\nc</b> d</p>`, 'a **b  \nc** d'],
  [
    'between inline elements',
    `<p style="white-space:pre-line"><i>a</i>\n<i>b</i></p>`,
    '*a*  \n*b*',
  ],
  ['code', `<style>pre,code{white-space:pre-wrap}</style><pre>a\nb</pre>`, '```\na\nb\n```'],
  ['a rule of all elements', `<style>*{white-space:pre-wrap}</style><p>a\nb</p>`, 'a b'],
  ['a rule that is not CSS', `<style>p:::{{{white-space:pre}</style><p>a\nb</p>`, 'a b'],
])('%s', (_, html, markdown) => {
  expect(text(html)).toBe(markdown);
});
