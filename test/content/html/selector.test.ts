import { expect, it } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { selectorError } from '../../../src/content/html/selector.ts';

const page = parseHtml('<p class=a>x</p>', { nodes: 100, depth: 10 });

it.each([
  'p',
  '.a > b',
  'p:not(.x, :has(b))',
  'li:nth-child(2n+1)',
  '[data-x="y" i]',
  'p:contains(x)',
  'p:has(> b)',
])('%s can be used', (selector) => {
  expect(selectorError(selector)).toBeUndefined();
  expect(() => page.querySelectorAll(selector)).not.toThrow();
});

it.each([
  '',
  '||',
  '*,||',
  '> a',
  'a >',
  ':is(> a)',
  'p[',
  'p:nope',
  'p::before',
  ':not(:nope)',
  'p:not(',
  'p >> b',
])('%j is told wrong', (selector) => {
  expect(selectorError(selector)).toMatch(/\S/);
});
