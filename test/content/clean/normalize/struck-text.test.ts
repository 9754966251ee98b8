/** Text that is struck through without an element for it. */
import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });

test.each([
  ['an element', '<p><s>€ 129.00</s> € 99.00</p>'],
  [
    'a style',
    '<p><span style="color:red;text-decoration:line-through">€ 129.00</span> € 99.00</p>',
  ],
  [
    'the longer property',
    '<p><span style="text-decoration-line: line-through">€ 129.00</span> € 99.00</p>',
  ],
  ['a utility class', '<p><span class="mr-2 line-through">€ 129.00</span> € 99.00</p>'],
  ['a class of a theme', '<p><span class="price strike-through">€ 129.00</span> € 99.00</p>'],
  [
    'a rule',
    '<style>.x .y{font-weight:400;text-decoration:line-through}</style><p class="x"><span class="y">€ 129.00</span> € 99.00</p>',
  ],
  ['a name', '<p><span class="old-price">€ 129.00</span> <span>€ 99.00</span></p>'],
  [
    'a name inside the box of one',
    '<p><span><span class="price--was">€ 129.00</span></span> <span>€ 99.00</span></p>',
  ],
  [
    'several at once',
    '<p><del class="old-price line-through"><span class="line-through">€ 129.00</span></del> € 99.00</p>',
  ],
])('a former price is struck through: %s', (_, html) => {
  expect(text(html)).toBe('~~€ 129.00~~ € 99.00');
});

test.each([
  ['side by side', '<p><b>€ 99</b><s>€ 129</s>(23 %)</p>', '**€ 99** ~~€ 129~~ (23 %)'],
  [
    'in boxes of their own',
    '<p><span><span>$15</span></span><span><span class="line-through">$20</span></span><i>Sale</i></p>',
    '$15 ~~$20~~ *Sale*',
  ],
  ['before a mark', '<p>Not <s>€ 129</s>, but € 99</p>', 'Not ~~€ 129~~, but € 99'],
  ['words, not amounts', '<p>un<s>necess</s>ary</p>', 'un~~necess~~ary'],
])('a former price stands apart: %s', (_, html, markdown) => {
  expect(text(html)).toBe(markdown);
});

test('what is done is struck through by a utility class or a style', () => {
  expect(text('<ul><li class="line-through">Milk</li><li>Bread</li></ul>')).toBe(
    '- ~~Milk~~\n- Bread',
  );
});

test.each([
  ['a state', '<p><span class="hover:line-through">€ 129.00</span></p>', '€ 129.00'],
  ['a class that takes it back', '<p class="no-line-through">€ 129.00</p>', '€ 129.00'],
  ['a word', '<p class="lightning-strike">A tree fell.</p>', 'A tree fell.'],
  ['offers of others', '<p class="cross-sell">€ 20.00</p>', '€ 20.00'],
  [
    'a modifier of another name',
    '<p class="price--strike-highlight"><b>€ 20.00</b></p>',
    '**€ 20.00**',
  ],
  [
    'the lower of two',
    '<p><span class="compare-price">€ 20.00</span> <span>€ 25.00</span></p>',
    '€ 20.00 € 25.00',
  ],
  ['the only price', '<p class="price old-price">€ 20.00</p>', '€ 20.00'],
  ['a box of paragraphs', '<div class="line-through"><p>One.</p><p>Two.</p></div>', 'One.\n\nTwo.'],
  [
    'a rule for links under the pointer',
    '<style>a:hover{text-decoration:line-through}</style><p><a href="/a">A</a></p>',
    '[A](https://site.test/a)',
  ],
])('other text stays: %s', (_, html, markdown) => {
  expect(text(html)).toBe(markdown);
});
