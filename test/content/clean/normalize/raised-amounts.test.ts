import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

test.each([
  ['<p><sup>$</sup>1,283<sup>.95</sup></p>', '$1,283.95'],
  ['<p>$<strong>83</strong><sup>.50</sup></p>', '$**83**.50'],
  ['<p>83<sup>,50</sup> €</p>', '83,50 €'],
  ['<p><sup>€</sup><span>83</span></p>', '€83'],
])('the parts of a price are not raised: %s', (html, markdown) => {
  expect(markdownOf(html, { onlyMainContent: false })).toBe(markdown);
});

test.each(['10<sup>12</sup>', 'x<sup>2</sup>', 'a<sup>$</sup>', 'Lamps<sup>.50</sup>'])(
  'others are: %s',
  (html) => {
    expect(markdownOf(`<p>${html}</p>`, { onlyMainContent: false })).toBe(html);
  },
);
